#pragma once

#include "types.h"

namespace assay {

// What a type too small makes of numbers, for mutants.

// A float with the significand of the next smaller type (11 bits for fp32, 8 for fp16, 7 for bf16,
// one bit less for fp8), and the range of its own.
double NarrowFloat(DType type, double value);

// Returns the value rounded to nearest in so many bits of significand, whatever its exponent.
double RoundToBits(int bits, double value);

// Returns the value rounded to the type toward +infinity; what is not finite stays as it is.
double RoundUpToType(DType type, double value);

// A float of the type rounded toward zero, or to nearest with ties away from zero.
double TruncateToType(DType type, double value);
double RoundHalfAwayToType(DType type, double value);

// The low bits of an integer, sign-extended. bits: 1..63.
int64_t WrapInteger(int bits, int64_t value);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

namespace assay {

// Roundings to types that are too small, for mutants.

// Returns a float with the significand of the next smaller type and the range of its own type. The
// significand has 11 bits for fp32, 8 for fp16, 7 for bf16, and one bit less for fp8.
double NarrowFloat(DType type, double value);

// Returns the value rounded to nearest in `bits` bits of significand, for any exponent.
double RoundToBits(int bits, double value);

// Returns the value rounded to the type toward +infinity. Values that are not finite stay
// unchanged.
double RoundUpToType(DType type, double value);

// Return a float of the type, rounded toward zero, or to nearest with ties away from zero.
double TruncateToType(DType type, double value);
double RoundHalfAwayToType(DType type, double value);

// Returns the low bits of an integer, sign-extended. `bits` is 1..63.
int64_t WrapInteger(int bits, int64_t value);

}  // namespace assay

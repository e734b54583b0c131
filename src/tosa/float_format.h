#pragma once

#include <cstdint>

#include "types.h"

namespace assay {

// Parameters of a floating-point type (specification, "Number formats").
struct FloatFormat {
  int fraction_bits;  // normal_frac<T>()
  int exponent_bits;
  int bias;
  bool has_infinity;          // false for fp8e4m3
  bool must_keep_subnormals;  // fp8; the others may flush, all or none
  double max;                 // maximum<T>() that is finite
  double normal_min;          // normal_min<T>()
};

// `type` must be a floating-point type.
const FloatFormat& FormatOf(DType type);

// The value of an element's bits, exactly. Every NaN comes back as the same quiet NaN.
double DecodeFloat(DType type, uint32_t bits);

// The element nearest to `value`, ties to even, in one rounding; overflow gives infinity (NaN where
// the type has no infinity: OFP8, non-saturating; an infinity overflows as well). NaN gives the
// canonical quiet NaN of the type (positive, only the top fraction bit set; fp8e4m3 0x7f).
// Subnormal results are kept. Signed zero is kept.
uint32_t EncodeFloat(DType type, double value);

// DecodeFloat(EncodeFloat(value)).
double RoundToType(DType type, double value);

// The nearest value of the type that is greater (less) than `value`, which need not be one itself:
// infinity beyond max (NaN for fp8e4m3), max beyond infinity, infinity beyond itself; NaN for NaN.
double NextUp(DType type, double value);
double NextDown(DType type, double value);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "check.h"
#include "types.h"

namespace assay {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// maximum<T>() and normal_min<T>() have the values of `normal_max` and `normal_min` in the
// specification's numeric_accuracy_helpers: exp2(128) - exp2(127-23) and so on.
inline constexpr FloatFormat kFp32Format = {23, 8, 127, true, false, 0x1.fffffep127, 0x1p-126};
inline constexpr FloatFormat kFp16Format = {10, 5, 15, true, false, 65504, 0x1p-14};
inline constexpr FloatFormat kBf16Format = {7, 8, 127, true, false, 0x1.fep127, 0x1p-126};
inline constexpr FloatFormat kFp8e4m3Format = {3, 4, 7, false, true, 448, 0x1p-6};
inline constexpr FloatFormat kFp8e5m2Format = {2, 5, 15, true, true, 57344, 0x1p-14};

// Returns the format of a type, which must be a floating-point type.
inline const FloatFormat& FormatOf(DType type) {
  constexpr const FloatFormat* kByType[] = {
      nullptr,      nullptr,      nullptr,      nullptr, nullptr,         nullptr,        nullptr,
      &kFp32Format, &kFp16Format, &kBf16Format, nullptr, &kFp8e4m3Format, &kFp8e5m2Format};
  Check(IsFloat(type), "a floating-point type");
  return *kByType[static_cast<size_t>(type)];
}

// The functions below for the types narrower than fp32. For fp32, the hardware makes the
// conversions.
double DecodeNarrowFloat(DType type, uint32_t bits);
uint32_t EncodeNarrowFloat(DType type, double value);
double RoundToNarrowFloat(DType type, double value);

// Returns the value of an element's bits, exactly. Every NaN becomes the same quiet NaN.
inline double DecodeFloat(DType type, uint32_t bits) {
  if (type != DType::kFp32) return DecodeNarrowFloat(type, bits);
  const double value = std::bit_cast<float>(bits);
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

// Returns the bits of the element nearest to `value`, ties to even, in one rounding. Overflow gives
// infinity, or NaN if the type has no infinity (OFP8, non-saturating; an infinity overflows as
// well). NaN gives the canonical quiet NaN of the type (positive, only the top fraction bit set;
// fp8e4m3 0x7f). Subnormal results and the sign of zero are kept.
inline uint32_t EncodeFloat(DType type, double value) {
  if (type != DType::kFp32) return EncodeNarrowFloat(type, value);
  return std::isnan(value) ? 0x7fc00000u : std::bit_cast<uint32_t>(static_cast<float>(value));
}

// Returns DecodeFloat(EncodeFloat(value)).
inline double RoundToType(DType type, double value) {
  if (type != DType::kFp32) return RoundToNarrowFloat(type, value);
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : static_cast<float>(value);
}

// Return the nearest value of the type that is greater (less) than `value`, which need not be a
// value of the type. NextUp() of max is infinity (NaN for fp8e4m3), of -infinity -max, of infinity
// infinity, of NaN NaN. NextDown() is the same with other signs.
double NextUp(DType type, double value);
double NextDown(DType type, double value);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "float_format.h"

namespace assay {

// The conversions of float_format.h for one type, inline. They are for loops over the elements of a
// tensor, which choose the type once.

inline constexpr uint64_t kDoubleSign = uint64_t{1} << 63;
inline constexpr uint64_t kDoubleInfinity = uint64_t{0x7ff} << 52;

// Unsigned integers as wide as the elements.
template <const FloatFormat& format, int bits = format.exponent_bits + format.fraction_bits + 1>
using FloatBits =
    std::conditional_t<bits == 32, uint32_t, std::conditional_t<bits == 16, uint16_t, uint8_t>>;

// The code of the largest finite magnitude. The next code is infinity, or NaN for fp8e4m3.
template <const FloatFormat& format>
inline constexpr uint32_t kMaxCode =
    format.has_infinity ? (((1u << format.exponent_bits) - 1) << format.fraction_bits) - 1
                        : (1u << (format.exponent_bits + format.fraction_bits)) - 2;

// The bits of a code without the sign.
template <const FloatFormat& format>
inline constexpr uint32_t kMagnitudeCode = (uint32_t{1}
                                            << (format.exponent_bits + format.fraction_bits)) -
                                           1;

template <const FloatFormat& format>
inline constexpr uint32_t kNanCode = format.has_infinity ? (kMaxCode<format> + 1) |
                                                               (1u << (format.fraction_bits - 1))
                                                         : kMaxCode<format> + 1;

// 2^52 times the smallest subnormal: a smaller magnitude added to it is rounded by the hardware to
// a multiple of the smallest subnormal.
template <const FloatFormat& format>
inline constexpr double kQuanta = format.normal_min /
                                  static_cast<double>(uint64_t{1} << format.fraction_bits) * 0x1p52;

// Returns `a` if `is_so`, else `b`. Both are computed, and no compiler makes a branch of it.
[[gnu::always_inline]] inline uint64_t Choose(bool is_so, uint64_t a, uint64_t b) {
  const uint64_t mask = is_so ? ~uint64_t{0} : 0;
  return (a & mask) | (b & ~mask);
}

// Encodes as EncodeFloat(), with one rounding, directly from the 53 bits of the double. There are
// no branches, for loops that are compiled for vectors. Magnitudes and codes are compared as signed
// numbers, because vectors compare those.
template <const FloatFormat& format>
[[gnu::always_inline]] inline uint32_t EncodeAs(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~kDoubleSign;
  const double absolute = std::bit_cast<double>(magnitude);
  // For a subnormal result, this is a multiple of the smallest one, which is in the low bits of the
  // sum. A carry into the smallest normal number is right as it is.
  const uint64_t multiple = std::bit_cast<uint64_t>(absolute + kQuanta<format>) -
                            std::bit_cast<uint64_t>(kQuanta<format>);
  constexpr int kShift = 52 - format.fraction_bits;
  constexpr uint64_t kRebias = static_cast<uint64_t>(1023 - format.bias) << 52;
  const uint64_t rebiased = magnitude - kRebias;
  const uint64_t tie_to_even = (rebiased >> kShift) & 1;
  const uint64_t rounded = (rebiased + (uint64_t{1} << (kShift - 1)) - 1 + tie_to_even) >> kShift;
  constexpr int kSignBit = format.exponent_bits + format.fraction_bits;
  const uint64_t sign = (bits >> 63) << kSignBit;
  constexpr auto kLeast = static_cast<int64_t>(std::bit_cast<uint64_t>(format.normal_min));
  const uint64_t finite = Choose(static_cast<int64_t>(magnitude) < kLeast, multiple, rounded);
  const uint64_t beyond = format.has_infinity ? (kMaxCode<format> + 1) | sign : kNanCode<format>;
  const bool fits = static_cast<int64_t>(finite) <= int64_t{kMaxCode<format>};
  const uint64_t code = Choose(fits, finite | sign, beyond);
  const bool is_nan = static_cast<int64_t>(magnitude) > static_cast<int64_t>(kDoubleInfinity);
  return static_cast<uint32_t>(Choose(is_nan, kNanCode<format>, code));
}

// Decodes as DecodeFloat(), without branches as well.
template <const FloatFormat& format>
[[gnu::always_inline]] inline double DecodeAs(uint32_t bits) {
  constexpr int kWidth = format.exponent_bits + format.fraction_bits;
  const auto magnitude = static_cast<int32_t>(bits & kMagnitudeCode<format>);
  const uint64_t sign = uint64_t{(bits >> kWidth) & 1} << 63;
  const double subnormal = magnitude * (format.normal_min / (1u << format.fraction_bits));
  const uint64_t normal = (static_cast<uint64_t>(magnitude) << (52 - format.fraction_bits)) +
                          (static_cast<uint64_t>(1023 - format.bias) << 52);
  const uint64_t finite =
      Choose(magnitude < (1 << format.fraction_bits), std::bit_cast<uint64_t>(subnormal), normal);
  constexpr auto kMax = static_cast<int32_t>(kMaxCode<format>);
  constexpr auto kNan = std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
  const bool infinite = format.has_infinity && magnitude == kMax + 1;
  const uint64_t special = Choose(infinite, kDoubleInfinity | sign, kNan);
  return std::bit_cast<double>(Choose(magnitude > kMax, special, finite | sign));
}

// Rounds as RoundToType(), without the code in between.
template <const FloatFormat& format>
double RoundAs(double value) {
  const uint64_t sign = std::bit_cast<uint64_t>(value) & kDoubleSign;
  const uint64_t magnitude = std::bit_cast<uint64_t>(value) ^ sign;
  if (magnitude > kDoubleInfinity) return std::numeric_limits<double>::quiet_NaN();
  const double absolute = std::bit_cast<double>(magnitude);
  const double multiple = (absolute + kQuanta<format>)-kQuanta<format>;
  constexpr uint64_t kUnit = uint64_t{1} << (52 - format.fraction_bits);
  const uint64_t tie_to_even = (magnitude & kUnit) != 0 ? 1 : 0;
  const uint64_t nearest = (magnitude + kUnit / 2 - 1 + tie_to_even) & ~(kUnit - 1);
  const uint64_t rounded =
      absolute < format.normal_min ? std::bit_cast<uint64_t>(multiple) : nearest;
  if (rounded > std::bit_cast<uint64_t>(format.max)) [[unlikely]] {
    if (!format.has_infinity) return std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<double>(kDoubleInfinity | sign);
  }
  return std::bit_cast<double>(rounded | sign);
}

// These use the hardware's conversions.
template <>
[[gnu::always_inline]] inline uint32_t EncodeAs<kFp32Format>(double value) {
  const auto code = std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<uint32_t>(Choose(value != value, 0x7fc00000u, code));
}
template <>
[[gnu::always_inline]] inline double DecodeAs<kFp32Format>(uint32_t bits) {
  constexpr auto kNan = std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
  const double value = std::bit_cast<float>(bits);
  return std::bit_cast<double>(Choose(value != value, kNan, std::bit_cast<uint64_t>(value)));
}
template <>
inline double RoundAs<kFp32Format>(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : static_cast<float>(value);
}

// Calls use.operator()<format>() for the format of a floating-point type, and returns its result.
template <class Use>
auto WithFormat(DType type, Use use) {
  switch (type) {
    case DType::kFp32:
      return use.template operator()<kFp32Format>();
    case DType::kFp16:
      return use.template operator()<kFp16Format>();
    case DType::kBf16:
      return use.template operator()<kBf16Format>();
    case DType::kFp8e4m3:
      return use.template operator()<kFp8e4m3Format>();
    default:
      Check(type == DType::kFp8e5m2, "a floating-point type");
      return use.template operator()<kFp8e5m2Format>();
  }
}

}  // namespace assay

#include "float_format.h"

#include <bit>
#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr uint64_t kDoubleSign = uint64_t{1} << 63;
constexpr uint64_t kDoubleInfinity = uint64_t{0x7ff} << 52;

// The code of the largest finite magnitude; the next one is infinity, or for fp8e4m3 NaN.
template <const FloatFormat& format>
constexpr uint32_t kMaxCode = format.has_infinity
                                  ? (((1u << format.exponent_bits) - 1) << format.fraction_bits) - 1
                                  : (1u << (format.exponent_bits + format.fraction_bits)) - 2;

template <const FloatFormat& format>
constexpr uint32_t kNanCode = format.has_infinity
                                  ? (kMaxCode<format> + 1) | (1u << (format.fraction_bits - 1))
                                  : kMaxCode<format> + 1;

// One rounding, straight from the 53 bits of the double.
template <const FloatFormat& format>
uint32_t Encode(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~kDoubleSign;
  if (magnitude > kDoubleInfinity) return kNanCode<format>;
  const uint32_t sign = static_cast<uint32_t>(bits >> 63)
                        << (format.exponent_bits + format.fraction_bits);
  const double absolute = std::bit_cast<double>(magnitude);
  uint32_t code;
  if (absolute < format.normal_min) {
    // Adding 2^52 quanta leaves the multiple of the smallest subnormal in the low bits, rounded by
    // the hardware; a carry into the smallest normal number is right as it is.
    constexpr double kQuanta =
        format.normal_min / static_cast<double>(uint64_t{1} << format.fraction_bits) * 0x1p52;
    code = static_cast<uint32_t>(std::bit_cast<uint64_t>(absolute + kQuanta) -
                                 std::bit_cast<uint64_t>(kQuanta));
  } else {
    constexpr int kShift = 52 - format.fraction_bits;
    constexpr uint64_t kRebias = static_cast<uint64_t>(1023 - format.bias) << 52;
    const uint64_t rebiased = magnitude - kRebias;
    const uint64_t tie_to_even = (rebiased >> kShift) & 1;
    const uint64_t rounded = (rebiased + (uint64_t{1} << (kShift - 1)) - 1 + tie_to_even) >> kShift;
    code = rounded > kMaxCode<format> ? kMaxCode<format> + 1 : static_cast<uint32_t>(rounded);
    if (!format.has_infinity && code > kMaxCode<format>) return kNanCode<format>;
  }
  return sign | code;
}

template <const FloatFormat& format>
double Decode(uint32_t bits) {
  constexpr int kWidth = format.exponent_bits + format.fraction_bits;
  const uint32_t magnitude = bits & ((1u << kWidth) - 1);
  const bool negative = ((bits >> kWidth) & 1) != 0;
  double value;
  if (magnitude > kMaxCode<format>) {
    if (!format.has_infinity || magnitude > kMaxCode<format> + 1) return kNan;
    value = kInfinity;
  } else if ((magnitude >> format.fraction_bits) == 0) {
    value = magnitude * (format.normal_min / (1u << format.fraction_bits));
  } else {
    const uint64_t rebiased = (uint64_t{magnitude} << (52 - format.fraction_bits)) +
                              (static_cast<uint64_t>(1023 - format.bias) << 52);
    value = std::bit_cast<double>(rebiased);
  }
  return negative ? -value : value;
}

uint32_t SignBit(DType type) {
  const FloatFormat& format = FormatOf(type);
  return 1u << (format.exponent_bits + format.fraction_bits);
}

}  // namespace

double DecodeNarrowFloat(DType type, uint32_t bits) {
  if (type == DType::kBf16) return DecodeFloat(DType::kFp32, bits << 16);
  if (type == DType::kFp16) return Decode<kFp16Format>(bits);
  if (type == DType::kFp8e4m3) return Decode<kFp8e4m3Format>(bits);
  Check(type == DType::kFp8e5m2, "a floating-point type");
  return Decode<kFp8e5m2Format>(bits);
}

uint32_t EncodeNarrowFloat(DType type, double value) {
  if (type == DType::kBf16) return Encode<kBf16Format>(value);
  if (type == DType::kFp16) return Encode<kFp16Format>(value);
  if (type == DType::kFp8e4m3) return Encode<kFp8e4m3Format>(value);
  Check(type == DType::kFp8e5m2, "a floating-point type");
  return Encode<kFp8e5m2Format>(value);
}

double NextUp(DType type, double value) {
  if (std::isnan(value)) return kNan;
  const FloatFormat& format = FormatOf(type);
  if (value < -format.max) return -format.max;
  const double rounded = RoundToType(type, value);
  if (rounded > value || rounded == kInfinity || std::isnan(rounded)) return rounded;
  // Codes are ordered as magnitudes are.
  const uint32_t sign = SignBit(type);
  const uint32_t bits = EncodeFloat(type, rounded);
  if ((bits & ~sign) == 0) return DecodeFloat(type, 1);
  return DecodeFloat(type, (bits & sign) != 0 ? bits - 1 : bits + 1);
}

double NextDown(DType type, double value) {
  const double mirrored = NextUp(type, -value);
  return std::isnan(mirrored) ? kNan : -mirrored;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "float_codec.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

uint32_t SignBit(DType type) {
  const FloatFormat& format = FormatOf(type);
  return 1u << (format.exponent_bits + format.fraction_bits);
}

}  // namespace

double DecodeNarrowFloat(DType type, uint32_t bits) {
  return WithFormat(type, [&]<const FloatFormat & format>() { return DecodeAs<format>(bits); });
}

uint32_t EncodeNarrowFloat(DType type, double value) {
  return WithFormat(type, [&]<const FloatFormat & format>() { return EncodeAs<format>(value); });
}

double RoundToNarrowFloat(DType type, double value) {
  return WithFormat(type, [&]<const FloatFormat & format>() { return RoundAs<format>(value); });
}

double NextUp(DType type, double value) {
  if (std::isnan(value)) return kNan;
  const FloatFormat& format = FormatOf(type);
  if (value < -format.max) return -format.max;
  const double rounded = RoundToType(type, value);
  if (rounded > value || rounded == kInfinity || std::isnan(rounded)) return rounded;
  // Codes have the same order as magnitudes.
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

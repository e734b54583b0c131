// SPDX-License-Identifier: Apache-2.0
#include "lossy_rounding.h"

#include <cmath>

#include "float_format.h"

namespace assay {
namespace {

int NarrowSignificand(DType type) {
  if (type == DType::kFp32) return 11;
  if (type == DType::kFp16) return 8;
  return FormatOf(type).fraction_bits;
}

double Toward(DType type, double value, bool up) {
  return up ? NextUp(type, value) : NextDown(type, value);
}

}  // namespace

double RoundToBits(int bits, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  const double significand = std::ldexp(std::frexp(value, &exponent), bits);
  return std::ldexp(std::nearbyint(significand), exponent - bits);
}

double NarrowFloat(DType type, double value) { return RoundToBits(NarrowSignificand(type), value); }

double RoundUpToType(DType type, double value) {
  if (!std::isfinite(value)) return value;
  const double nearest = RoundToType(type, value);
  return nearest < value ? NextUp(type, nearest) : nearest;
}

double TruncateToType(DType type, double value) {
  if (!std::isfinite(value)) return RoundToType(type, value);
  const double max = FormatOf(type).max;
  if (std::fabs(value) >= max) return std::copysign(max, value);
  const double rounded = RoundToType(type, value);
  if (std::fabs(rounded) <= std::fabs(value)) return rounded;
  return std::copysign(Toward(type, rounded, value < 0), value);
}

double RoundHalfAwayToType(DType type, double value) {
  const double rounded = RoundToType(type, value);
  if (!std::isfinite(rounded) || std::fabs(rounded) >= std::fabs(value)) return rounded;
  const double away = Toward(type, rounded, value > 0);
  return std::fabs(away - value) == std::fabs(value - rounded) ? away : rounded;
}

int64_t WrapInteger(int bits, int64_t value) {
  const int unused = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "interval.h"

#include "double_double.h"
#include "ruling.h"

namespace assay {

Interval AcceptedAnywhere(DType type, const Bounded& x, const Declarations& declarations) {
  const double value = x.value.real();
  if (x.certainty == Certainty::kUndecided || std::isnan(value)) return kAnything;
  Interval interval = {value, value};
  if (x.certainty == Certainty::kBounded) interval = {x.reference - x.error, x.reference + x.error};
  const FloatFormat& format = FormatOf(type);
  if (interval.high > format.max || interval.low < -format.max) {
    if (!format.has_infinity && x.certainty == Certainty::kBounded) return kAnything;
    for (double* end : {&interval.low, &interval.high}) {
      if (std::fabs(*end) > format.max) *end = std::copysign(kInfinity, *end);
    }
  }
  if (MayFlush(type) && !declarations.keeps_subnormals) {
    if (interval.low > 0 && interval.low < format.normal_min) interval.low = 0;
    if (interval.high < 0 && interval.high > -format.normal_min) interval.high = 0;
  }
  return interval;
}

Interval PassedOnAnywhere(DType type, const Bounded& x, const Declarations& declarations) {
  Interval interval = Accepted(type, x, declarations);
  if (!interval.known() || Determined(x)) return interval;
  const FloatFormat& format = FormatOf(type);
  // The first and the last accepted value, if there are any.
  const double nearest_low = RoundToType(type, interval.low);
  const double nearest_high = RoundToType(type, interval.high);
  const double first = nearest_low < interval.low ? NextUp(type, nearest_low) : nearest_low;
  const double last = nearest_high > interval.high ? NextDown(type, nearest_high) : nearest_high;
  if (first <= last) interval = {first, last};
  if (declarations.rounds_results) return interval;
  const auto half_unit = [&](double end) {
    return std::max(UlpError(type, end, 0.5),
                    0.5 * format.normal_min * PowerOfTwo(-format.fraction_bits));
  };
  interval.low -= half_unit(interval.low);
  interval.high += half_unit(interval.high);
  // Infinity is also accepted for finite numbers beyond the largest value.
  interval.low = std::min(interval.low, format.max);
  interval.high = std::max(interval.high, -format.max);
  if (interval.high > format.max) interval.high = kInfinity;
  if (interval.low < -format.max) interval.low = -kInfinity;
  return interval;
}

Interval ReadByArithmetic(DType type, const Bounded& x, const Declarations& declarations) {
  Interval interval = PassedOn(type, x, declarations);
  if (!declarations.flushes_subnormals || !MayFlush(type)) return interval;
  const double normal_min = FormatOf(type).normal_min;
  // A number that is kept in higher precision and rounds to normal_min may be flushed or not.
  const auto flushes = [&](double end) { return std::fabs(RoundToType(type, end)) < normal_min; };
  if ((interval.low > 0 && interval.low < normal_min) || flushes(interval.low)) interval.low = 0;
  if ((interval.high < 0 && interval.high > -normal_min) || flushes(interval.high)) {
    interval.high = 0;
  }
  return interval;
}

Bounded Within(DType type, double value, const Interval& interval) {
  if (!interval.known()) return UndecidedFloat(value);
  // A number beyond the largest value stands for infinity.
  const double beyond = 2 * FormatOf(type).max;
  const double low = std::clamp(interval.low, -beyond, beyond);
  const double high = std::clamp(interval.high, -beyond, beyond);
  // The middle must not be a value of the type, because Store() would take the result as known.
  double middle = low / 2 + high / 2;
  if (RoundToType(type, middle) == middle) middle = std::nextafter(middle, HUGE_VAL);
  const double error =
      std::max(high - middle, middle - low) * (1 + 0x1p-51) + std::numeric_limits<double>::min();
  return {Scalar::OfFloat(value), middle, error, Certainty::kBounded};
}

Bounded Shown(DType type, double value, const Declarations& declarations) {
  const FloatFormat& format = FormatOf(type);
  // Without infinities, a NaN may be a number that overflowed when it was shown.
  if (std::isnan(value)) {
    return format.has_infinity ? Bounded{Scalar::OfFloat(value)} : UndecidedFloat(value);
  }
  if (declarations.rounds_results) return BoundDomain::Calculated(format, value);
  Interval interval = {value, value};
  if (MayFlush(type) && std::fabs(value) < format.normal_min) {
    interval.low = value > 0 ? 0 : value < 0 ? value : -format.normal_min;
    interval.high = value < 0 ? 0 : value > 0 ? value : format.normal_min;
  }
  return Within(type, value, interval);
}

std::optional<Integers> IntegersOf(const Bounded& x) {
  if (x.certainty == Certainty::kExact) return Integers{x.value.integer(), x.value.integer()};
  if (x.certainty != Certainty::kBounded) return std::nullopt;
  return Integers{std::llround(x.reference - x.error), std::llround(x.reference + x.error)};
}

Bounded Within(Scalar value, const Integers& integers) {
  const auto& [low, high] = integers;
  if (low == high) return {value};
  constexpr int64_t kMost = int64_t{1} << 52;
  if (low < -kMost || high > kMost) return {value, 0, 0, Certainty::kUndecided};
  return {value, static_cast<double>(low + high) / 2, static_cast<double>(high - low) / 2,
          Certainty::kBounded};
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "bound_domain.h"

namespace assay {

// A set of real numbers: all from `low` to `high`, either of which may be infinite. If an end is a
// NaN, nothing bounds the element, or it may be a NaN.
struct Interval {
  double low, high;

  bool known() const { return low <= high; }
  bool finite() const { return std::isfinite(low) && std::isfinite(high); }
  double magnitude() const { return std::max(std::fabs(low), std::fabs(high)); }
  // Returns the interval with everything that is at most `distance` away. The ends are rounded
  // outwards.
  Interval Widened(double distance) const {
    constexpr double kRounding = 0x1p-51;
    distance += (magnitude() + distance) * kRounding;
    return {low - distance, high + distance};
  }
};

inline constexpr Interval kAnything = {std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::quiet_NaN()};

// Returns all products of finite numbers of two intervals, before any rounding.
inline Interval ProductOf(const Interval& x, const Interval& y) {
  const auto [low, high] =
      std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  return Interval{low, high}.Widened(0);
}

// These do the same as the two functions below, for every element.
Interval AcceptedAnywhere(DType type, const Bounded& x, const Declarations& declarations);
Interval PassedOnAnywhere(DType type, const Bounded& x, const Declarations& declarations);

// Returns an interval that contains every value of the type that is accepted for the element.
inline Interval Accepted(DType type, const Bounded& x, const Declarations& declarations) {
  const FloatFormat& format = FormatOf(type);
  // Away from the ends of the range, nothing overflows or is flushed.
  const auto is_normal = [&](double end) {
    return std::fabs(end) < format.max / 2 && (std::fabs(end) >= format.normal_min || end == 0);
  };
  const double value = x.value.real();
  if (x.certainty == Certainty::kExact && is_normal(value)) return {value, value};
  const Interval interval = {x.reference - x.error, x.reference + x.error};
  if (x.certainty == Certainty::kBounded && is_normal(interval.low) && is_normal(interval.high)) {
    return interval;
  }
  return AcceptedAnywhere(type, x, declarations);
}

// Returns an interval that contains every real number that a backend may pass on as the element.
// These are the numbers that round to an accepted value (reading `operator-sequence`). If the
// backend rounds its results, they are the accepted values.
inline Interval PassedOn(DType type, const Bounded& x, const Declarations& declarations) {
  if (x.certainty == Certainty::kExact) return Accepted(type, x, declarations);
  const FloatFormat& format = FormatOf(type);
  const double magnitude = std::fabs(x.reference) + x.error;
  if (x.certainty == Certainty::kBounded && magnitude < format.max / 2) {
    // A set much wider than the unit in the last place needs no look at the values at its ends. A
    // unit of at least normal_min also covers a flush.
    constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
    const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) & kExponent);
    const double unit = power / static_cast<double>(uint64_t{1} << format.fraction_bits);
    if (x.error > 16 * unit && unit >= format.normal_min) {
      return {x.reference - x.error - unit, x.reference + x.error + unit};
    }
  }
  return PassedOnAnywhere(type, x, declarations);
}

// Returns an interval that contains every real number that arithmetic may read as the element.
// These are the numbers of PassedOn(). If the backend flushes subnormal numbers, arithmetic reads
// zeros for them. Selections and copies may not, so this is not for them.
Interval ReadByArithmetic(DType type, const Bounded& x, const Declarations& declarations);

// Returns the unrounded result of type `type` that is `value` in the value domain and may be any
// number of the interval. It is undecided if the interval is not known.
Bounded Within(DType type, double value, const Interval& interval);

// Returns an element that a backend has shown as `value`, which is a value of the type. The backend
// may have passed on any number that rounds to it, or if it rounds its results, `value` itself. If
// `value` is a zero or a subnormal number of a type that may be flushed, either what was shown or
// what is read may have been flushed.
Bounded Shown(DType type, double value, const Declarations& declarations);

// A set of integers: all from `low` to `high`.
struct Integers {
  int64_t low, high;
};

// Returns the integers that are accepted for the element; nothing if it is undecided.
std::optional<Integers> IntegersOf(const Bounded& x);

// Returns the result that is `value` in the value domain and may be any of the integers. Doubles
// hold the ends, so the result is undecided if an end is beyond 2^52.
Bounded Within(Scalar value, const Integers& integers);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "float_classes.h"

#include <cmath>

#include "float_format.h"

namespace assay {
namespace {

constexpr int kClasses = 7;

// Returns all results for the pairs of one class of `a` and one of `b`.
template <class F>
FloatClasses ForPairs(FloatClasses a, FloatClasses b, F result) {
  FloatClasses all = 0;
  for (int i = 0; i < kClasses; ++i) {
    for (int j = 0; j < kClasses; ++j) {
      const auto x = static_cast<FloatClasses>(1 << i), y = static_cast<FloatClasses>(1 << j);
      if ((a & x) != 0 && (b & y) != 0) all |= result(x, y);
    }
  }
  return all;
}

bool IsNegative(FloatClasses x) {
  return (x & (kClassMinusInfinity | kClassNegative | kClassMinusZero)) != 0;
}
bool IsZero(FloatClasses x) { return (x & kClassesOfZero) != 0; }
bool IsInfinite(FloatClasses x) { return (x & kClassesOfInfinity) != 0; }

// Returns the classes of a sum of two single classes. A sum of finite numbers may overflow, but not
// underflow: an inexact sum has the magnitude of a normal number.
FloatClasses SumOf(FloatClasses x, FloatClasses y) {
  if (x == kClassNan || y == kClassNan) return kClassNan;
  if (IsInfinite(x)) return IsInfinite(y) && x != y ? kClassNan : x;
  if (IsInfinite(y)) return y;
  if (IsZero(x)) return IsZero(y) && x != y ? kClassPlusZero : y;
  if (IsZero(y)) return x;
  if (x != y) return kClassNegative | kClassPositive | kClassPlusZero;
  return x | (x == kClassNegative ? kClassMinusInfinity : kClassPlusInfinity);
}

FloatClasses ProductOf(FloatClasses x, FloatClasses y) {
  if (x == kClassNan || y == kClassNan) return kClassNan;
  if ((IsInfinite(x) && IsZero(y)) || (IsZero(x) && IsInfinite(y))) return kClassNan;
  FloatClasses magnitude = kClassPlusZero | kClassPositive | kClassPlusInfinity;
  if (IsInfinite(x) || IsInfinite(y)) magnitude = kClassPlusInfinity;
  if (IsZero(x) || IsZero(y)) magnitude = kClassPlusZero;
  return IsNegative(x) != IsNegative(y) ? NegatedClasses(magnitude) : magnitude;
}

// Returns the classes that are less than everything in x, without NaN.
FloatClasses Below(FloatClasses x) {
  if ((x & kClassMinusInfinity) != 0) return 0;
  if ((x & kClassNegative) != 0) return kClassMinusInfinity;
  if (IsZero(x)) return kClassMinusInfinity | kClassNegative;
  if ((x & kClassPositive) != 0) return kClassMinusInfinity | kClassNegative | kClassesOfZero;
  return x == kClassNan ? 0 : kAllClasses & ~(kClassPlusInfinity | kClassNan);
}

}  // namespace

FloatClasses ClassOf(double x) {
  if (std::isnan(x)) return kClassNan;
  const FloatClasses magnitude = x == 0          ? kClassPlusZero
                                 : std::isinf(x) ? kClassPlusInfinity
                                                 : kClassPositive;
  return std::signbit(x) ? NegatedClasses(magnitude) : magnitude;
}

FloatClasses ClassesOfType(DType type) {
  return FormatOf(type).has_infinity ? kAllClasses : kAllClasses & ~kClassesOfInfinity;
}

FloatClasses NegatedClasses(FloatClasses x) {
  FloatClasses negated = x & kClassNan;
  for (int i = 1; i < kClasses; ++i) {
    if ((x >> i & 1) != 0) negated = static_cast<FloatClasses>(negated | 1 << (kClasses - i));
  }
  return negated;
}

FloatClasses AbsoluteClasses(FloatClasses x) {
  return (x | NegatedClasses(x)) &
         (kClassNan | kClassPlusZero | kClassPositive | kClassPlusInfinity);
}

FloatClasses SumClasses(FloatClasses a, FloatClasses b) { return ForPairs(a, b, SumOf); }
FloatClasses ProductClasses(FloatClasses a, FloatClasses b) { return ForPairs(a, b, ProductOf); }

FloatClasses FloorClasses(FloatClasses x) {
  return (x & kClassPositive) != 0 ? x | kClassPlusZero : x;
}

FloatClasses RoundedClasses(DType type, FloatClasses x) {
  FloatClasses all = x;
  if ((x & kClassPositive) != 0) all |= kClassPlusZero | kClassPlusInfinity;
  if ((x & kClassNegative) != 0) all |= kClassMinusZero | kClassMinusInfinity;
  if (FormatOf(type).has_infinity || !IsInfinite(all)) return all;
  return (all & ~kClassesOfInfinity) | kClassNan;
}

FloatClasses MaximumClasses(NanMode mode, FloatClasses a, FloatClasses b) {
  const bool ignores = mode == NanMode::kIgnore;
  FloatClasses none = kClassNan;
  // A class that is less than everything in one operand cannot be the result. The exception is an
  // operand that may be a NaN, if NaNs are ignored.
  if (!ignores || (a & kClassNan) == 0) none |= Below(a & ~kClassNan);
  if (!ignores || (b & kClassNan) == 0) none |= Below(b & ~kClassNan);
  const auto all = static_cast<FloatClasses>((a | b) & ~none);
  return all | (ignores ? a & b & kClassNan : (a | b) & kClassNan);
}

FloatClasses MinimumClasses(NanMode mode, FloatClasses a, FloatClasses b) {
  return NegatedClasses(MaximumClasses(mode, NegatedClasses(a), NegatedClasses(b)));
}

}  // namespace assay

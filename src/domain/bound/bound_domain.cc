// SPDX-License-Identifier: Apache-2.0
#include "bound_domain.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "double_double.h"
#include "ruling.h"

namespace assay {
namespace {

// Does the same as AdmitsOnly() for values near the ends of the range of the type.
bool AdmitsOnlyAtTheEnds(DType type, double value, double reference, double error) {
  const FloatFormat& format = FormatOf(type);
  if (error == 0 && value == reference && std::fabs(value) < format.max &&
      !IsSubnormal(type, value)) {
    return true;
  }
  // The least subnormal is the nearest to zero of all other values.
  if (value == 0 && reference == 0) {
    return error < PowerOfTwo(-format.fraction_bits) * format.normal_min;
  }
  const auto admits = [&](double x) { return WithinBound(type, x, reference, error); };
  if (!admits(value)) return false;
  // Beyond the largest value of a type without infinity lies NaN.
  if (std::isnan(value)) return !admits(std::copysign(format.max, reference));
  if (!format.has_infinity && admits(NAN)) return false;
  if (value != 0 && !IsSubnormal(type, value) && admits(0)) return false;
  const bool only_flushed_to_zero = std::fabs(reference) > error;
  for (const double neighbour : {NextUp(type, value), NextDown(type, value)}) {
    if (neighbour == value || std::isnan(neighbour)) continue;
    if (neighbour == 0 && only_flushed_to_zero && MayFlush(type)) continue;
    if (admits(neighbour)) return false;
  }
  return true;
}

// Returns true if `value` is the only value of the type that the bound admits. (The zero to which a
// subnormal may be flushed does not count.)
inline bool AdmitsOnly(DType type, double value, double reference, double error) {
  const FloatFormat& format = FormatOf(type);
  const double magnitude = std::fabs(value);
  if (!(magnitude > 2 * format.normal_min && magnitude < format.max / 2)) {
    return AdmitsOnlyAtTheEnds(type, value, reference, error);
  }
  // Away from the ends of the range, the neighbors are a unit in the last place away, and half a
  // unit below a power of two. Nothing else is admitted.
  constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
  const uint64_t power = std::bit_cast<uint64_t>(value) & kExponent;
  const double ulp =
      std::bit_cast<double>(power - (static_cast<uint64_t>(format.fraction_bits) << 52));
  if (error >= ulp) return false;
  const double below = magnitude == std::bit_cast<double>(power) ? ulp / 2 : ulp;
  const auto lies_within = [low = reference - error, high = reference + error](double x) {
    return x >= low && x <= high;
  };
  return lies_within(value) && !lies_within(value + std::copysign(ulp, value)) &&
         !lies_within(value - std::copysign(below, value));
}

Bounded Decided(bool answer) { return {Scalar::OfInteger(answer ? 1 : 0)}; }
Bounded UndecidedInteger(Scalar value) { return {value, 0, 0, Certainty::kUndecided}; }

// Compares floats. `holds` decides on the values.
template <class Holds>
Bounded Compared(const Declarations& declarations, DType type, const Bounded& a, const Bounded& b,
                 Holds holds) {
  const bool answer = holds(ReadValue(type, a, declarations), ReadValue(type, b, declarations));
  if (IsNanForSure(a) || IsNanForSure(b)) return Decided(answer);
  if (Determined(a) && Determined(b)) {
    const bool decided =
        !ChoosesToFlush(declarations) || answer == holds(Flushed(type, a), Flushed(type, b));
    return decided ? Decided(answer) : UndecidedInteger(Scalar::OfInteger(answer));
  }
  const Interval x = ReadByArithmetic(type, a, declarations);
  const Interval y = ReadByArithmetic(type, b, declarations);
  // If the intervals meet in one number at most, their ends decide.
  const bool decided = x.known() && y.known() && (x.low >= y.high || x.high <= y.low) &&
                       holds(x.low, y.high) == answer && holds(x.high, y.low) == answer;
  return decided ? Decided(answer) : UndecidedInteger(Scalar::OfInteger(answer));
}

// Compares integers. `holds` decides on the values. The result is known if it is the same at the
// ends, for a comparison that is monotone in each operand.
template <class Holds>
Bounded ComparedIntegers(const Bounded& a, const Bounded& b, Holds holds) {
  const bool answer = holds(a.value.integer(), b.value.integer());
  const auto x = IntegersOf(a);
  const auto y = IntegersOf(b);
  if (x && y && holds(x->low, y->high) == answer && holds(x->high, y->low) == answer) {
    return Decided(answer);
  }
  return UndecidedInteger(Scalar::OfInteger(answer));
}

// Returns a distance from the reference of a bounded float within which all numbers lie that may be
// passed on. It is NaN if that needs a closer look.
inline double ReachOf(const FloatFormat& format, const Bounded& x) {
  const double magnitude = std::fabs(x.reference) + x.error;
  if (!(magnitude < format.max / 2)) return NAN;
  // A unit of the type for what is kept in higher precision, and what a flush may change.
  return x.error + magnitude * PowerOfTwo(-format.fraction_bits) + 2 * format.normal_min;
}

// Returns true if `accepted` has numbers between a zero to which a backend may flush the element
// and all other values of the element. Another operand may have such a number, because a backend
// may flush a result of arithmetic and keep a given number beside it.
bool HasGap(const Bounded& x, const Interval& accepted) {
  return (accepted.low == 0 && x.reference > x.error) ||
         (accepted.high == 0 && -x.reference > x.error);
}

// Returns the maximum or minimum of two operands that are not NaN. `pick` selects among numbers.
template <class Pick>
Bounded Selected(const Declarations& declarations, DType type, Scalar value, const Bounded& a,
                 const Bounded& b, Pick pick) {
  const Interval x = PassedOn(type, a, declarations);
  const Interval y = PassedOn(type, b, declarations);
  if (!x.known() || !y.known()) return UndecidedFloat(value.real());
  const auto wins = [&pick](const Interval& one, const Interval& other) {
    return pick(one.low, other.high) == one.low && pick(one.high, other.low) == one.high;
  };
  if (wins(x, y) || wins(y, x)) {
    Bounded result = wins(x, y) ? a : b;
    result.value = value;
    return result;
  }
  // Selection and rounding commute, so the accepted values are selected from those of a and b.
  const Interval of_a = Accepted(type, a, declarations);
  const Interval of_b = Accepted(type, b, declarations);
  const Interval both = {pick(of_a.low, of_b.low), pick(of_a.high, of_b.high)};
  for (const auto& [side, element] : {std::pair(of_a, &a), std::pair(of_b, &b)}) {
    if (both.low != side.low || both.high != side.high || both.low == both.high) continue;
    if (HasGap(*element, side)) continue;
    Bounded result = *element;
    result.value = value;
    return result;
  }
  return Within(type, value.real(), both);
}

// Returns the maximum or minimum if at least one operand is a NaN.
Bounded SelectedOfNan(Scalar value, const Bounded& a, const Bounded& b) {
  const bool a_nan = std::isnan(a.value.real());
  const bool b_nan = std::isnan(b.value.real());
  // A number that overflows to NaN may be passed on unrounded.
  if ((a_nan && !IsKnown(a)) || (b_nan && !IsKnown(b))) return UndecidedFloat(value.real());
  return std::isnan(value.real()) ? (a_nan ? a : b) : (a_nan ? b : a);
}

}  // namespace

Ruling Either(DType type, const Ruling& as_is, const Ruling& flushed) {
  const double reference = as_is.reference;
  const double error = as_is.error;
  const auto admits = [&](double x) { return WithinBound(type, x, reference, error); };
  if (std::isnan(reference) && std::isnan(flushed.reference)) return as_is;
  if (reference == flushed.reference) return {reference, std::max(error, flushed.error)};
  if (std::isnan(reference) || std::isnan(flushed.reference)) return {reference, NAN};
  if (std::isinf(flushed.reference)) {
    const double largest = std::copysign(FormatOf(type).max, flushed.reference);
    const bool overflows = admits(flushed.reference) && !admits(largest);
    return overflows ? as_is : Ruling{reference, NAN};
  }
  if (std::isinf(reference)) return {reference, NAN};
  if (flushed.reference == 0 && flushed.error == 0 && admits(0)) return as_is;
  return {reference, std::max(error, std::fabs(reference - flushed.reference) + flushed.error)};
}

Bounded BoundDomain::StoreUncertain(DType type, double rounded, const Bounded& x) {
  if (x.certainty == Certainty::kUndecided) return UndecidedFloat(rounded);
  if (rounded == x.reference && AdmitsOnly(type, rounded, x.reference, x.error)) {
    return Settled(type, rounded);
  }
  return {Scalar::OfFloat(rounded), x.reference, x.error, Certainty::kBounded, x.unit};
}

Bounded BoundDomain::Final(DType type, const Bounded& x) {
  if (!IsFloat(type) || x.certainty != Certainty::kBounded) return x;
  const double value = x.value.real();
  if (value == x.reference) return x;  // Store() has tested this
  return AdmitsOnly(type, value, x.reference, x.error) ? Settled(type, value) : x;
}

void BoundDomain::Merge() {
  judgement_.Merge(value_.judgement());
  order_dependent_ |= value_.order_dependent();
}

bool BoundDomain::LiesBetween(const Bounded& x, int64_t low, int64_t high) {
  const auto integers = IntegersOf(x);
  return integers && integers->low >= low && integers->high <= high;
}

Bounded BoundDomain::MonotoneOfSets(Scalar value, Word word, const Bounded& a,
                                    const Bounded& b) const {
  const auto x = IntegersOf(a);
  const auto y = IntegersOf(b);
  if (!x || !y) return UndecidedInteger(value);
  const auto apply = [&](int64_t p, int64_t q) -> double {
    const auto left = static_cast<double>(p);
    const auto right = static_cast<double>(q);
    switch (word) {
      case Word::kAdd:
        return left + right;
      case Word::kSub:
        return left - right;
      case Word::kMul:
        return left * right;
      case Word::kShiftRight:
        return static_cast<double>(p >> (q & 63));
    }
    return 0;
  };
  const auto [low, high] = std::minmax({apply(x->low, y->low), apply(x->low, y->high),
                                        apply(x->high, y->low), apply(x->high, y->high)});
  // Larger numbers are not exact in fp64, and may not be in 64 bits.
  constexpr double kMost = 0x1p52;
  if (low < -kMost || high > kMost) return UndecidedInteger(value);
  return Within(value, Integers{static_cast<int64_t>(low), static_cast<int64_t>(high)});
}

Bounded BoundDomain::Clip(const Bounded& x, int64_t low, int64_t high) const {
  const Scalar value = value_.Clip(x.value, low, high);
  const auto integers = IntegersOf(x);
  if (!integers) return UndecidedInteger(value);
  return Within(
      value, Integers{std::clamp(integers->low, low, high), std::clamp(integers->high, low, high)});
}

Bounded BoundDomain::EitherOf(DType type, const Bounded& taken, const Bounded& other) const {
  const auto same_set = [](const Bounded& a, const Bounded& b) {
    return a.certainty == b.certainty && a.reference == b.reference && a.error == b.error;
  };
  if (!IsFloat(type)) {
    const auto x = IntegersOf(taken);
    const auto y = IntegersOf(other);
    if (!x || !y) return UndecidedInteger(taken.value);
    return Within(taken.value, Integers{std::min(x->low, y->low), std::max(x->high, y->high)});
  }
  if (taken.value.real() == other.value.real() && same_set(taken, other)) return taken;
  const Interval x = Accepted(type, taken, declarations_);
  const Interval y = Accepted(type, other, declarations_);
  if (!x.known() || !y.known()) return UndecidedFloat(taken.value.real());
  return Within(type, taken.value.real(), {std::min(x.low, y.low), std::max(x.high, y.high)});
}

Bounded BoundDomain::Lookup(DType type, std::span<const Bounded> table,
                            const Bounded& index) const {
  const auto i = static_cast<uint64_t>(index.value.integer());
  Bounded found = i < table.size() ? table[i] : Bounded{};
  if (index.certainty == Certainty::kExact) return found;
  const auto indices = IntegersOf(index).value_or(Integers{0, std::ssize(table) - 1});
  const auto first = static_cast<size_t>(std::max<int64_t>(indices.low, 0));
  for (size_t k = first; k < table.size() && std::cmp_less_equal(k, indices.high); ++k) {
    found = EitherOf(type, found, table[k]);
  }
  return found;
}

void BoundDomain::Update(DType type, std::span<Bounded> table, const Bounded& index,
                         const Bounded& x) const {
  const auto i = static_cast<uint64_t>(index.value.integer());
  const bool is_exact = index.certainty == Certainty::kExact;
  const auto indices = IntegersOf(index).value_or(Integers{0, std::ssize(table) - 1});
  for (size_t k = 0; k < table.size(); ++k) {
    if (k == i) {
      table[k] = is_exact ? x : EitherOf(type, x, table[k]);
    } else if (!is_exact && std::cmp_greater_equal(k, indices.low) &&
               std::cmp_less_equal(k, indices.high)) {
      table[k] = EitherOf(type, table[k], x);
    }
  }
}

Bounded BoundDomain::Add(DType type, const Bounded& a, const Bounded& b, const char* rule) {
  if (!IsFloat(type)) return RequireRange(*this, type, AddInteger(a, b), rule);
  return Sum(type, a, b, 1);
}

Bounded BoundDomain::Sub(DType type, const Bounded& a, const Bounded& b, const char* rule) {
  if (!IsFloat(type)) return RequireRange(*this, type, SubInteger(a, b), rule);
  return Sum(type, a, b, -1);
}

double BoundDomain::RoundingError(DType type, double reference, bool is_exact) const {
  const bool stays =
      declarations_.plain_sums && is_exact && RoundToType(type, reference) == reference;
  return stays ? 0 : UlpError(type, reference, 0.5);
}

Bounded BoundDomain::Sum(DType type, const Bounded& a, const Bounded& b, double sign) const {
  const auto ruling = [&](double x, double y) -> Ruling {
    const double sum = x + sign * y;
    // fp64 has lost this part of the sum (Knuth's two-sum).
    const double of_y = sum - x;
    const double lost = (x - (sum - of_y)) + (sign * y - of_y);
    return {sum, RoundingError(type, sum, lost == 0)};
  };
  const auto set = [&](const Interval& x, const Interval& y) {
    const Interval sum = {x.low + (sign > 0 ? y.low : -y.high),
                          x.high + (sign > 0 ? y.high : -y.low)};
    return sum.Widened(UlpError(type, sum.magnitude(), 0.5));
  };
  return ByRule(declarations_, type, type, ruling, set, a, b);
}

Bounded BoundDomain::IsNan(DType type, const Bounded& x) const {
  const Scalar value = value_.IsNan(type, x.value);
  if (Accepted(type, x, declarations_).known() || x.certainty == Certainty::kExact) return {value};
  return UndecidedInteger(value);
}

Bounded BoundDomain::Equal(DType type, const Bounded& a, const Bounded& b) const {
  if (IsFloat(type)) return Compared(declarations_, type, a, b, std::equal_to<double>());
  const Scalar value = value_.Equal(type, a.value, b.value);
  const auto x = IntegersOf(a);
  const auto y = IntegersOf(b);
  if (x && y && (x->low > y->high || x->high < y->low)) return {value};
  return Exact(value, a, b);
}

Bounded BoundDomain::Greater(DType type, const Bounded& a, const Bounded& b) const {
  if (!IsFloat(type)) return ComparedIntegers(a, b, std::greater<int64_t>());
  return Compared(declarations_, type, a, b, std::greater<double>());
}

Bounded BoundDomain::GreaterEqual(DType type, const Bounded& a, const Bounded& b) const {
  if (!IsFloat(type)) return ComparedIntegers(a, b, std::greater_equal<int64_t>());
  return Compared(declarations_, type, a, b, std::greater_equal<double>());
}

// `pick` is std::max or std::min on numbers of either class.
template <class Pick>
Bounded BoundDomain::Extreme(DType type, Scalar value, const Bounded& a, const Bounded& b,
                             Pick pick) const {
  if (!IsFloat(type)) {
    const auto x = IntegersOf(a);
    const auto y = IntegersOf(b);
    if (!x || !y) return UndecidedInteger(value);
    return Within(value, Integers{pick(x->low, y->low), pick(x->high, y->high)});
  }
  if (a.certainty == Certainty::kUndecided || b.certainty == Certainty::kUndecided) {
    return UndecidedFloat(value.real());
  }
  if (std::isnan(a.value.real()) || std::isnan(b.value.real())) return SelectedOfNan(value, a, b);
  return Selected(declarations_, type, value, a, b, pick);
}

Bounded BoundDomain::Max(DType type, NanMode mode, const Bounded& a, const Bounded& b) const {
  return Extreme(type, value_.Max(type, mode, a.value, b.value), a, b,
                 [](auto x, auto y) { return std::max(x, y); });
}

Bounded BoundDomain::Min(DType type, NanMode mode, const Bounded& a, const Bounded& b) const {
  return Extreme(type, value_.Min(type, mode, a.value, b.value), a, b,
                 [](auto x, auto y) { return std::min(x, y); });
}

// Most elements of a network need no look at the values at the ends of their sets: they are clearly
// inside or outside, or a bound lies in the middle of their set.
void BoundDomain::Clamp(DType type, NanMode mode, std::span<const Bounded> x, const Bounded& lower,
                        const Bounded& upper, std::span<Bounded> results) const {
  const FloatFormat& format = FormatOf(type);
  const double low = lower.value.real();
  const double high = upper.value.real();
  const bool is_simple = !IsSubnormal(type, low) && !IsSubnormal(type, high);
  const Bounded stored_lower = Store(type, lower);
  const Bounded stored_upper = Store(type, upper);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool is_bounded = is_simple && x[i].certainty == Certainty::kBounded;
    const double reach = is_bounded ? ReachOf(format, x[i]) : NAN;
    const double least = x[i].reference - reach;
    const double most = x[i].reference + reach;
    const double first = x[i].reference - x[i].error;
    const double last = x[i].reference + x[i].error;
    const auto is_within = [&](double bound) { return first < bound && bound < last; };
    if (least > low && most < high) {
      results[i] = x[i];
    } else if (most < low) {
      results[i] = stored_lower;
    } else if (least > high) {
      results[i] = stored_upper;
    } else if (!std::isnan(reach) && (is_within(low) || is_within(high))) {
      // Clamping and rounding commute, so the accepted values are those of x, clamped.
      const Scalar value =
          value_.Min(type, mode, value_.Max(type, mode, x[i].value, lower.value), upper.value);
      const Interval set = Accepted(type, x[i], declarations_);
      results[i] =
          Store(type, Within(type, value.real(),
                             {std::clamp(set.low, low, high), std::clamp(set.high, low, high)}));
    } else {
      results[i] = Store(type, Min(type, mode, Max(type, mode, x[i], lower), upper));
    }
  }
}

Bounded BoundDomain::ArgMax(DType type, NanMode mode, std::span<const Bounded> elements) {
  a_values_.clear();
  bool exact = true;
  bool determined = true;
  bool special = false;  // a zero or a subnormal, which backends may read differently
  for (const Bounded& x : elements) {
    a_values_.push_back(x.value);
    exact &= x.certainty == Certainty::kExact;
    determined &= Determined(x);
    special |= IsFloat(type) && std::fabs(x.value.real()) < FormatOf(type).normal_min;
  }
  if (!IsFloat(type)) {
    const Scalar index = value_.ArgMax(type, mode, a_values_);
    return exact ? Bounded{index} : UndecidedInteger(index);
  }
  const auto index_of = [&](auto value_of) {
    std::ranges::transform(elements, a_values_.begin(),
                           [&](const Bounded& x) { return Scalar::OfFloat(value_of(x)); });
    return value_.ArgMax(type, mode, a_values_);
  };
  const auto read = [&](const Bounded& x) { return ReadValue(type, x, declarations_); };
  const Scalar index = index_of(read);
  if (determined) {
    if (!special) return {index};
    // Other indices are for a backend that flushes subnormals, or that orders -0 below +0.
    const auto other = [&](const Bounded& x) {
      return ChoosesToFlush(declarations_) ? Flushed(type, x) : read(x);
    };
    const auto signed_zero = [&](const Bounded& x) {
      const double value = other(x);
      return value == 0 && std::signbit(value) ? -std::numeric_limits<double>::denorm_min() : value;
    };
    const bool agree = index_of(other).integer() == index.integer() &&
                       index_of(signed_zero).integer() == index.integer();
    return agree ? Bounded{index} : UndecidedInteger(index);
  }
  // An index is possible if its element may be as large as the element that is largest at least.
  std::vector<Interval> intervals;
  intervals.reserve(elements.size());
  double floor = -std::numeric_limits<double>::infinity();
  for (const Bounded& x : elements) {
    intervals.push_back(ReadByArithmetic(type, x, declarations_));
    if (!intervals.back().known()) return UndecidedInteger(index);
    floor = std::max(floor, intervals.back().low);
  }
  const auto may_win = [floor](const Interval& x) { return x.high >= floor; };
  const auto first = std::ranges::find_if(intervals, may_win);
  const auto last = std::find_if(intervals.rbegin(), intervals.rend(), may_win).base() - 1;
  return Within(index, Integers{first - intervals.begin(), last - intervals.begin()});
}

Bounded BoundDomain::Mul(DType type, const Bounded& a, const Bounded& b) const {
  const auto ruling = [&](double x, double y) -> Ruling {
    return {x * y, RoundingError(type, x * y, true)};  // fp64 holds every product
  };
  const auto set = [&](const Interval& x, const Interval& y) {
    const Interval product = ProductOf(x, y);
    return product.Widened(UlpError(type, product.magnitude(), 0.5));
  };
  return ByRule(declarations_, type, type, ruling, set, a, b);
}

Bounded BoundDomain::Abs(DType, const Bounded& a) const {
  Bounded result = a;
  result.value = Scalar::OfFloat(std::fabs(a.value.real()));
  result.reference = std::fabs(a.reference);
  return result;
}

Bounded BoundDomain::Negate(DType, const Bounded& a) const {
  Bounded result = a;
  result.value = Scalar::OfFloat(-a.value.real());
  result.reference = -a.reference;
  return result;
}

Bounded BoundDomain::FloatToInteger(DType from, DType to, const Bounded& a, const char* nan_rule) {
  uncertain_requirement_ |= a.certainty == Certainty::kUndecided;
  const Scalar value = value_.FloatToInteger(from, to, a.value, nan_rule);
  Merge();
  const Interval interval = PassedOn(from, a, declarations_);
  if (!interval.known()) return UndecidedInteger(value);
  const auto converted = [&](double x) {
    return value_.FloatToInteger(from, to, Scalar::OfFloat(x), nan_rule).integer();
  };
  return Within(value, Integers{converted(interval.low), converted(interval.high)});
}

Bounded BoundDomain::IntegerToFloat(DType from, DType to, const Bounded& a) const {
  const double reference = value_.IntegerToFloat(from, to, a.value).real();
  if (a.certainty == Certainty::kExact) {
    return FromRuling({reference, UlpError(to, reference, 0.5)});
  }
  const auto integers = IntegersOf(a);
  if (!integers) return UndecidedFloat(reference);
  const Interval all = {static_cast<double>(integers->low), static_cast<double>(integers->high)};
  return Within(to, reference, all.Widened(UlpError(to, all.magnitude(), 0.5)));
}

Bounded BoundDomain::FloatToFloat(DType from, DType to, const Bounded& a) const {
  // Round to nearest and round to zero are allowed. Both use the fraction bits of `to` before the
  // range is checked. For a half, both neighbors are nearest (reading `cast-rounding`). A rounded
  // result is not determined, so the reference is not a value of `to`, and the error is not 0.
  const auto convert = [to](double x) -> Ruling {
    const FloatFormat& format = FormatOf(to);
    // A type without infinity has a NaN for it, but the infinity may be passed on.
    if (std::isinf(x) && !format.has_infinity) x = std::copysign(4 * format.max, x);
    if (!std::isfinite(x)) return {RoundToType(to, x), 0};
    if (RoundToType(to, x) == x) return {x, 0};
    // Returns the unit in the last place of a magnitude of at least normal_min.
    const auto quantum = [&format](double magnitude) {
      constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
      const uint64_t power = std::bit_cast<uint64_t>(magnitude) & kExponent;
      return std::bit_cast<double>(power - (static_cast<uint64_t>(format.fraction_bits) << 52));
    };
    const double top = quantum(format.max);
    if (std::fabs(x) >= format.max + top) return {x, top / 2};
    const double toward_zero = x > 0 ? NextDown(to, x) : NextUp(to, x);
    const double rest = std::fabs(x - toward_zero);
    const double half = quantum(std::max(std::fabs(x), format.normal_min)) / 2;
    // A reference beyond the largest value would admit infinity.
    if (rest < half && std::fabs(x) > format.max) {
      return {std::copysign(format.max - half / 2, x), half / 2};
    }
    return {x, rest};
  };
  const auto set = [to](const Interval& x) { return x.Widened(UlpError(to, x.magnitude(), 1)); };
  return ByRule(declarations_, from, to, convert, set, a);
}

Bounded BoundDomain::InexactRound(const Bounded& result, const Bounded& value,
                                  const Bounded& multiplier, const Bounded& shift,
                                  const Bounded& output_zp, int64_t low, int64_t high) const {
  if (value.certainty != Certainty::kExact) return UndecidedInteger(result.value);
  const double scale = std::ldexp(1.0, -static_cast<int>(shift.value.integer()));
  const double reference = static_cast<double>(value.value.integer()) *
                           static_cast<double>(multiplier.value.integer()) * scale;
  const auto zero_point = static_cast<double>(output_zp.value.integer());
  const double error =
      0.5 + (3 * std::fabs(reference) + std::fabs(reference + zero_point)) * std::ldexp(1.0, -24);
  const auto clip = [&](double x) {
    return std::clamp(x, static_cast<double>(low), static_cast<double>(high));
  };
  const double first = clip(std::ceil(reference - error + zero_point));
  const double last = clip(std::floor(reference + error + zero_point));
  if (first == last) return result;
  // An unsigned result is stored in the signed type of its width, with the upper half as negative
  // numbers. If the answers lie on both sides of the middle, no single interval contains them.
  const double end = static_cast<double>(high) + 1;
  const double middle = low < 0 ? end : end / 2;
  if (first < middle && last >= middle) return {result.value, 0, 0, Certainty::kUndecided};
  const double wrapped = first >= middle ? end : 0;
  return {result.value, (first + last) / 2 - wrapped, (last - first) / 2, Certainty::kBounded};
}

}  // namespace assay

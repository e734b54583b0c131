#include "bound_domain.h"

#include <algorithm>

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

// An interval of real numbers. `reference` is the ideal value of the element.
struct Interval {
  double low, high, reference;
};

// Makes `interval` contain every value of the type that is accepted for the element. Returns false
// if nothing bounds the element, or if it may be a NaN.
bool IntervalOf(DType type, const Bounded& x, Interval& interval) {
  if (x.certainty == Certainty::kUndecided || std::isnan(x.value.real())) return false;
  const double value = x.value.real();
  interval = {value, value, value};
  if (x.certainty == Certainty::kBounded) {
    interval = {x.reference - x.error, x.reference + x.error, x.reference};
  }
  const FloatFormat& format = FormatOf(type);
  const double infinity = std::numeric_limits<double>::infinity();
  if (interval.high > format.max || interval.low < -format.max) {
    if (!format.has_infinity && x.certainty == Certainty::kBounded) return false;
    if (interval.high > format.max) interval.high = infinity;
    if (interval.low < -format.max) interval.low = -infinity;
  }
  if (MayFlush(type)) {
    if (interval.low > 0 && interval.low < format.normal_min) interval.low = 0;
    if (interval.high < 0 && interval.high > -format.normal_min) interval.high = 0;
  }
  return true;
}

// Makes `interval` contain every real number that a backend may pass on as the element. These are
// the numbers that round to an accepted value (reading `operator-sequence`). Returns false as
// IntervalOf() does.
bool KeptInterval(DType type, const Bounded& x, Interval& interval) {
  if (!IntervalOf(type, x, interval)) return false;
  if (Determined(x)) return true;
  const FloatFormat& format = FormatOf(type);
  // The first and the last accepted value, if there are any.
  const double nearest_low = RoundToType(type, interval.low);
  const double nearest_high = RoundToType(type, interval.high);
  const double first = nearest_low < interval.low ? NextUp(type, nearest_low) : nearest_low;
  const double last = nearest_high > interval.high ? NextDown(type, nearest_high) : nearest_high;
  if (first <= last) interval = {first, last, interval.reference};
  const auto half_unit = [&](double end) {
    return std::max(UlpError(type, end, 0.5),
                    0.5 * format.normal_min * PowerOfTwo(-format.fraction_bits));
  };
  interval.low -= half_unit(interval.low);
  interval.high += half_unit(interval.high);
  // Infinity is also accepted for finite numbers beyond the largest value.
  interval.low = std::min(interval.low, format.max);
  interval.high = std::max(interval.high, -format.max);
  const double infinity = std::numeric_limits<double>::infinity();
  if (interval.high > format.max) interval.high = infinity;
  if (interval.low < -format.max) interval.low = -infinity;
  return true;
}

Bounded Decided(bool answer) { return {Scalar::OfInteger(answer ? 1 : 0)}; }
Bounded UndecidedInteger(Scalar value) { return {value, 0, 0, Certainty::kUndecided}; }

// Compares floats. `holds` decides on the values; the result is known if the intervals do not meet.
template <class Holds>
Bounded Compared(DType type, const Bounded& a, const Bounded& b, Holds holds) {
  const bool answer = holds(a.value.real(), b.value.real());
  const auto is_nan = [](const Bounded& x) {
    return std::isnan(x.value.real()) && x.certainty == Certainty::kExact;
  };
  if (is_nan(a) || is_nan(b)) return Decided(answer);
  if (Determined(a) && Determined(b)) {
    if (answer == holds(Flushed(type, a), Flushed(type, b))) return Decided(answer);
    return UndecidedInteger(Scalar::OfInteger(answer));
  }
  Interval x, y;
  if (KeptInterval(type, a, x) && KeptInterval(type, b, y) && (x.low > y.high || x.high < y.low)) {
    return Decided(answer);
  }
  return UndecidedInteger(Scalar::OfInteger(answer));
}

// Returns a ruling that admits low..high. The reference is not a value of a type, so that Store()
// does not treat the result as determined.
Ruling Around(double reference, double low, double high) {
  reference = std::nextafter(reference, HUGE_VAL);
  return {reference, std::nextafter(std::max(high - reference, reference - low), HUGE_VAL)};
}

// Returns the maximum or minimum of two operands that are not NaN. `pick` selects among numbers.
template <class Pick>
Bounded Selected(DType type, Scalar value, const Bounded& a, const Bounded& b, Pick pick) {
  Interval x, y;
  if (!KeptInterval(type, a, x) || !KeptInterval(type, b, y)) return UndecidedFloat(value.real());
  if (pick(x.low, y.low) == pick(x.high, y.high)) return {value};
  // Selection and rounding commute, so the accepted values are selected from those of a and b.
  IntervalOf(type, a, x);
  IntervalOf(type, b, y);
  const Interval both = {pick(x.low, y.low), pick(x.high, y.high), pick(x.reference, y.reference)};
  const auto same = [&](const Interval& side) {
    return both.low == side.low && both.high == side.high && both.reference == side.reference;
  };
  Bounded result = same(x) ? a : b;
  if (both.low == both.high || (!same(x) && !same(y))) {
    result = FromRuling(Around(both.reference, both.low, both.high));
  }
  result.value = value;
  return result;
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

bool BoundDomain::Unique(DType type, const Bounded& x) {
  if (x.certainty == Certainty::kExact || x.certainty == Certainty::kZeroSignOpen) {
    return !IsFloat(type) || !Flushable(type, x);
  }
  return false;
}

void BoundDomain::Merge() {
  judgement_.Merge(value_.judgement());
  order_dependent_ |= value_.order_dependent();
}

Bounded BoundDomain::Select(const Bounded& condition, const Bounded& a, const Bounded& b) const {
  Bounded picked = condition.value.integer() != 0 ? a : b;
  if (condition.certainty != Certainty::kExact) picked.certainty = Certainty::kUndecided;
  return picked;
}

Bounded BoundDomain::EitherOf(DType type, const Bounded& taken, const Bounded& other) const {
  const auto same = [](const Bounded& a, const Bounded& b) {
    return a.value.real() == b.value.real() && a.certainty == b.certainty &&
           a.reference == b.reference && a.error == b.error;
  };
  if (!IsFloat(type) || same(taken, other)) return taken;
  Interval x, y;
  if (!IntervalOf(type, taken, x) || !IntervalOf(type, other, y)) {
    return UndecidedFloat(taken.value.real());
  }
  Bounded either =
      FromRuling(Around(x.reference, std::min(x.low, y.low), std::max(x.high, y.high)));
  either.value = taken.value;
  return either;
}

Bounded BoundDomain::Lookup(std::span<const Bounded> table, const Bounded& index) const {
  const auto i = static_cast<uint64_t>(index.value.integer());
  Bounded found = i < table.size() ? table[i] : Bounded{};
  if (index.certainty != Certainty::kExact) found.certainty = Certainty::kUndecided;
  return found;
}

Bounded BoundDomain::Add(DType type, const Bounded& a, const Bounded& b, const char* rule) {
  if (!IsFloat(type)) return RequireRange(type, AddInteger(a, b), rule);
  return ByRule(
      type, type,
      [&](double x, double y) {
        return Ruling{x + y, UlpError(type, x + y, 0.5)};
      },
      a, b);
}

Bounded BoundDomain::Sub(DType type, const Bounded& a, const Bounded& b, const char* rule) {
  if (!IsFloat(type)) return RequireRange(type, SubInteger(a, b), rule);
  return ByRule(
      type, type,
      [&](double x, double y) {
        return Ruling{x - y, UlpError(type, x - y, 0.5)};
      },
      a, b);
}

Bounded BoundDomain::IsNan(DType type, const Bounded& x) const {
  const Scalar value = value_.IsNan(type, x.value);
  Interval within;
  if (IntervalOf(type, x, within) || x.certainty == Certainty::kExact) return {value};
  return UndecidedInteger(value);
}

Bounded BoundDomain::Equal(DType type, const Bounded& a, const Bounded& b) const {
  if (!IsFloat(type)) return Exact(value_.Equal(type, a.value, b.value), a, b);
  return Compared(type, a, b, [](double x, double y) { return x == y; });
}

Bounded BoundDomain::Greater(DType type, const Bounded& a, const Bounded& b) const {
  if (!IsFloat(type)) return Exact(value_.Greater(type, a.value, b.value), a, b);
  return Compared(type, a, b, [](double x, double y) { return x > y; });
}

Bounded BoundDomain::GreaterEqual(DType type, const Bounded& a, const Bounded& b) const {
  if (!IsFloat(type)) return Exact(value_.GreaterEqual(type, a.value, b.value), a, b);
  return Compared(type, a, b, [](double x, double y) { return x >= y; });
}

Bounded BoundDomain::Max(DType type, NanMode mode, const Bounded& a, const Bounded& b) const {
  const Scalar value = value_.Max(type, mode, a.value, b.value);
  if (!IsFloat(type)) return Exact(value, a, b);
  const bool a_nan = std::isnan(a.value.real());
  const bool b_nan = std::isnan(b.value.real());
  if (a.certainty == Certainty::kUndecided || b.certainty == Certainty::kUndecided) {
    return UndecidedFloat(value.real());
  }
  if (a_nan || b_nan) return SelectedOfNan(value, a, b);
  return Selected(type, value, a, b, [](double x, double y) { return std::max(x, y); });
}

Bounded BoundDomain::Min(DType type, NanMode mode, const Bounded& a, const Bounded& b) const {
  const Scalar value = value_.Min(type, mode, a.value, b.value);
  if (!IsFloat(type)) return Exact(value, a, b);
  const bool a_nan = std::isnan(a.value.real());
  const bool b_nan = std::isnan(b.value.real());
  if (a.certainty == Certainty::kUndecided || b.certainty == Certainty::kUndecided) {
    return UndecidedFloat(value.real());
  }
  if (a_nan || b_nan) return SelectedOfNan(value, a, b);
  return Selected(type, value, a, b, [](double x, double y) { return std::min(x, y); });
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
  const Scalar index = value_.ArgMax(type, mode, a_values_);
  if (!IsFloat(type)) return exact ? Bounded{index} : UndecidedInteger(index);
  if (determined) {
    if (!special) return {index};
    // a_values_ has the values for a backend that flushes subnormals. b_values_ has those for one
    // that also orders -0 below +0.
    b_values_.clear();
    for (size_t i = 0; i < elements.size(); ++i) {
      const double zero = Flushed(type, elements[i]);
      const double below_zero = -std::numeric_limits<double>::denorm_min();
      a_values_[i] = Scalar::OfFloat(zero);
      b_values_.push_back(Scalar::OfFloat(zero == 0 && std::signbit(zero) ? below_zero : zero));
    }
    const auto agrees = [&](const std::vector<Scalar>& x) {
      return value_.ArgMax(type, mode, x).integer() == index.integer();
    };
    return agrees(a_values_) && agrees(b_values_) ? Bounded{index} : UndecidedInteger(index);
  }
  // The index is also known if the bounds leave only one candidate.
  const auto best = static_cast<size_t>(index.integer());
  Interval champion, rival;
  bool alone = KeptInterval(type, elements[best], champion);
  for (size_t i = 0; i < elements.size() && alone; ++i) {
    alone = i == best || (KeptInterval(type, elements[i], rival) && rival.high < champion.low);
  }
  return alone ? Bounded{index} : UndecidedInteger(index);
}

Bounded BoundDomain::Mul(DType type, const Bounded& a, const Bounded& b) const {
  return ByRule(
      type, type,
      [&](double x, double y) {
        return Ruling{x * y, UlpError(type, x * y, 0.5)};
      },
      a, b);
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
  Interval within;
  if (!KeptInterval(from, a, within)) return UndecidedInteger(value);
  const auto converts_to_value = [&](double x) {
    return value_.FloatToInteger(from, to, Scalar::OfFloat(x), nan_rule).integer() ==
           value.integer();
  };
  if (converts_to_value(within.low) && converts_to_value(within.high)) return {value};
  return UndecidedInteger(value);
}

Bounded BoundDomain::IntegerToFloat(DType from, DType to, const Bounded& a) const {
  const double reference = value_.IntegerToFloat(from, to, a.value).real();
  if (a.certainty != Certainty::kExact) return UndecidedFloat(reference);
  return FromRuling({reference, UlpError(to, reference, 0.5)});
}

Bounded BoundDomain::FloatToFloat(DType from, DType to, const Bounded& a) const {
  // Round to nearest and round to zero are allowed. Both use the fraction bits of `to` before the
  // range is checked. For a half, both neighbors are nearest (reading `cast-rounding`). A rounded
  // result is not determined, so the reference is not a value of `to`, and the error is not 0.
  const auto convert = [to](double x) -> Ruling {
    if (!std::isfinite(x)) return {RoundToType(to, x), 0};
    if (RoundToType(to, x) == x) return {x, 0};
    const FloatFormat& format = FormatOf(to);
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
  if (Determined(a)) return ByRule(from, to, convert, a);
  // A conversion to a wider type keeps the element as it was passed on, in whatever type.
  Interval kept;
  const bool is_wider = RoundToType(to, FormatOf(from).max) == FormatOf(from).max &&
                        FormatOf(from).normal_min >= FormatOf(to).normal_min;
  const Scalar value = value_.FloatToFloat(from, to, a.value);
  if (!is_wider || !KeptInterval(from, a, kept)) return UndecidedFloat(value.real());
  const double ulp = UlpError(to, std::max(std::fabs(kept.low), std::fabs(kept.high)), 1);
  Bounded result = FromRuling(Around(kept.reference, kept.low - ulp, kept.high + ulp));
  result.value = value;
  return result;
}

Bounded BoundDomain::InexactRound(const Bounded& result, const Bounded& value,
                                  const Bounded& multiplier, const Bounded& shift,
                                  const Bounded& output_zp, int64_t low, int64_t high) const {
  if (result.certainty != Certainty::kExact) return result;
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

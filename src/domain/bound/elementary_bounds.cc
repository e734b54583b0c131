// SPDX-License-Identifier: Apache-2.0
#include "bound_domain.h"
#include "ruling.h"

namespace assay {
namespace {

// Returns everything that a function and its accuracy rule admit for an operand in an interval.
// The errors of all rules grow with the magnitudes of operand and result.
template <class Function, class Error>
Interval ImageOf(DType type, const Interval& x, Course course, Function function, Error error) {
  Interval image = {function(x.low), function(x.high)};
  if (course == Course::kFalling) std::swap(image.low, image.high);
  if (course == Course::kGentle) {
    const double middle = function(x.low / 2 + x.high / 2);
    const double radius = x.high / 2 - x.low / 2;
    image = Interval{middle, middle}.Widened(radius);
  }
  if (!image.known() || !image.finite()) return kAnything;
  const double farthest = x.magnitude() == std::fabs(x.low) ? x.low : x.high;
  const double largest = image.magnitude() == std::fabs(image.low) ? image.low : image.high;
  return image.Widened(error(type, farthest, largest));
}

// Returns the ruling on a result of finite operands. An infinite result has overflowed fp64. Like
// an overflow of the type, it is a rounded result, so it is not determined.
Ruling OfFinite(const Ruling& ruling) {
  if (!std::isinf(ruling.reference)) return ruling;
  const double largest = std::numeric_limits<double>::max();
  return {std::copysign(largest, ruling.reference), largest / 4};
}

// Applies a function of one operand and its accuracy rule. Both include the tables of special
// values. `may_overflow` says that results of finite operands may overflow fp64.
template <class Function, class Error>
Bounded ByFunction(const Declarations& declarations, DType type, const Bounded& a, Course course,
                   Function function, Error error, bool may_overflow = false) {
  const auto rule = [&](double x) -> Ruling {
    const double reference = function(x);
    const Ruling ruling = {reference, error(type, x, reference)};
    return may_overflow && std::isfinite(x) ? OfFinite(ruling) : ruling;
  };
  const auto set = [&](const Interval& x) { return ImageOf(type, x, course, function, error); };
  return ByRule(declarations, type, type, rule, set, a);
}

}  // namespace

Bounded BoundDomain::Ceil(DType type, const Bounded& a) const {
  const auto ceil = [](double x) { return std::ceil(x); };
  const auto rounding = [this](DType of, double, double x) { return RoundingError(of, x, true); };
  return ByFunction(declarations_, type, a, Course::kRising, ceil, rounding);
}

Bounded BoundDomain::Floor(DType type, const Bounded& a) const {
  const auto floor = [](double x) { return std::floor(x); };
  const auto rounding = [this](DType of, double, double x) { return RoundingError(of, x, true); };
  return ByFunction(declarations_, type, a, Course::kRising, floor, rounding);
}

// The functions that fall are RECIPROCAL and RSQRT. A zero of unknown sign has two results there,
// so the result is undecided.
Bounded BoundDomain::Elementary(Op op, DType type, const Bounded& a) const {
  const ElementaryFunction& f = ElementaryFunctionOf(op);
  if (f.course == Course::kFalling && a.certainty == Certainty::kZeroSignOpen) {
    return UndecidedFloat(f.value(a.value.real()));
  }
  return ByFunction(declarations_, type, a, f.course, f.value, f.error, op == Op::kExp);
}

Bounded BoundDomain::Pow(DType type, const Bounded& a, const Bounded& b) const {
  const auto power = [&](double x, double y) {
    return value_.Pow(type, Scalar::OfFloat(x), Scalar::OfFloat(y)).real();
  };
  const auto rule = [&](double x, double y) -> Ruling {
    const double reference = power(x, y);
    const Ruling ruling = {reference, PowError(type, x, y, reference)};
    return std::isfinite(ruling.error) ? OfFinite(ruling) : ruling;
  };
  // For a positive base, the power is monotone in each operand. Where |y log x| is largest, so is
  // |y|. Twice the error there is more than the error anywhere.
  const auto set = [&](const Interval& x, const Interval& y) {
    if (x.low <= 0) return kAnything;
    const auto [low, high] = std::minmax(
        {power(x.low, y.low), power(x.low, y.high), power(x.high, y.low), power(x.high, y.high)});
    double error = 0;
    for (const double base : {x.low, x.high}) {
      for (const double exponent : {y.low, y.high}) {
        error = std::max(error, PowError(type, base, exponent, high));
      }
    }
    if (!std::isfinite(high) || !std::isfinite(error)) return kAnything;
    return Interval{low, high}.Widened(2 * error);
  };
  return ByRule(declarations_, type, type, rule, set, a, b);
}

// If the error is infinite, an infinite result is undecided as well, because no table demands it.
Bounded BoundDomain::Bilinear(DType type, double maximum, std::span<const Bounded, 4> corners,
                              double dy, double dx) const {
  const auto bilinear = [&](double v00, double v01, double v10, double v11) {
    const Scalar values[] = {Scalar::OfFloat(v00), Scalar::OfFloat(v01), Scalar::OfFloat(v10),
                             Scalar::OfFloat(v11)};
    return value_.Bilinear(type, maximum, values, dy, dx).real();
  };
  const auto rule = [&](double v00, double v01, double v10, double v11) -> Ruling {
    const double reference = bilinear(v00, v01, v10, v11);
    const double error = ResizeBilinearError(type, maximum, reference);
    return {reference, std::isfinite(error) ? error : NAN};
  };
  const auto set = [&](const Interval& v00, const Interval& v01, const Interval& v10,
                       const Interval& v11) {
    const Interval image = {bilinear(v00.low, v01.low, v10.low, v11.low),
                            bilinear(v00.high, v01.high, v10.high, v11.high)};
    const double error = ResizeBilinearError(type, maximum, image.magnitude());
    return std::isfinite(error) ? image.Widened(error) : kAnything;
  };
  return ByRule(declarations_, type, type, rule, set, corners[0], corners[1], corners[2],
                corners[3]);
}

}  // namespace assay

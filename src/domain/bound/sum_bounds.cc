// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "ball_domain.h"
#include "double_double.h"
#include "ruling.h"

namespace assay {
namespace {

// Copies the values. Returns true if all elements are exact.
bool Values(std::span<const Bounded> elements, std::vector<Scalar>& values) {
  Certainty worst = Certainty::kExact;
  values.resize(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    values[i] = elements[i].value;
    worst = std::max(worst, elements[i].certainty);
  }
  return worst == Certainty::kExact;
}

bool AllDetermined(std::span<const Bounded> elements) {
  return std::all_of(elements.begin(), elements.end(), Determined);
}

// Returns the distance between a sum of at most `count` products and a bias, and what it is for
// everything that may be passed on. fp64 rounds the two sums of magnitudes.
double RadiusOf(const Ball& sums, int64_t count) {
  if (sums.outer == sums.absolute) return 0;
  const double roundings = static_cast<double>(count + 3) * 0x1p-51;
  return sums.outer - sums.absolute + sums.outer * roundings;
}

// Returns true if every sum of some of the products is a value of the accumulator's type, where all
// are multiples of `quantum`, and `magnitude` is the sum of all magnitudes.
bool IsExactInAnyOrder(DType acc_type, double magnitude, double quantum) {
  const FloatFormat& format = FormatOf(acc_type);
  return quantum >= format.normal_min && magnitude <= format.max &&
         magnitude <= PowerOfTwo(format.fraction_bits + 1) * quantum;
}

// Returns the result of calculations that were exact: it is rounded once.
Bounded RoundedOnce(DType type, double reference) {
  const bool is_exact = RoundToType(type, reference) == reference;
  return FromRuling({reference, is_exact ? 0 : UlpError(type, reference, 0.5)});
}

// An integer operand of a dot product: its value, and the largest distance from it.
struct IntegerBall {
  double magnitude, radius;  // exact in fp64
};

std::optional<IntegerBall> IntegerBallOf(const Bounded& x) {
  const std::optional<Integers> integers = IntegersOf(x);
  if (!integers) return std::nullopt;
  const int64_t value = x.value.integer();
  const int64_t radius = std::max(integers->high - value, value - integers->low);
  return IntegerBall{std::fabs(static_cast<double>(value)), static_cast<double>(radius)};
}

}  // namespace

Bounded BoundDomain::DotResult(const DotRule& rule, const Ball& sums, double weights,
                               double quantum) {
  if (last_dot_rule_ != rule) {
    last_dot_rule_ = rule;
    last_accuracy_ = {rule.out_type,
                      DotProductAbsBound(rule.acc_type, rule.out_type, rule.kernel_size)};
  }
  const auto& [reference, bound, absolute, outer] = sums;
  const double radius = RadiusOf(sums, rule.kernel_size);
  if (quantum != 0 && radius == 0 && IsExactInAnyOrder(rule.acc_type, absolute, quantum)) {
    return RoundedOnce(rule.out_type, reference);
  }
  const double error = last_accuracy_.Error(bound) + radius + weights;
  // The result is undecided if the sum may overflow within its bound, or if padding meets an
  // infinity.
  if (!std::isfinite(error) || !std::isfinite(reference)) return UndecidedFloat(reference);
  Bounded result = FromRuling({reference, error});
  if (radius == 0) result.unit = bound == 0 ? 0 : last_accuracy_.Unit(bound);
  return result;
}

Bounded BoundDomain::Dot(const DotRule& rule, std::span<const Bounded> a,
                         std::span<const Bounded> b, std::span<const Bounded> padding,
                         const Bounded* bias) {
  if (IsFloat(rule.acc_type)) {
    const BallDomain reader(*this, rule.in_type);
    reader.Read(rule.in_type, a, a_balls_);
    reader.Read(rule.weight_type, b, b_balls_);
    reader.Read(rule.weight_type, padding, padding_balls_);
    std::vector<Ball> last;
    if (bias != nullptr) reader.Read(rule.out_type, {bias, 1}, last);
    return BallDomain(*this, rule.in_type)
        .Dot(rule, a_balls_, b_balls_, padding_balls_, bias == nullptr ? nullptr : last.data());
  }
  bool exact = Values(a, a_values_);
  exact &= Values(b, b_values_);
  exact &= bias == nullptr || bias->certainty == Certainty::kExact;
  const Scalar value =
      value_.Dot(rule, a_values_, b_values_, {}, bias != nullptr ? &bias->value : nullptr);
  Merge();
  return exact ? Bounded{value} : IntegerDot(value, rule, a, b, bias);
}

// All partial sums must fit the accumulator for every choice of the operands.
Bounded BoundDomain::IntegerDot(Scalar value, const DotRule& rule, std::span<const Bounded> a,
                                std::span<const Bounded> b, const Bounded* bias) {
  double radius = 0;
  double outer = 0;
  const auto add = [&](const Bounded& x, const Bounded& y) {
    const auto p = IntegerBallOf(x);
    const auto q = IntegerBallOf(y);
    if (!p || !q) return false;
    const double most = (p->magnitude + p->radius) * (q->magnitude + q->radius);
    radius += most - p->magnitude * q->magnitude;
    outer += most;
    return true;
  };
  const Bounded one = Integer(1);
  bool known = bias == nullptr || add(*bias, one);
  for (size_t i = 0; i < a.size() && known; ++i) known = add(a[i], b.empty() ? one : b[i]);
  if (!known || outer > static_cast<double>(MaximumInteger(rule.acc_type))) {
    uncertain_requirement_ = true;
    return {value, 0, 0, Certainty::kUndecided};
  }
  const auto distance = static_cast<int64_t>(radius);
  return Within(value, Integers{value.integer() - distance, value.integer() + distance});
}

Bounded BoundDomain::Sum(const DotRule& rule, std::span<const Bounded> a) {
  if (IsFloat(rule.in_type)) {
    BallDomain balls(*this, rule.in_type);
    balls.Read(rule.in_type, a, a_balls_);
    return balls.Sum(rule, a_balls_);
  }
  const bool exact = Values(a, a_values_);
  const Scalar value = value_.Sum(rule, a_values_);
  Merge();
  return exact ? Bounded{value} : IntegerDot(value, rule, a, {}, nullptr);
}

Bounded BoundDomain::Average(const DotRule& rule, std::span<const Bounded> a, int64_t count) {
  BallDomain balls(*this, rule.in_type);
  balls.Read(rule.in_type, a, a_balls_);
  return balls.Average(rule, a_balls_, count);
}

Bounded BoundDomain::AverageResult(const DotRule& rule, const Ball& sums, int64_t count) {
  const auto n = static_cast<double>(count);
  const double reference = sums.value / n;
  // The sum is computed before the division, so it may overflow the accumulator although the
  // average does not. The specification's bound covers only the average. The count may overflow as
  // well, in the type of the input (reading `average-count`).
  const bool sum_overflows = sums.bound > FormatOf(rule.acc_type).max;
  const bool count_overflows = !std::isfinite(RoundToType(rule.in_type, n));
  if (std::isfinite(reference) && (sum_overflows || count_overflows)) {
    return UndecidedFloat(reference);
  }
  // Only a division by a power of two is exact, because a backend may multiply by 1 / n.
  const double quantum = std::has_single_bit(static_cast<uint64_t>(count)) ? rule.quantum / n : 0;
  const Ball average = {reference, sums.bound / n, sums.absolute / n, sums.outer / n};
  return DotResult(rule, average, 0, quantum);
}

Bounded BoundDomain::Product(DType type, std::span<const Bounded> a) {
  Values(a, a_values_);
  const double reference = value_.Product(type, a_values_).real();
  if (std::ranges::any_of(a, IsNanForSure)) return FromRuling({reference, 0});
  // The interval of the products, and the largest and the smallest magnitude of a partial product
  // (reading `product-order`: in another order it might overflow or underflow).
  Interval product = {1, 1};
  double largest = 1;
  double smallest = 1;
  const bool determined = AllDetermined(a);
  for (const Bounded& x : a) {
    Interval factor = {x.value.real(), x.value.real()};
    if (!determined) {
      factor = ReadByArithmetic(type, x, declarations_);
      if (!factor.finite()) return UndecidedFloat(reference);
      product = ProductOf(product, factor);
    }
    const double high = factor.magnitude();
    const bool has_zero = factor.low <= 0 && factor.high >= 0;
    const double low = has_zero ? 0 : std::min(std::fabs(factor.low), std::fabs(factor.high));
    if (high > 1 && std::isfinite(high)) largest *= high;
    if (low < 1 && (low > 0 || !determined)) smallest *= low;
  }
  const FloatFormat& format = FormatOf(type);
  if (largest > format.max || smallest < format.normal_min) return UndecidedFloat(reference);
  if (last_product_ != std::pair(type, a.size())) {
    last_product_ = {type, a.size()};
    last_growth_ = ReduceProductGrowth(type, static_cast<int64_t>(a.size()));
  }
  const auto ruling = [&](double x) -> Ruling {
    return {x, ReduceProductErrorBy(type, x, last_growth_)};
  };
  if (!determined) {
    return Within(type, reference, product.Widened(ruling(product.magnitude()).error));
  }
  return FromRuling(ruling(reference));
}

std::optional<double> BoundDomain::MaximumMagnitude(DType type, std::span<const Bounded> elements) {
  const BallDomain balls(*this, type);
  balls.Read(type, elements, a_balls_);
  return balls.MaximumMagnitude(type, a_balls_);
}

double BoundDomain::Quantum(DType type, std::span<const Bounded> elements) {
  if (!declarations_.plain_sums) return 0;
  const BallDomain balls(*this, type);
  balls.Read(type, elements, a_balls_);
  return balls.Quantum(type, a_balls_);
}

}  // namespace assay

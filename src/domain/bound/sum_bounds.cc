#include <algorithm>

#include "bound_domain.h"
#include "ruling.h"

namespace assay {
namespace {

// Returns output_bnd of the dot product of a[i] and b[i * b_step].
double OutputBound(const DotRule& rule, std::span<const Bounded> a, const Bounded* b, size_t b_step,
                   std::span<const Bounded> padding, const Bounded* bias) {
  const double normal_min = FormatOf(rule.in_type).normal_min;
  const auto magnitude = [=](const Bounded& x) { return Magnitude(x.value.real(), normal_min); };
  double bound = 0;
  const auto add_products = [&](auto magnitude_of) {
    for (size_t i = 0; i < a.size(); ++i) bound += magnitude_of(a[i]) * magnitude(b[i * b_step]);
  };
  if (rule.input_maximum < 0) {
    add_products(magnitude);
  } else {  // of the whole tensor, or NaN
    const double maximum = Magnitude(rule.input_maximum, normal_min);
    add_products([maximum](const Bounded&) { return maximum; });
  }
  // tosa_extra_multiplies: the padding's zeros are multiplied by the weights at their positions.
  for (const Bounded& w : padding) bound += 0.0 * w.value.real();
  if (bias != nullptr) bound += magnitude(*bias);
  return bound;
}

// Returns the change of the dot product by other weights. A backend may multiply `padding` as well.
double WeightSpread(double weight_error, std::span<const Bounded> a,
                    std::span<const Bounded> padding) {
  if (weight_error == 0) return 0;
  double magnitudes = 0;
  for (const std::span<const Bounded> elements : {a, padding}) {
    for (const Bounded& x : elements) magnitudes += std::fabs(x.value.real());
  }
  return weight_error * magnitudes;
}

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

void FlushedValues(DType type, std::span<const Bounded> elements, std::vector<Scalar>& values) {
  values.resize(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    values[i] = Scalar::OfFloat(Flushed(type, elements[i]));
  }
}

bool AllDetermined(std::span<const Bounded> elements) {
  return std::all_of(elements.begin(), elements.end(), Determined);
}

bool AnyFlushable(DType type, std::span<const Bounded> elements) {
  return std::any_of(elements.begin(), elements.end(),
                     [type](const Bounded& x) { return Flushable(type, x); });
}

Bounded IntegerResult(Scalar value, bool exact) {
  return {value, 0, 0, exact ? Certainty::kExact : Certainty::kUndecided};
}

}  // namespace

Bounded BoundDomain::DotResult(const DotRule& rule, double reference, double bound, double spread) {
  if (last_dot_rule_ != rule) {
    last_dot_rule_ = rule;
    last_accuracy_ = {rule.out_type,
                      DotProductAbsBound(rule.acc_type, rule.out_type, rule.kernel_size)};
  }
  if (std::isnan(reference)) return FromRuling({reference, 0});
  const double error = last_accuracy_.Error(bound);
  // The result is undecided if the sum may overflow within its bound, or if padding meets an
  // infinity.
  if (!std::isfinite(error) || !std::isfinite(reference)) return UndecidedFloat(reference);
  Bounded result = FromRuling({reference, error + spread});
  result.unit = bound == 0 ? 0 : last_accuracy_.Unit(bound);
  return result;
}

Bounded BoundDomain::Dot(const DotRule& rule, std::span<const Bounded> a,
                         std::span<const Bounded> b, std::span<const Bounded> padding,
                         const Bounded* bias) {
  if (IsFloat(rule.acc_type)) return FloatDot(rule, a, b.data(), 1, padding, bias);
  bool exact = Values(a, a_values_);
  exact &= Values(b, b_values_);
  exact &= bias == nullptr || bias->certainty == Certainty::kExact;
  const Scalar value =
      value_.Dot(rule, a_values_, b_values_, {}, bias != nullptr ? &bias->value : nullptr);
  Merge();
  uncertain_requirement_ |= !exact;
  return IntegerResult(value, exact);
}

// Computes the dot product of a[i] and b[i * b_step].
Bounded BoundDomain::FloatDot(const DotRule& rule, std::span<const Bounded> a, const Bounded* b,
                              size_t b_step, std::span<const Bounded> padding,
                              const Bounded* bias) {
  const double bound = OutputBound(rule, a, b, b_step, padding, bias);
  std::optional<double> bias_value;
  if (bias != nullptr) bias_value = bias->value.real();
  const auto value = [&](size_t i) { return a[i].value.real(); };
  const auto weight = [&](size_t i) { return b[i * b_step].value.real(); };
  const double reference = value_.FloatSum(
      a.size(), [&](size_t i) { return value(i) * weight(i); }, bias_value);
  if (rule.weight_error != 0 && std::isnan(reference) &&
      !IsNanAnyway(rule, a.size(), value, weight)) {
    return UndecidedFloat(reference);
  }
  const double weight_spread = WeightSpread(rule.weight_error, a, padding);
  const std::span weights(b, b_step == 0 ? 1 : a.size());
  const bool known = std::ranges::all_of(a, IsKnown) && std::ranges::all_of(padding, IsKnown) &&
                     std::ranges::all_of(weights, IsKnown);
  if (known && (bias == nullptr || IsKnown(*bias))) {
    return DotResult(rule, reference, bound, weight_spread);
  }
  const bool determined = AllDetermined(a) && AllDetermined(padding) && AllDetermined(weights);
  if (!determined || (bias != nullptr && !Determined(*bias))) return UndecidedFloat(reference);
  if (bias != nullptr) bias_value = Flushed(rule.out_type, *bias);
  const double flushed = value_.FloatSum(
      a.size(),
      [&](size_t i) {
        return Flushed(rule.in_type, a[i]) * Flushed(rule.weight_type, b[i * b_step]);
      },
      bias_value);
  if (std::isnan(flushed) && std::isnan(reference)) return DotResult(rule, reference, bound, 0);
  const double spread = std::fabs(reference - flushed);
  if (!std::isfinite(spread)) return UndecidedFloat(reference);
  return DotResult(rule, reference, bound, spread + weight_spread);
}

Bounded BoundDomain::Sum(const DotRule& rule, std::span<const Bounded> a) {
  if (!IsFloat(rule.in_type)) {
    const bool exact = Values(a, a_values_);
    const Scalar value = value_.Sum(rule, a_values_);
    Merge();
    uncertain_requirement_ |= !exact;
    return IntegerResult(value, exact);
  }
  const Bounded one = Real(1);
  return FloatDot(rule, a, &one, 0, {}, nullptr);
}

Bounded BoundDomain::Average(const DotRule& rule, std::span<const Bounded> a, int64_t count) {
  Values(a, a_values_);
  const double reference = value_.Average(rule, a_values_, count).real();
  if (!AllDetermined(a)) return UndecidedFloat(reference);
  const double normal_min = FormatOf(rule.in_type).normal_min;
  double magnitude = 0;
  double spread = 0;
  for (const Bounded& x : a) {
    magnitude += Magnitude(x.value.real(), normal_min);
    if (Flushable(rule.in_type, x)) spread += std::fabs(x.value.real());
  }
  return AverageResult(rule, reference, magnitude, spread, static_cast<double>(count));
}

Bounded BoundDomain::AverageResult(const DotRule& rule, double reference, double magnitude,
                                   double spread, double count) {
  // The sum is computed before the division, so it may overflow the accumulator although the
  // average does not. The specification's bound covers only the average. The count may overflow as
  // well, in the type of the input (reading `average-count`).
  const bool sum_overflows = magnitude > FormatOf(rule.acc_type).max;
  const bool count_overflows = !std::isfinite(RoundToType(rule.in_type, count));
  if (std::isfinite(reference) && (sum_overflows || count_overflows)) {
    return UndecidedFloat(reference);
  }
  return DotResult(rule, reference, magnitude / count, spread / count);
}

Bounded BoundDomain::Product(DType type, std::span<const Bounded> a) {
  Values(a, a_values_);
  const double reference = value_.Product(type, a_values_).real();
  if (!AllDetermined(a)) return UndecidedFloat(reference);
  // Reading `product-order`: in another order a partial product might overflow or underflow.
  double largest = 1;
  double smallest = 1;
  for (const Bounded& x : a) {
    const double magnitude = std::fabs(x.value.real());
    if (magnitude > 1 && std::isfinite(magnitude)) largest *= magnitude;
    if (magnitude < 1 && magnitude > 0) smallest *= magnitude;
  }
  const FloatFormat& format = FormatOf(type);
  const bool ordered = largest > format.max || smallest < format.normal_min;
  if (std::isnan(reference) && std::any_of(a.begin(), a.end(), [](const Bounded& x) {
        return std::isnan(x.value.real());
      })) {
    return FromRuling({reference, 0});
  }
  if (ordered) return UndecidedFloat(reference);
  if (last_product_ != std::pair(type, a.size())) {
    last_product_ = {type, a.size()};
    last_growth_ = ReduceProductGrowth(type, static_cast<int64_t>(a.size()));
  }
  const auto ruling = [&](double product) -> Ruling {
    return {product, ReduceProductErrorBy(type, product, last_growth_)};
  };
  if (!AnyFlushable(type, a)) return FromRuling(ruling(reference));
  FlushedValues(type, a, a_values_);
  const double flushed = value_.Product(type, a_values_).real();
  return FromRuling(Either(type, ruling(reference), ruling(flushed)));
}

double BoundDomain::MaximumMagnitude(std::span<const Bounded> elements) {
  double maximum = 0;
  for (const Bounded& x : elements) {
    const double magnitude = std::fabs(x.value.real());
    if (!Determined(x) || std::isnan(magnitude)) return NAN;
    maximum = std::max(maximum, magnitude);
  }
  return maximum;
}

}  // namespace assay

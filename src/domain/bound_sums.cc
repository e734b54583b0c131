#include <algorithm>

#include "bound_domain.h"
#include "bound_rules.h"

namespace assay {
namespace {

// |x| as output_bnd takes it: raised to the smallest normal number of the input's type (1.0.2 uses
// in_t for every operand). NaN stays.
double Magnitude(const DotRule& rule, double x) {
  const double magnitude = std::fabs(x);
  const double normal_min = FormatOf(rule.in_type).normal_min;
  return magnitude < normal_min ? normal_min : magnitude;
}

std::vector<Scalar> Values(std::span<const Bounded> elements) {
  std::vector<Scalar> values;
  values.reserve(elements.size());
  for (const Bounded& x : elements) values.push_back(x.value);
  return values;
}

std::vector<Scalar> FlushedValues(DType type, std::span<const Bounded> elements) {
  std::vector<Scalar> values;
  values.reserve(elements.size());
  for (const Bounded& x : elements) values.push_back(Scalar::OfFloat(Flushed(type, x)));
  return values;
}

bool AllExact(std::span<const Bounded> elements) {
  return std::all_of(elements.begin(), elements.end(),
                     [](const Bounded& x) { return x.certainty == Certainty::kExact; });
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

// The dot product rule for one output: `bound` is output_bnd, `spread` what flushing moves.
Bounded DotResult(const DotRule& rule, double reference, double bound, double spread) {
  if (std::isnan(reference)) return FromRuling({reference, 0});
  const double error = DotProductError(rule.acc_type, rule.out_type, rule.kernel_size, bound);
  // Where the sum may overflow within its bound, or padding meets an infinity, nothing is said.
  if (!std::isfinite(error) || !std::isfinite(reference)) return UndecidedFloat(reference);
  return FromRuling({reference, error + spread});
}

}  // namespace

Bounded BoundDomain::Dot(const DotRule& rule, std::span<const Bounded> a,
                         std::span<const Bounded> b, std::span<const Bounded> padding,
                         const Bounded* bias) {
  const Scalar* bias_value = bias != nullptr ? &bias->value : nullptr;
  const Scalar value = value_.Dot(rule, Values(a), Values(b), {}, bias_value);
  Merge();
  if (!IsFloat(rule.acc_type)) {
    const bool exact =
        AllExact(a) && AllExact(b) && (bias == nullptr || bias->certainty == Certainty::kExact);
    uncertain_requirement_ |= !exact;
    return IntegerResult(value, exact);
  }
  const double reference = value.real();
  if (!AllDetermined(a) || !AllDetermined(b) || !AllDetermined(padding) ||
      (bias != nullptr && !Determined(*bias))) {
    return UndecidedFloat(reference);
  }
  const bool whole_tensor = !(rule.input_maximum < 0);  // also if the maximum is NaN
  double bound = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = whole_tensor ? rule.input_maximum : a[i].value.real();
    bound += Magnitude(rule, x) * Magnitude(rule, b[i].value.real());
  }
  // tosa_extra_multiplies: the zeros of the padding times the weights there.
  for (const Bounded& w : padding) bound += 0.0 * w.value.real();
  if (bias != nullptr) bound += Magnitude(rule, bias->value.real());

  if (!AnyFlushable(rule.in_type, a) && !AnyFlushable(rule.weight_type, b) &&
      (bias == nullptr || !Flushable(rule.out_type, *bias))) {
    return DotResult(rule, reference, bound, 0);
  }
  ValueDomain flushing(fault());
  const Scalar flushed_bias = Scalar::OfFloat(bias ? Flushed(rule.out_type, *bias) : 0);
  const double flushed =
      flushing
          .Dot(rule, FlushedValues(rule.in_type, a), FlushedValues(rule.weight_type, b), {},
               bias != nullptr ? &flushed_bias : nullptr)
          .real();
  if (std::isnan(flushed) && std::isnan(reference)) return DotResult(rule, reference, bound, 0);
  const double spread = std::fabs(reference - flushed);
  if (!std::isfinite(spread)) return UndecidedFloat(reference);
  return DotResult(rule, reference, bound, spread);
}

Bounded BoundDomain::Sum(const DotRule& rule, std::span<const Bounded> a) {
  if (!IsFloat(rule.in_type)) {
    const Scalar value = value_.Sum(rule, Values(a));
    Merge();
    uncertain_requirement_ |= !AllExact(a);
    return IntegerResult(value, AllExact(a));
  }
  const std::vector<Bounded> ones(a.size(), Real(1));
  return Dot(rule, a, ones, {}, nullptr);
}

Bounded BoundDomain::Average(const DotRule& rule, std::span<const Bounded> a, int64_t count) {
  const auto n = static_cast<double>(count);
  const double reference = value_.Average(rule, Values(a), count).real();
  if (!AllDetermined(a)) return UndecidedFloat(reference);
  double magnitude = 0;
  double spread = 0;
  for (const Bounded& x : a) {
    magnitude += Magnitude(rule, x.value.real());
    if (Flushable(rule.in_type, x)) spread += std::fabs(x.value.real());
  }
  return DotResult(rule, reference, magnitude / n, spread / n);
}

Bounded BoundDomain::Product(DType type, std::span<const Bounded> a) const {
  const double reference = value_.Product(type, Values(a)).real();
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
  const auto ruling = [&](double product) -> Ruling {
    return {product, ReduceProductError(type, product, static_cast<int64_t>(a.size()))};
  };
  if (!AnyFlushable(type, a)) return FromRuling(ruling(reference));
  const double flushed = value_.Product(type, FlushedValues(type, a)).real();
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

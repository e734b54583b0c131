#include "known_operands.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ruling.h"

namespace assay {
namespace {

// A sum of products and the sum of their magnitudes, in one vector.
using Pair [[gnu::vector_size(sizeof(Known))]] = double;
Pair AsPair(const Known& x) { return std::bit_cast<Pair>(x); }

}  // namespace

Known KnownDomain::Real(double value) const { return {value, Magnitude(value, normal_min_)}; }

bool KnownDomain::Read(DType type, std::span<const Bounded> elements,
                       std::vector<Known>& known) const {
  const auto for_each = [&](auto visit) {
    for (const Bounded& x : elements) visit(x.value.real());
  };
  return std::ranges::all_of(elements, IsKnown) && Read(type, elements.size(), for_each, known);
}

Bounded KnownDomain::Dot(const DotRule& rule, std::span<const Known> a, std::span<const Known> b,
                         std::span<const Known> padding, const Known* bias) {
  Pair sums = {0, 0};
  if (rule.input_maximum < 0) {
    for (size_t i = 0; i < a.size(); ++i) sums += AsPair(a[i]) * AsPair(b[i]);
  } else {  // of the whole tensor, or NaN
    const double maximum = Magnitude(rule.input_maximum, normal_min_);
    for (size_t i = 0; i < a.size(); ++i) sums += Pair{a[i].value, maximum} * AsPair(b[i]);
  }
  // tosa_extra_multiplies: the padding's zeros are multiplied by the weights at their positions.
  for (const Known& w : padding) sums[1] += 0.0 * w.value;
  if (bias != nullptr) sums += AsPair(*bias);
  double magnitudes = 0;  // of what is weighted
  if (rule.weight_error != 0) {
    const auto value = [&](size_t i) { return a[i].value; };
    const auto weight = [&](size_t i) { return b[i].value; };
    if (std::isnan(sums[0]) && !IsNanAnyway(rule, a.size(), value, weight)) {
      return UndecidedFloat(sums[0]);
    }
    for (const Known& x : a) magnitudes += std::fabs(x.value);
    for (const Known& x : padding) magnitudes += std::fabs(x.value);
  }
  return bound_.DotResult(rule, sums[0], sums[1], rule.weight_error * magnitudes);
}

Bounded KnownDomain::Sum(const DotRule& rule, std::span<const Known> a) {
  Pair sums = {0, 0};
  for (const Known& x : a) sums += AsPair(x);
  return bound_.DotResult(rule, sums[0], sums[1], 0);
}

Bounded KnownDomain::Average(const DotRule& rule, std::span<const Known> a, int64_t count) {
  Pair sums = {0, 0};
  for (const Known& x : a) sums += AsPair(x);
  const double n = static_cast<double>(count);
  return bound_.AverageResult(rule, sums[0] / n, sums[1], 0, n);
}

double KnownDomain::MaximumMagnitude(std::span<const Known> elements) {
  double maximum = 0;
  for (const Known& x : elements) {
    const double magnitude = std::fabs(x.value);
    if (std::isnan(magnitude)) return magnitude;
    maximum = std::max(maximum, magnitude);
  }
  return maximum;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "value_domain.h"

namespace assay {

Scalar ValueDomain::ArgMax(DType type, NanMode mode, std::span<const Element> elements) const {
  const bool ignore = mode == NanMode::kIgnore;
  int64_t best = 0;
  for (int64_t i = 1; i < static_cast<int64_t>(elements.size()); ++i) {
    const Element x = elements[static_cast<size_t>(i)];
    const Element champion = elements[static_cast<size_t>(best)];
    bool greater = false;
    if (!IsFloat(type)) {
      greater = x.integer() > champion.integer();
    } else {
      const bool x_nan = std::isnan(x.real());
      const bool champion_nan = std::isnan(champion.real());
      greater = x_nan || champion_nan ? (ignore ? champion_nan && !x_nan : x_nan && !champion_nan)
                                      : x.real() > champion.real();
    }
    if (greater) best = i;
  }
  return Integer(best);
}

Scalar ValueDomain::FloatToInteger(DType, DType to, Element a, const char* nan_rule) {
  judgement_.Require(!std::isnan(a.real()), nan_rule);
  if (std::isnan(a.real())) return Integer(0);
  double rounded = std::floor(a.real());
  const double rest = a.real() - rounded;
  const bool odd = rounded * 0.5 != std::floor(rounded * 0.5);
  if (rest > 0.5 || (rest == 0.5 && odd)) rounded += 1;
  // All integer limits are exact in fp64.
  const auto low = static_cast<double>(MinimumInteger(to));
  const auto high = static_cast<double>(MaximumInteger(to));
  if (rounded >= low && rounded <= high) return Integer(static_cast<int64_t>(rounded));
  return Integer(rounded < low ? MinimumInteger(to) : MaximumInteger(to));
}

Scalar ValueDomain::IntegerToFloat(DType, DType, Element a) const {
  return Real(static_cast<double>(a.integer()));
}

Scalar ValueDomain::Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
                        std::span<const Element>, const Element* bias) {
  if (IsFloat(rule.acc_type)) {
    const auto product = [&](size_t i) { return a[i].real() * b[i].real(); };
    return Real(
        FloatSum(a.size(), product, bias != nullptr ? std::optional(bias->real()) : std::nullopt));
  }
  const int64_t low = MinimumInteger(rule.acc_type);
  const int64_t high = MaximumInteger(rule.acc_type);
  int64_t sum = 0;
  int64_t positive = 0;
  int64_t negative = 0;
  bool in_range = true;
  // 2^31 taps of 2^47 stay inside int64 only because the range check stops accumulating.
  for (size_t i = 0; i < a.size() && in_range; ++i) {
    const int64_t product = a[i].integer() * (b.empty() ? 1 : b[i].integer());
    sum += product;
    (product > 0 ? positive : negative) += product;
    in_range = sum >= low && sum <= high;
  }
  if (bias != nullptr && in_range) {
    const int64_t x = bias->integer();
    sum += x;
    (x > 0 ? positive : negative) += x;
    in_range = sum >= MinimumInteger(rule.out_type) && sum <= MaximumInteger(rule.out_type);
  }
  judgement_.Require(in_range, rule.overflow);
  if (in_range && (positive > high || negative < low)) order_dependent_ = true;
  return Integer(sum);
}

Scalar ValueDomain::Sum(const DotRule& rule, std::span<const Element> a) {
  if (!IsFloat(rule.in_type)) return Dot(rule, a, {}, {}, nullptr);
  return Real(FloatSum(
      a.size(), [&](size_t i) { return a[i].real(); }, std::nullopt));
}

Scalar ValueDomain::Average(const DotRule& rule, std::span<const Element> a, int64_t count) {
  return Real(Sum(rule, a).real() / static_cast<double>(count));
}

Scalar ValueDomain::Product(DType, std::span<const Element> a) const {
  double product = 1;
  for (const Element x : a) product *= x.real();
  return Real(product);
}

}  // namespace assay

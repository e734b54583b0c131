#include "value_domain.h"

namespace assay {

Scalar ValueDomain::ArgMax(DType type, NanMode mode, std::span<const Element> elements) const {
  const bool ignore = (mode == NanMode::kIgnore) != Has(Fault::kWrongNanMode);
  int64_t best = 0;
  for (int64_t i = 1; i < static_cast<int64_t>(elements.size()); ++i) {
    const Element x = elements[static_cast<size_t>(i)];
    const Element champion = elements[static_cast<size_t>(best)];
    bool greater = false;
    bool equal = false;
    if (!IsFloat(type)) {
      greater = x.integer() > champion.integer();
      equal = x.integer() == champion.integer();
    } else {
      const bool x_nan = std::isnan(x.real());
      const bool champion_nan = std::isnan(champion.real());
      equal = x.real() == champion.real() || (x_nan && champion_nan);
      greater = x_nan || champion_nan ? (ignore ? champion_nan && !x_nan : x_nan && !champion_nan)
                                      : x.real() > champion.real();
    }
    if (greater || (equal && Has(Fault::kLastIndexWins))) best = i;
  }
  return Integer(best);
}

Scalar ValueDomain::FloatToInteger(DType, DType to, Element a, const char* nan_rule) {
  judgement_.Require(!std::isnan(a.real()), nan_rule);
  if (std::isnan(a.real())) return Integer(0);
  double rounded = std::floor(a.real());
  const double rest = a.real() - rounded;
  const bool odd = rounded * 0.5 != std::floor(rounded * 0.5);
  if (rest > 0.5 || (rest == 0.5 && (odd || (Has(Fault::kTiesAway) && a.real() > 0)))) rounded += 1;
  if (Has(Fault::kTiesAway) && rest == 0.5 && a.real() < 0) rounded = std::floor(a.real());
  // All integer limits are exact in fp64.
  const auto low = static_cast<double>(MinimumInteger(to));
  const auto high = static_cast<double>(MaximumInteger(to));
  if (rounded >= low && rounded <= high) return Integer(static_cast<int64_t>(rounded));
  if (Has(Fault::kWrongSaturation)) {
    const double inside = std::fmax(std::fmin(rounded, 9.0e18), -9.0e18);
    return Truncate(to, Integer(static_cast<int64_t>(inside)));
  }
  return Integer(rounded < low ? MinimumInteger(to) : MaximumInteger(to));
}

Scalar ValueDomain::IntegerToFloat(DType, DType, Element a) const {
  return Real(static_cast<double>(a.integer()));
}

Scalar ValueDomain::FloatToFloat(DType, DType, Element a) const { return a; }

Scalar ValueDomain::Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
                        std::span<const Element>, const Element* bias) {
  if (IsFloat(rule.acc_type)) {
    const auto product = [&](size_t i) { return a[i].real() * b[i].real(); };
    return Real(FloatSum(rule, a.size(), product,
                         bias != nullptr ? std::optional(bias->real()) : std::nullopt));
  }
  size_t count = a.size();
  if (Has(Fault::kDroppedLastElement) && count > 1) --count;
  const int64_t low = MinimumInteger(rule.acc_type);
  const int64_t high = MaximumInteger(rule.acc_type);
  int64_t sum = 0;
  int64_t positive = 0;
  int64_t negative = 0;
  bool in_range = true;
  // 2^31 taps of 2^47 stay inside int64 only because the range check stops accumulating.
  for (size_t i = 0; i < count && in_range; ++i) {
    const int64_t product = a[i].integer() * b[i].integer();
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
  if (IsFloat(rule.in_type)) {
    return Real(FloatSum(
        rule, a.size(), [&](size_t i) { return a[i].real(); }, std::nullopt));
  }
  size_t count = a.size();
  if (Has(Fault::kDroppedLastElement) && count > 1) --count;
  const int64_t low = MinimumInteger(rule.acc_type);
  const int64_t high = MaximumInteger(rule.acc_type);
  int64_t sum = 0;
  int64_t positive = 0;
  int64_t negative = 0;
  bool in_range = true;
  for (size_t i = 0; i < count && in_range; ++i) {
    const int64_t x = a[i].integer();
    sum += x;
    (x > 0 ? positive : negative) += x;
    in_range = sum >= low && sum <= high;
  }
  judgement_.Require(in_range, rule.overflow);
  if (in_range && (positive > high || negative < low)) order_dependent_ = true;
  return Integer(sum);
}

double ValueDomain::Accumulated(DType acc_type, double sum) const {
  if (!std::isfinite(sum)) return sum;
  if (Has(Fault::kRoundsUp)) {
    const double nearest = RoundToType(acc_type, sum);
    return nearest < sum ? NextUp(acc_type, nearest) : nearest;
  }
  if (Has(Fault::kShortAccumulator)) {
    // The fraction bits of acc_type but three, to nearest; the range of fp64.
    const int kept = FormatOf(acc_type).fraction_bits + 1 - 3;
    int exponent = 0;
    const double fraction = std::frexp(sum, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, kept)), exponent - kept);
  }
  return sum;
}

Scalar ValueDomain::Average(const DotRule& rule, std::span<const Element> a, int64_t count) {
  return Real(Sum(rule, a).real() / static_cast<double>(count));
}

Scalar ValueDomain::Product(DType, std::span<const Element> a) const {
  size_t count = a.size();
  if (Has(Fault::kDroppedLastElement) && count > 1) --count;
  double product = 1;
  for (size_t i = 0; i < count; ++i) product *= a[i].real();
  return Real(product);
}

}  // namespace assay

#include "ball_domain.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ruling.h"

namespace assay {
namespace {

using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;

// The members of a Ball, as two vectors.
struct Pairs {
  Pair value_bound = {0, 0}, absolute_outer = {0, 0};

  void Add(const Pairs& x) {
    value_bound += x.value_bound;
    absolute_outer += x.absolute_outer;
  }
  void AddProduct(const Pairs& x, const Pairs& y) {
    value_bound += x.value_bound * y.value_bound;
    absolute_outer += x.absolute_outer * y.absolute_outer;
  }
};

Pairs PairsOf(const Ball& x) { return std::bit_cast<Pairs>(x); }

Pairs SumsOf(std::span<const Ball> a) {
  Pairs sums;
  for (const Ball& x : a) sums.Add(PairsOf(x));
  return sums;
}

// Returns true if a sum of the elements that is NaN is NaN for everything that may be passed on.
bool IsNanForSure(std::initializer_list<std::span<const Ball>> operands) {
  bool known = true;
  for (const std::span<const Ball> elements : operands) {
    for (const Ball& x : elements) {
      if (std::isnan(x.outer)) return true;
      known = known && x.outer == x.absolute;
    }
  }
  return known;
}

// Returns true if the sum of a[i] * b[i], which is NaN, is NaN for every choice of the weights b
// that may be zero or of the other sign. That is so if it is NaN without the infinities that are
// multiplied by such weights.
bool IsNanAnyway(const DotRule& rule, std::span<const Ball> a, std::span<const Ball> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool open = std::isinf(a[i].value) && b[i].absolute <= rule.weight_error;
    if (!open) sum += a[i].value * b[i].value;
  }
  return std::isnan(sum);
}

Bounded NanOrUndecided(bool for_sure) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return for_sure ? FromRuling({kNan, 0}) : UndecidedFloat(kNan);
}

// Returns the quantum of sums with this bias.
double QuantumWith(double quantum, const Ball* bias) {
  return quantum == 0 || bias == nullptr || std::fmod(bias->value, quantum) == 0 ? quantum : 0;
}

}  // namespace

Ball BallDomain::BallOf(DType type, const Bounded& x) const {
  const double value = x.value.real();
  if (Determined(x)) return Number(value, MayFlush(type) ? FormatOf(type).normal_min : 0);
  // Where nothing bounds the element, no product with `absolute` must be a NaN.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Interval interval = PassedOn(type, x, bound_.declarations());
  if (!interval.finite()) return {value, kInfinity, 0, kInfinity};
  const double magnitude = std::fabs(value);
  const double radius = std::max(interval.high - value, value - interval.low);
  const double outer = std::nextafter(magnitude + radius, kInfinity);
  return {value, Magnitude(outer, normal_min_), magnitude, outer};
}

void BallDomain::Read(DType type, std::span<const Bounded> elements,
                      std::vector<Ball>& balls) const {
  balls.resize(elements.size());
  std::ranges::transform(elements, balls.begin(),
                         [&](const Bounded& x) { return BallOf(type, x); });
}

Bounded BallDomain::Dot(const DotRule& rule, std::span<const Ball> a, std::span<const Ball> b,
                        std::span<const Ball> padding, const Ball* bias) {
  Pairs sums;
  if (rule.input_maximum < 0) {
    for (size_t i = 0; i < a.size(); ++i) sums.AddProduct(PairsOf(a[i]), PairsOf(b[i]));
  } else {  // of the whole tensor, or NaN
    const double maximum = Magnitude(rule.input_maximum, normal_min_);
    for (size_t i = 0; i < a.size(); ++i) {
      Pairs x = PairsOf(a[i]);
      x.value_bound[1] = maximum;
      sums.AddProduct(x, PairsOf(b[i]));
    }
  }
  // tosa_extra_multiplies: the padding's zeros are multiplied by the weights at their positions.
  for (const Ball& w : padding) sums.value_bound[1] += 0.0 * w.outer;
  if (bias != nullptr) sums.Add(PairsOf(*bias));
  const auto result = std::bit_cast<Ball>(sums);
  if (std::isnan(result.value)) {
    const std::span<const Ball> last(bias, bias == nullptr ? 0 : 1);
    return NanOrUndecided(IsNanForSure({a, b, last}) &&
                          (rule.weight_error == 0 || IsNanAnyway(rule, a, b)));
  }
  double weighted = 0;  // the magnitudes of what is weighted
  if (rule.weight_error != 0) {
    for (const Ball& x : a) weighted += x.outer;
    for (const Ball& x : padding) weighted += x.outer;
  }
  return bound_.DotResult(rule, result, a.size() + 1, rule.weight_error * weighted,
                          QuantumWith(rule.quantum, bias));
}

Bounded BallDomain::Sum(const DotRule& rule, std::span<const Ball> a) {
  const auto sums = std::bit_cast<Ball>(SumsOf(a));
  if (std::isnan(sums.value)) return NanOrUndecided(IsNanForSure({a}));
  return bound_.DotResult(rule, sums, a.size(), 0, rule.quantum);
}

Bounded BallDomain::Average(const DotRule& rule, std::span<const Ball> a, int64_t count) {
  const auto sums = std::bit_cast<Ball>(SumsOf(a));
  if (std::isnan(sums.value)) return NanOrUndecided(IsNanForSure({a}));
  return bound_.AverageResult(rule, sums, count);
}

double BallDomain::MaximumMagnitude(DType, std::span<const Ball> elements) const {
  double maximum = 0;
  for (const Ball& x : elements) {
    if (std::isnan(x.outer)) return x.outer;
    maximum = std::max(maximum, x.outer);
  }
  return maximum;
}

double BallDomain::Quantum(DType, std::span<const Ball> elements) const {
  if (!bound_.declarations().plain_sums) return 0;
  double quantum = 0;
  for (const Ball& x : elements) {
    if (x.value == 0) continue;
    if (x.outer != x.absolute || !std::isfinite(x.value)) return 0;
    // Divides by the odd part of the significand.
    constexpr uint64_t kHidden = uint64_t{1} << 52;
    const auto bits = std::bit_cast<uint64_t>(x.value);
    const double odd_bits = std::countr_zero((bits & (kHidden - 1)) | kHidden);
    const double unit = std::ldexp(1.0, std::ilogb(x.value) - 52 + static_cast<int>(odd_bits));
    quantum = quantum == 0 ? unit : std::min(quantum, unit);
  }
  return quantum;
}

}  // namespace assay

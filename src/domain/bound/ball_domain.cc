#include "ball_domain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ruling.h"

namespace assay {
namespace {

using Pair = BallDomain::Pair;
using Pairs = BallDomain::Pairs;

Pair PairAt(const double& first) {
  Pair pair;
  std::memcpy(&pair, &first, sizeof(pair));
  return pair;
}

Pairs PairsOf(const Ball& x) { return {PairAt(x.value), PairAt(x.absolute)}; }

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
  const double outer = (magnitude + radius) * (1 + 0x1p-51);
  return {value, Magnitude(outer, normal_min_), magnitude, outer};
}

void BallDomain::Read(DType type, std::span<const Bounded> elements,
                      std::vector<Ball>& balls) const {
  balls.resize(elements.size());
  std::ranges::transform(elements, balls.begin(),
                         [&](const Bounded& x) { return BallOf(type, x); });
}

// Adds the products of a[i] and b[k * a.size() + i] to sums[k]. The sums do not wait for each
// other.
template <size_t kCount>
void BallDomain::AddProducts(const DotRule& rule, std::span<const Ball> a, const Ball* b,
                             std::array<Pairs, kCount>& sums) const {
  const bool is_local = rule.input_maximum < 0;
  const double maximum = Magnitude(rule.input_maximum, normal_min_);  // or NaN
  for (size_t i = 0; i < a.size(); ++i) {
    const Pairs x = {Pair{a[i].value, is_local ? a[i].bound : maximum}, PairAt(a[i].absolute)};
    for (size_t k = 0; k < kCount; ++k) sums[k].AddProduct(x, PairsOf(b[k * a.size() + i]));
  }
}

Bounded BallDomain::ResultOf(const DotRule& rule, const Ball& sums, std::span<const Ball> a,
                             std::span<const Ball> b, std::span<const Ball> padding,
                             const Ball* bias) {
  if (std::isnan(sums.value)) {
    const std::span<const Ball> last(bias, bias == nullptr ? 0 : 1);
    return NanOrUndecided(IsNanForSure({a, b, last}) &&
                          (rule.weight_error == 0 || IsNanAnyway(rule, a, b)));
  }
  double weighted = 0;  // the magnitudes of what is weighted
  if (rule.weight_error != 0) {
    for (const Ball& x : a) weighted += x.outer;
    for (const Ball& x : padding) weighted += x.outer;
  }
  return bound_.DotResult(rule, sums, a.size() + 1, rule.weight_error * weighted,
                          QuantumWith(rule.quantum, bias));
}

Bounded BallDomain::Dot(const DotRule& rule, std::span<const Ball> a, std::span<const Ball> b,
                        std::span<const Ball> padding, const Ball* bias) {
  std::array<Pairs, 1> sums;
  AddProducts(rule, a, b.data(), sums);
  // tosa_extra_multiplies: the padding's zeros are multiplied by the weights at their positions.
  for (const Ball& w : padding) sums[0].value_bound[1] += 0.0 * w.outer;
  if (bias != nullptr) sums[0].Add(PairsOf(*bias));
  return ResultOf(rule, std::bit_cast<Ball>(sums[0]), a, b, padding, bias);
}

void BallDomain::Dots(const DotRule& rule, std::span<const Ball> a, std::span<const Ball> b,
                      std::span<const Ball> bias, std::span<Bounded> results) {
  constexpr size_t kTogether = 4;
  size_t done = 0;
  const auto finish = [&](const Pairs& products) {
    const Ball* last = bias.empty() ? nullptr : &bias[bias.size() == 1 ? 0 : done];
    Pairs sums = products;
    if (last != nullptr) sums.Add(PairsOf(*last));
    const std::span<const Ball> weights = b.subspan(done * a.size(), a.size());
    results[done++] = bound_.Store(rule.out_type,
                                   ResultOf(rule, std::bit_cast<Ball>(sums), a, weights, {}, last));
  };
  while (done + kTogether <= results.size()) {
    std::array<Pairs, kTogether> sums;
    AddProducts(rule, a, &b[done * a.size()], sums);
    for (const Pairs& products : sums) finish(products);
  }
  while (done < results.size()) {
    std::array<Pairs, 1> sums;
    AddProducts(rule, a, &b[done * a.size()], sums);
    finish(sums[0]);
  }
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

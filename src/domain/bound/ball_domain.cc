// SPDX-License-Identifier: Apache-2.0
#include "ball_domain.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lowest_bit.h"
#include "parallel.h"
#include "ruling.h"
#include "wide_vectors.h"

namespace assay {
namespace {

// A Ball as a vector of its four members.
using Members [[gnu::vector_size(sizeof(Ball))]] = double;

// Adds the products of a[i] and b[i] to `sums`. If `maximum` is not negative, it is the bound of
// every element of `a` except padding.
struct ProductSums {
  const Ball* a;
  const Ball* b;
  size_t size;
  double maximum;  // or NaN
  Ball* sums;

  [[gnu::always_inline]] void operator()() const {
    Members all{};
    const bool is_local = maximum < 0;
    for (size_t i = 0; i < size; ++i) {
      Members x, y;
      std::memcpy(&x, a + i, sizeof(x));
      x[1] = is_local || x[1] == 0 ? x[1] : maximum;
      std::memcpy(&y, b + i, sizeof(y));
      all += x * y;
    }
    std::memcpy(sums, &all, sizeof(all));
  }
};

void AddTo(Ball& sums, const Ball& x) {
  sums = {sums.value + x.value, sums.bound + x.bound, sums.absolute + x.absolute,
          sums.outer + x.outer};
}

Ball SumOf(std::span<const Ball> a) {
  Ball sums = {};
  for (const Ball& x : a) AddTo(sums, x);
  return sums;
}

// Returns true if a sum of the elements that is NaN is NaN for everything that may be passed on.
bool AnyIsNanForSure(std::initializer_list<std::span<const Ball>> operands) {
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

// Returns the quantum of a dot product, whose sums include the bias. The pseudocode converts the
// sum of the products to the output's type before it adds the bias. So this sum must be exact, too,
// and must not be flushed.
double QuantumWith(const DotRule& rule, const Ball& sums, const Ball* bias) {
  if (rule.quantum == 0 || bias == nullptr || bias->value == 0) return rule.quantum;
  const double products = sums.value - bias->value;
  const bool is_exact =
      std::fmod(bias->value, rule.quantum) == 0 && RoundToType(rule.out_type, products) == products;
  return is_exact && !IsSubnormal(rule.out_type, products) ? rule.quantum : 0;
}

}  // namespace

Ball BallDomain::BallOf(DType type, const Bounded& x) const {
  const double value = x.value.real();
  if (Determined(x)) return Number(value, MayFlush(type) ? FormatOf(type).normal_min : 0);
  // If nothing bounds the element, no product with `absolute` must be a NaN.
  const Interval interval = ReadByArithmetic(type, x, bound_.declarations());
  if (!interval.finite()) return {value, kInfinity, 0, kInfinity};
  const double magnitude = std::fabs(value);
  const double radius = std::max(interval.high - value, value - interval.low);
  const double outer = (magnitude + radius) * (1 + 0x1p-51);
  return {value, Magnitude(outer, normal_min_), magnitude, outer};
}

void BallDomain::Read(DType type, std::span<const Bounded> elements,
                      std::vector<Ball>& balls) const {
  constexpr double kNanosecondsOfBall = 10;
  balls.resize(elements.size());
  ForEachPart(std::ssize(elements), kNanosecondsOfBall, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      balls[i] = BallOf(type, elements[i]);
    }
  });
}

double BallDomain::BoundOfAll(const DotRule& rule) const {
  return rule.input_maximum ? Magnitude(*rule.input_maximum, normal_min_) : -1;  // or NaN
}

Bounded BallDomain::ResultOf(const DotRule& rule, const Ball& sums, std::span<const Ball> a,
                             std::span<const Ball> b, std::span<const Ball> padding,
                             const Ball* bias) {
  if (std::isnan(sums.value)) {
    const std::span<const Ball> last(bias, bias == nullptr ? 0 : 1);
    return NanOrUndecided(AnyIsNanForSure({a, b, last}) &&
                          (rule.weight_error == 0 || IsNanAnyway(rule, a, b)));
  }
  double weighted = 0;  // the magnitudes of what is weighted
  if (rule.weight_error != 0) {
    for (const Ball& x : a) weighted += x.outer;
    for (const Ball& x : padding) weighted += x.outer;
  }
  return bound_.DotResult(rule, sums, rule.weight_error * weighted, QuantumWith(rule, sums, bias));
}

Bounded BallDomain::Dot(const DotRule& rule, std::span<const Ball> a, std::span<const Ball> b,
                        std::span<const Ball> padding, const Ball* bias) {
  Ball sums;
  RunWide(ProductSums{a.data(), b.data(), a.size(), BoundOfAll(rule), &sums});
  // tosa_extra_multiplies: the padding's zeros are multiplied by the weights at their positions.
  for (const Ball& w : padding) sums.bound += 0.0 * w.outer;
  if (bias != nullptr) AddTo(sums, *bias);
  return ResultOf(rule, sums, a, b, padding, bias);
}

void BallDomain::Dots(const DotRule& rule, const BallRows& a, const BallColumns& b,
                      std::span<const Ball> bias, std::span<Bounded> results) {
  if (results.empty()) return;
  // Computes blocks of some rows and a panel of columns.
  constexpr size_t kRows = 32;
  const auto compute = [&](BallDomain& domain, int64_t begin, int64_t end) {
    std::vector<double> sums;
    for (auto block = static_cast<size_t>(begin); block < static_cast<size_t>(end); ++block) {
      const size_t panel = block % b.panels(), first = block / b.panels() * kRows;
      const size_t rows = std::min(kRows, a.count() - first), lanes = b.Lanes(panel);
      SumPanel(a, first, rows, b, panel, sums);
      for (size_t row = 0; row < rows; ++row) {
        for (size_t lane = 0; lane < b.Columns(panel); ++lane) {
          const size_t column = b.FirstColumn(panel) + lane;
          const Ball* last = bias.empty() ? nullptr : &bias[bias.size() == 1 ? 0 : column];
          const auto at = [&](size_t member) { return sums[(member * rows + row) * lanes + lane]; };
          Ball sum = {at(0), at(1), at(2), at(3)};
          if (last != nullptr) AddTo(sum, *last);
          const Bounded result =
              std::isnan(sum.value)
                  ? domain.ResultOf(rule, sum, a.BallsOf(first + row), b.BallsOf(column), {}, last)
                  : domain.bound_.DotResult(rule, sum, 0, QuantumWith(rule, sum, last));
          results[(first + row) * b.count() + column] = domain.bound_.Store(rule.out_type, result);
        }
      }
    }
  };
  const auto blocks = static_cast<int64_t>((a.count() + kRows - 1) / kRows * b.panels());
  const double nanoseconds = static_cast<double>(results.size() / static_cast<size_t>(blocks)) *
                             (0.1 * static_cast<double>(a.size()) + 20);
  // The first block records the rule, so that the parts need not.
  compute(*this, 0, 1);
  ForEachPart(blocks - 1, nanoseconds, [&](int64_t begin, int64_t end) {
    BoundDomain bound(bound_.declarations());
    BallDomain part(bound, rule.in_type);
    compute(part, begin + 1, end + 1);
  });
}

Bounded BallDomain::Sum(const DotRule& rule, std::span<const Ball> a) {
  const Ball sums = SumOf(a);
  if (std::isnan(sums.value)) return NanOrUndecided(AnyIsNanForSure({a}));
  return bound_.DotResult(rule, sums, 0, rule.quantum);
}

Bounded BallDomain::Average(const DotRule& rule, std::span<const Ball> a, int64_t count) {
  const Ball sums = SumOf(a);
  if (std::isnan(sums.value)) return NanOrUndecided(AnyIsNanForSure({a}));
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
    const double unit = LowestSetBit(x.value);
    quantum = quantum == 0 ? unit : std::min(quantum, unit);
  }
  return quantum;
}

}  // namespace assay

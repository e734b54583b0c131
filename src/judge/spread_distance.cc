// SPDX-License-Identifier: Apache-2.0
#include "spread_distance.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "accuracy.h"
#include "float_format.h"
#include "windows.h"

namespace assay {
namespace {

// Single elements outside the range are no evidence: a result may lie beside a threshold.
constexpr double kStrays = 4;

// The elements about which an expectation says little; all elements if there is none.
class ComparedElements {
 public:
  explicit ComparedElements(const Expectation* expected)
      : expected_(expected), most_(expected == nullptr ? 0 : MostOf(*expected)) {}

  bool Contain(int64_t i) const { return expected_ == nullptr || !(ErrorOf(i) <= most_); }
  bool IsUndecided(int64_t i) const { return expected_ == nullptr || !std::isfinite(ErrorOf(i)); }

 private:
  static double MostOf(const Expectation& expected) {
    return IsFloat(expected.value.type()) ? VagueError(expected) : HUGE_VAL;
  }
  double ErrorOf(int64_t i) const {
    const auto at = static_cast<size_t>(i);
    if (at >= expected_->error.size()) return 0;
    return std::isinf(expected_->error[at]) ? NAN : expected_->error[at];
  }

  const Expectation* expected_;
  double most_;  // an error that is larger says little
};

// The values that the members have for one element.
struct ElementValues {
  double low = HUGE_VAL, high = -HUGE_VAL, sum = 0;
  bool finite = true;

  void Add(double x) {
    finite = finite && std::isfinite(x);
    low = std::min(low, x);
    high = std::max(high, x);
    sum += x;
  }
  double largest() const { return std::max(std::fabs(low), std::fabs(high)); }
  // Returns true if the members agree on the first digits of the value.
  bool agree() const { return finite && high - low <= largest() / 2; }
};

double UnitOf(DType type, double x) {
  const FloatFormat& format = FormatOf(type);
  return std::max(UlpError(type, x, 1), std::ldexp(format.normal_min, -format.fraction_bits));
}

SpreadDistance DistanceOfFloats(std::span<const Tensor> members, const Tensor& got,
                                const Expectation* expected) {
  const double max = FormatOf(got.type()).max;
  const ComparedElements elements(expected);
  SpreadDistance result;
  std::vector<std::pair<int64_t, ElementValues>> compared;
  double largest = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    if (!elements.Contain(i)) continue;
    ElementValues values;
    for (const Tensor& member : members) values.Add(member.Float(i));
    if (!values.agree() || values.largest() > max / 4) continue;
    largest = std::max(largest, values.largest());
    compared.emplace_back(i, values);
    result.undecided += elements.IsUndecided(i) ? 1 : 0;
  }
  if (largest == 0) return {};  // nothing gives a scale
  const double unit = UnitOf(got.type(), largest);
  double differences = 0, ranges = 0, furthest = -1;
  for (const auto& [i, values] : compared) {
    // No member is near an infinity, or has a NaN.
    const double x = std::isfinite(got.Float(i)) ? got.Float(i) : max;
    const double difference = std::fabs(x - values.sum / static_cast<double>(members.size()));
    const double range = values.high - values.low + unit;
    differences += difference * difference;
    ranges += range * range;
    if (difference > furthest) {
      furthest = difference;
      result.element = i;
    }
  }
  result.compared = std::ssize(compared);
  result.distance = std::sqrt(differences / ranges);
  return result;
}

SpreadDistance DistanceOfIntegers(std::span<const Tensor> members, const Tensor& got,
                                  const Expectation* expected) {
  const ComparedElements elements(expected);
  SpreadDistance result;
  int64_t outside = 0, furthest = 0;
  std::vector<int64_t> alone(members.size());  // elements of a member outside the others' range
  std::vector<int64_t> sorted(members.size());
  for (int64_t i = 0; i < got.elements(); ++i) {
    if (!elements.Contain(i)) continue;
    ++result.compared;
    result.undecided += elements.IsUndecided(i) ? 1 : 0;
    for (size_t m = 0; m < members.size(); ++m) sorted[m] = members[m].Integer(i);
    std::ranges::sort(sorted);
    for (size_t m = 0; m < members.size() && sorted.size() > 1; ++m) {
      const int64_t x = members[m].Integer(i);
      alone[m] += x < sorted[1] || x > sorted[sorted.size() - 2] ? 1 : 0;
    }
    const int64_t x = got.Integer(i);
    const int64_t beyond = std::max(sorted.front() - x, x - sorted.back());
    if (beyond <= 0) continue;
    ++outside;
    if (beyond > furthest) {
      furthest = beyond;
      result.element = i;
    }
  }
  const auto most = static_cast<double>(*std::ranges::max_element(alone));
  result.distance = static_cast<double>(outside) / (most + kStrays);
  return result;
}

}  // namespace

SpreadDistance DistanceFrom(std::span<const Tensor> members, const Tensor& got,
                            const Expectation* expected) {
  const auto fits = [&got](const Tensor& member) {
    return member.type() == got.type() && member.shape() == got.shape();
  };
  if (members.empty() || !std::ranges::all_of(members, fits)) return {};
  return IsFloat(got.type()) ? DistanceOfFloats(members, got, expected)
                             : DistanceOfIntegers(members, got, expected);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// Tests how the order of a sum is told from its results, on sums that are done in that order.
#include "summation_order.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <span>

namespace assay::summation_order_test {
namespace {

using Sum = std::function<float(std::span<const float> terms)>;

MeetingTerms Asked(int terms, const Sum& sum) {
  MeetingTerms meeting(terms);
  for (int i = 0; i < terms; ++i) {
    for (int j = i + 1; j < terms; ++j) {
      std::vector<float> values(static_cast<size_t>(terms), 1);
      values[static_cast<size_t>(i)] = 0x1p100F;
      values[static_cast<size_t>(j)] = -0x1p100F;
      meeting.Set(i, j, terms - static_cast<int>(sum(values)));
    }
  }
  return meeting;
}

float Forward(std::span<const float> x) { return std::accumulate(x.begin(), x.end(), 0.0F); }
float Backward(std::span<const float> x) { return std::accumulate(x.rbegin(), x.rend(), 0.0F); }

float Pairwise(std::span<const float> x) {
  if (x.size() == 1) return x[0];
  return Pairwise(x.first(x.size() / 2)) + Pairwise(x.last(x.size() - x.size() / 2));
}

template <size_t kLanes>
float InLanes(std::span<const float> x) {
  float lanes[kLanes] = {};
  for (size_t i = 0; i < x.size(); ++i) lanes[i % kLanes] += x[i];
  return Pairwise(lanes);
}

float InBlocks(std::span<const float> x) {
  float sum = 0;
  for (size_t i = 0; i < x.size(); i += 4) sum += Forward(x.subspan(i, 4));
  return sum;
}

float InHalves(std::span<const float> x) {
  std::vector<float> sums(x.begin(), x.end());
  for (size_t half = x.size() / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

// Adds four terms to the sum in one step, as some matrix units do. Small ones beside a large one
// are lost, even if the large ones cancel.
float FourAtOnce(std::span<const float> x) {
  float sum = 0;
  for (size_t i = 0; i < x.size(); i += 4) {
    float large = 0, small = 0;
    bool any_large = false;
    const auto add = [&](float term) {
      const bool is_large = term > 0x1p90F || term < -0x1p90F;
      (is_large ? large : small) += term;
      any_large |= is_large;
    };
    add(sum);
    for (const float term : x.subspan(i, 4)) add(term);
    sum = any_large ? large : small;
  }
  return sum;
}

float InDoubles(std::span<const float> x) {
  double sum = 0;
  for (const float term : x) sum += term > 2 ? 0x1p40 : term < -2 ? -0x1p40 : term;
  return static_cast<float>(sum);
}

TEST(SummationOrder, NamesCommonOrders) {
  const std::pair<Sum, const char*> orders[] = {
      {Forward, "one after the other, from the first"},
      {Backward, "one after the other, from the last"},
      {Pairwise, "in pairs of neighbours, then pairs of these sums"},
      {InLanes<4>,
       "in 4 lanes, then the lanes: [[[0..12 step 4] [1..13 step 4]] [[2..14 step 4] "
       "[3..15 step 4]]]"},
      {InDoubles,
       "no ones are lost: partial sums are more precise than the type, or large terms meet first"},
  };
  for (const auto& [sum, text] : orders) EXPECT_EQ(SummationOrderText(Asked(16, sum)), text);
}

TEST(SummationOrder, WritesOtherOrdersAsTrees) {
  EXPECT_EQ(SummationOrderText(Asked(12, InBlocks)), "[[0..3] [4..7] [8..11]]");
  EXPECT_EQ(SummationOrderText(Asked(8, InHalves)),
            "in 4 lanes, then the lanes: [[[0 4] [2 6]] [[1 5] [3 7]]]");
  EXPECT_EQ(SummationOrderText(Asked(8, FourAtOnce)), "{{0..3} 4..7}");
}

TEST(SummationOrder, SaysThatNoTreeFits) {
  int sums = 0;
  const auto differs = [&sums](std::span<const float> x) {
    return ++sums % 2 == 0 ? Forward(x) : Backward(x);
  };
  EXPECT_TRUE(SummationOrderText(Asked(8, differs)).starts_with("no tree fits"));
  EXPECT_TRUE(SummationOrderText(Asked(8, [](auto) { return 0.0F; })).starts_with("{0..7}"));
  EXPECT_TRUE(
      SummationOrderText(Asked(8, [](auto) { return -900.0F; })).starts_with("no tree fits"));
}

}  // namespace
}  // namespace assay::summation_order_test

// SPDX-License-Identifier: Apache-2.0
#include "filler_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <vector>

#include "random.h"

namespace assay {

void PrintTo(const Filler& filler, std::ostream* out) {
  *out << filler.size << " in [" << filler.from << ", " << filler.to << ")";
}

}  // namespace assay

namespace assay::filler_split_test {
namespace {

std::vector<Filler> Sorted(std::vector<Filler> fillers) {
  std::sort(fillers.begin(), fillers.end(), [](const Filler& a, const Filler& b) {
    return std::tie(a.from, a.to, a.size) < std::tie(b.from, b.to, b.size);
  });
  return fillers;
}

std::vector<Filler> Split(const std::vector<FreeStep>& steps, uint64_t attempt) {
  return Sorted(SplitIntoFillers(steps, attempt));
}

// Without groups, the largest filler would lose what the other one loses.
TEST(FillerSplit, EndsFillersWhereStepsAddUpToNothing) {
  const std::vector<FreeStep> steps = {{0, 60, false}, {1, 31, false},  {2, -10, false},
                                       {3, -9, false}, {4, -12, false}, {5, -60, false}};
  EXPECT_EQ(Split(steps, 0), (std::vector<Filler>{{60, 0, 5}, {10, 1, 2}, {9, 1, 3}, {12, 1, 4}}));
}

TEST(FillerSplit, SplitsAFillerWhereItBegins) {
  const std::vector<FreeStep> steps = {{0, 50, false}, {1, -20, true}, {2, -30, false}};
  EXPECT_EQ(Split(steps, 0), (std::vector<Filler>{{20, 0, 1}, {30, 0, 2}}));
}

TEST(FillerSplit, MovesFreeSpaceWhereBuffersEndAndBegin) {
  std::vector<FreeStep> steps = {{0, 20, false}, {1, 30, true}, {2, -50, false}};
  const std::vector<Filler> moved = {{20, 0, 1}, {50, 1, 2}}, stayed = {{20, 0, 2}, {30, 1, 2}};
  EXPECT_EQ(Split(steps, 0), moved);
  EXPECT_EQ(Split(steps, 1), stayed);
  std::set<bool> moves;
  for (uint64_t attempt = 2; attempt < 32; ++attempt) moves.insert(Split(steps, attempt) == moved);
  EXPECT_EQ(moves.size(), 2u);
  steps[1].both = false;
  EXPECT_EQ(Split(steps, 0), stayed);
}

// A group must not take what others have: the pair (0, 3) would leave less than nothing in [1, 2).
TEST(FillerSplit, NeverTakesMoreThanIsFree) {
  const std::vector<FreeStep> steps = {
      {0, 5, false}, {1, -3, false}, {2, 3, false}, {3, -5, false}};
  EXPECT_EQ(Split(steps, 0), (std::vector<Filler>{{3, 0, 1}, {2, 0, 3}, {3, 2, 3}}));
}

TEST(FillerSplit, TakesExactlyWhatIsFree) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    std::map<int64_t, int64_t> changes;
    const int64_t size_max = random.OneIn(2) ? 5 : 1000;
    for (int64_t i = random.Between(1, 30); i > 0; --i) {
      const int64_t from = random.Between(0, 20), size = random.Between(1, size_max);
      changes[from] += size;
      changes[random.Between(from + 1, 22)] -= size;
    }
    std::vector<FreeStep> steps;
    for (const auto& [tick, change] : changes) {
      if (change != 0) steps.push_back({tick, change, random.OneIn(2)});
    }
    for (uint64_t attempt = 0; attempt < 4; ++attempt) {
      std::map<int64_t, int64_t> taken;
      for (const Filler& filler : SplitIntoFillers(steps, attempt)) {
        ASSERT_GT(filler.size, 0) << seed;
        ASSERT_LT(filler.from, filler.to) << seed;
        taken[filler.from] += filler.size;
        taken[filler.to] -= filler.size;
      }
      std::erase_if(taken, [](const auto& change) { return change.second == 0; });
      std::map<int64_t, int64_t> free;
      for (const FreeStep& step : steps) free[step.tick] = step.change;
      EXPECT_EQ(taken, free) << seed;
    }
  }
}

}  // namespace
}  // namespace assay::filler_split_test

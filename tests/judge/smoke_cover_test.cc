// SPDX-License-Identifier: Apache-2.0
// Tests the choice of few cases that reach what all reach.
#include "smoke_cover.h"

#include <gtest/gtest.h>

#include <set>

#include "new_items_first.h"
#include "random.h"

namespace assay::smoke_cover_test {
namespace {

using Numbers = std::vector<int64_t>;

TEST(SmokeCover, TakesWhatAddsMostThenSmallOnes) {
  EXPECT_EQ(SmokeCover({}), Numbers{});
  EXPECT_EQ(SmokeCover({{5, 10, {}}}), Numbers{});
  EXPECT_EQ(SmokeCover({{0, 10, {0, 1}}, {1, 10, {0, 1, 2}}, {2, 10, {3}}}), (Numbers{1, 2}));
  EXPECT_EQ(SmokeCover({{0, 20, {0, 1}}, {1, 10, {0, 1}}, {2, 10, {0, 1}}}), (Numbers{1}));
}

// The first choice, 0, is not needed behind the others.
TEST(SmokeCover, LeavesOutWhatTheOthersReachAsWell) {
  EXPECT_EQ(SmokeCover({{0, 1, {0, 1, 2, 3}}, {1, 1, {0, 1, 4}}, {2, 1, {2, 3, 5}}}),
            (Numbers{1, 2}));
}

// Case 0 reaches as many items as case 2 and as case 3, but no rare one.
TEST(SmokeCover, TakesRareItemsFirst) {
  EXPECT_EQ(SmokeCover({{0, 1, {3, 4}}, {1, 1, {2}}, {2, 1, {1, 3}}, {3, 1, {2, 4}}}),
            (Numbers{2, 3}));
}

TEST(SmokeCover, ReachesEverything) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<SmokeCandidate> candidates;
    std::set<int32_t> all, reached;
    for (int64_t i = 0; i < 100; ++i) {
      std::set<int32_t> items;
      for (int k = 0; k < 5; ++k) items.insert(static_cast<int32_t>(random.Between(0, 60)));
      all.insert(items.begin(), items.end());
      candidates.push_back({i, random.Between(1, 9), {items.begin(), items.end()}});
    }
    const Numbers chosen = SmokeCover(candidates);
    for (const int64_t number : chosen) {
      const auto& items = candidates[static_cast<size_t>(number)].items;
      reached.insert(items.begin(), items.end());
    }
    EXPECT_EQ(reached, all);
    EXPECT_LT(chosen.size(), 30u);
  }
}

using Positions = std::vector<size_t>;

TEST(NewItemsFirst, TakesWhatAddsMostThenTheFirst) {
  std::set<int32_t> reached = {9};
  EXPECT_EQ(NewItemsFirst({{9}, {0, 1}, {2}, {0, 1, 9}, {1, 2, 3}}, 10, reached),
            (Positions{4, 1, 0, 2, 3}));
  EXPECT_EQ(reached, (std::set<int32_t>{0, 1, 2, 3, 9}));
}

// The fourth choice adds nothing, and a later candidate would add something.
TEST(NewItemsFirst, TakesEveryFourthInOrder) {
  std::set<int32_t> reached;
  EXPECT_EQ(NewItemsFirst({{}, {}, {0, 1, 2, 3}, {4, 5, 6}, {7, 8}, {9}}, 6, reached),
            (Positions{2, 3, 4, 0, 5, 1}));
}

TEST(NewItemsFirst, TakesNoMoreThanItMay) {
  std::set<int32_t> reached;
  EXPECT_EQ(NewItemsFirst({{0}, {1, 2}, {3}}, 2, reached), (Positions{1, 0}));
  EXPECT_EQ(reached, (std::set<int32_t>{0, 1, 2}));
  EXPECT_EQ(NewItemsFirst({}, 2, reached), Positions{});
}

}  // namespace
}  // namespace assay::smoke_cover_test

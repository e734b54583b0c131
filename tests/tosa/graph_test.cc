// SPDX-License-Identifier: Apache-2.0
// Tests shapes of few dimensions and of many, which are stored differently.
#include "graph.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

namespace assay::graph_test {
namespace {

// Returns {1, 2, ..., rank}.
std::vector<int32_t> Counting(int rank) {
  std::vector<int32_t> dims(static_cast<size_t>(rank));
  std::iota(dims.begin(), dims.end(), 1);
  return dims;
}

std::vector<int32_t> DimsOf(const Shape& shape) { return {shape.begin(), shape.end()}; }

TEST(Shape, GrowsToAllRanksAndShrinksAgain) {
  Shape shape;
  for (int rank = 0; rank < Shape::kMaxRank; ++rank) {
    EXPECT_EQ(DimsOf(shape), Counting(rank));
    EXPECT_EQ(shape, Shape(Counting(rank)));
    shape.PushBack(rank + 1);
  }
  for (int rank = Shape::kMaxRank; rank > 0; --rank) {
    EXPECT_EQ(DimsOf(shape), Counting(rank));
    shape.Erase(rank - 1);
  }
  EXPECT_EQ(shape, Shape());
}

TEST(Shape, InsertsAndErasesInTheMiddleAtEveryRank) {
  for (int rank = 1; rank < Shape::kMaxRank; ++rank) {
    Shape shape(Counting(rank));
    shape.Insert(1, -7);
    std::vector<int32_t> expected = Counting(rank);
    expected.insert(expected.begin() + 1, -7);
    EXPECT_EQ(DimsOf(shape), expected);
    shape.Erase(0);
    expected.erase(expected.begin());
    EXPECT_EQ(DimsOf(shape), expected);
  }
}

TEST(Shape, CopiesAreIndependent) {
  for (const int from_rank : {0, 3, 7, 8, 32}) {
    const Shape from(Counting(from_rank));
    for (const int to_rank : {0, 6, 9}) {
      Shape to(Counting(to_rank));
      to = from;
      EXPECT_EQ(to, from);
      if (from_rank > 0) to[0] = -1;
      EXPECT_EQ(DimsOf(from), Counting(from_rank));
      to = Shape(from);
      EXPECT_EQ(to, from);
    }
    Shape same(from);
    const Shape& alias = same;
    same = alias;
    EXPECT_EQ(same, from);
    const Shape moved = std::move(same);
    EXPECT_EQ(moved, from);
    same = Shape({4, 5});  // a shape that was moved from may be assigned to
    EXPECT_EQ(same.ToString(), "[4,5]");
  }
}

}  // namespace
}  // namespace assay::graph_test

// SPDX-License-Identifier: Apache-2.0
// Proves that the sweep finds the overlaps of the definition. Compares the smallest peak of a pool
// with the best of all orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "checked_plan.h"
#include "random.h"
#include "smallest_peak.h"
#include "solver.h"

namespace assay::overlap_proof_test {
namespace {

// A few buffers with symbolic numbers. Each lives for at least one tick and has at least a given
// number of bytes.
class SymbolicBuffers {
 public:
  SymbolicBuffers(int count, int64_t least_size) : count_(count) {
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      lower_.push_back(s.IntegerVariable("lower" + number));
      upper_.push_back(s.IntegerVariable("upper" + number));
      offset_.push_back(s.IntegerVariable("offset" + number));
      const Term size = s.IntegerVariable("size" + number);
      end_.push_back(s.Add(offset_.back(), size));
      s.Assert(s.Less(lower_.back(), upper_.back()));
      s.Assert(s.LessOrEqual(s.Integer(least_size), size));
    }
  }

  // Returns the condition that some two are live at once and share a byte.
  Term Definition() {
    std::vector<Term> any;
    for (int i = 0; i < count_; ++i) {
      for (int j = 0; j < i; ++j) {
        any.push_back(
            All({s.Less(At(lower_, i), At(upper_, j)), s.Less(At(lower_, j), At(upper_, i)),
                 s.Less(At(offset_, i), At(end_, j)), s.Less(At(offset_, j), At(end_, i))}));
      }
    }
    return s.Or(any);
  }

  // Returns the condition that some buffer, when it begins, overlaps a neighbour: it reaches into
  // the live buffer next above it, or the live buffer next below reaches into it. The second case
  // is left out unless `with_lower_neighbour`.
  Term Sweep(bool with_lower_neighbour = true) {
    std::vector<Term> any;
    for (int begins = 0; begins < count_; ++begins) {
      for (int other = 0; other < count_; ++other) {
        if (other == begins) continue;
        any.push_back(Reaches(begins, other, At(lower_, begins)));
        if (with_lower_neighbour) any.push_back(Reaches(other, begins, At(lower_, begins)));
      }
    }
    return s.Or(any);
  }

  // Asks the solver for numbers on which the two conditions differ.
  SolverAnswer Differ(Term a, Term b) {
    const Term either[] = {All({a, s.Not(b)}), All({b, s.Not(a)})};
    s.Assert(s.Or(either));
    return s.Solve();
  }

  Solver s{Logic::kIntegers};

 private:
  static Term At(const std::vector<Term>& terms, int i) { return terms[static_cast<size_t>(i)]; }
  Term All(const std::vector<Term>& all) { return s.And(all); }
  Term Live(int i, Term tick) {
    return All({s.LessOrEqual(At(lower_, i), tick), s.Less(tick, At(upper_, i))});
  }
  // Returns the condition that i lies before j: by address, or by number if the addresses are
  // equal.
  Term Before(int i, int j) {
    return i < j ? s.LessOrEqual(At(offset_, i), At(offset_, j))
                 : s.Less(At(offset_, i), At(offset_, j));
  }
  // Returns the condition that both are live at the tick, with nothing live between them, and `low`
  // reaches into `high`.
  Term Reaches(int low, int high, Term tick) {
    std::vector<Term> all = {Live(low, tick), Live(high, tick), Before(low, high),
                             s.Less(At(offset_, high), At(end_, low))};
    for (int k = 0; k < count_; ++k) {
      if (k == low || k == high) continue;
      all.push_back(s.Not(All({Live(k, tick), Before(low, k), Before(k, high)})));
    }
    return All(all);
  }

  const int count_;
  std::vector<Term> lower_, upper_, offset_, end_;
};

TEST(SweepLemma, NeighboursAreEnoughForUpToFourBuffers) {
  for (int count = 2; count <= 4; ++count) {
    SymbolicBuffers buffers(count, 1);
    EXPECT_EQ(buffers.Differ(buffers.Definition(), buffers.Sweep()), SolverAnswer::kUnsatisfiable)
        << count;
  }
}

TEST(SweepLemma, OneNeighbourIsNotEnough) {
  SymbolicBuffers buffers(2, 1);
  EXPECT_EQ(buffers.Differ(buffers.Definition(), buffers.Sweep(false)), SolverAnswer::kSatisfiable);
}

TEST(SweepLemma, EmptyBuffersWouldHideCollisions) {
  SymbolicBuffers buffers(3, 0);
  EXPECT_EQ(buffers.Differ(buffers.Definition(), buffers.Sweep()), SolverAnswer::kSatisfiable);
}

// --- the smallest peak -------------------------------------------------------------------------

bool AreLiveAtOnce(const BufferInfo& a, const BufferInfo& b) {
  return std::max(a.live[0].lower, b.live[0].lower) < std::min(a.live[0].upper, b.live[0].upper);
}

// Places each buffer, in this order, at the lowest free offset. The order of offsets in a best plan
// gives a plan that is as good.
MemoryPlan FirstFit(const MemoryProblem& problem, const std::vector<size_t>& order) {
  MemoryPlan plan;
  plan.allocations.resize(problem.buffers.size());
  for (const size_t i : order) {
    const BufferInfo& buffer = problem.buffers[i];
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t j = 0; j < problem.buffers.size(); ++j) {
        const BufferInfo& other = problem.buffers[j];
        if (!plan.allocations[j] || !AreLiveAtOnce(buffer, other)) continue;
        const int64_t begin = plan.allocations[j]->offset, end = begin + other.size_bytes;
        if (offset < end && begin < offset + buffer.size_bytes) {
          offset = (end + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
          moved = true;
        }
      }
    }
    plan.allocations[i] = PoolAllocation{0, offset};
  }
  return plan;
}

int64_t PeakOf(const MemoryProblem& problem, const MemoryPlan& plan) {
  return CheckPlan(problem, plan).pools[0].peak;
}

std::vector<size_t> FileOrder(const MemoryProblem& problem) {
  std::vector<size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

int64_t SmallestByTryingAll(const MemoryProblem& problem) {
  std::vector<size_t> order = FileOrder(problem);
  int64_t smallest = PeakOf(problem, FirstFit(problem, order));
  while (std::next_permutation(order.begin(), order.end())) {
    smallest = std::min(smallest, PeakOf(problem, FirstFit(problem, order)));
  }
  return smallest;
}

enum class Alignments { kNone, kSame, kMixed };

MemoryProblem RandomProblem(Random& random, int64_t count, Alignments alignments) {
  MemoryProblem problem;
  problem.pools = {{.name = "p"}};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t lower = random.Between(0, count);
    const int64_t alignment = alignments == Alignments::kNone   ? 1
                              : alignments == Alignments::kSame ? 4
                                                                : random.Between(1, 4);
    problem.buffers.push_back({.name_hint = std::to_string(i),
                               .size_bytes = random.Between(1, 8),
                               .alignment = alignment,
                               .live = {{lower, lower + random.Between(1, count / 2)}}});
  }
  return problem;
}

TEST(SmallestPeak, AsByTryingEveryOrder) {
  int improved = 0, above_live = 0;
  for (uint64_t i = 0; i < 60; ++i) {
    Random random = Random::For(5, i, "problems", 1);
    const MemoryProblem problem = RandomProblem(random, 6, static_cast<Alignments>(i % 3));
    const MemoryPlan plan = FirstFit(problem, FileOrder(problem));
    const PoolUse use = CheckPlan(problem, plan).pools[0];
    const auto best = FindSmallestPeak(problem, plan, 0, use);
    ASSERT_TRUE(best);
    EXPECT_EQ(best->peak, SmallestByTryingAll(problem)) << i;
    EXPECT_EQ(best->bound, best->peak);
    EXPECT_TRUE(CheckPlan(problem, best->plan).breaches.empty());
    EXPECT_EQ(PeakOf(problem, best->plan), best->peak);
    improved += best->peak < use.peak ? 1 : 0;
    above_live += best->peak > use.bound ? 1 : 0;
  }
  EXPECT_GT(improved, 10);
  EXPECT_GT(above_live, 5);
}

// Returns thirty buffers that fill a rectangle of `height` bytes and 12 ticks, so that the smallest
// peak is known.
MemoryProblem CutRectangle(uint64_t seed, int64_t height) {
  Random random = Random::For(6, seed, "problems", 1);
  struct Piece {
    int64_t lower, upper, begin, end;
  };
  std::vector<Piece> pieces = {{0, 12, 0, height}};
  while (pieces.size() < 30) {
    Piece& piece = pieces[random.Below(pieces.size())];
    Piece rest = piece;
    if (random.OneIn(2) && piece.upper - piece.lower > 1) {
      piece.upper = rest.lower = random.Between(piece.lower + 1, piece.upper - 1);
    } else if (piece.end - piece.begin > 1) {
      piece.end = rest.begin = random.Between(piece.begin + 1, piece.end - 1);
    } else {
      continue;
    }
    pieces.push_back(rest);
  }
  MemoryProblem problem;
  problem.pools = {{.name = "p", .size_bytes = height}};
  for (const Piece& piece : pieces) {
    problem.buffers.push_back({.name_hint = std::to_string(problem.buffers.size()),
                               .size_bytes = piece.end - piece.begin,
                               .live = {{piece.lower, piece.upper}}});
  }
  return problem;
}

TEST(SmallestPeak, OfACutRectangleIsItsHeight) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    MemoryProblem problem = CutRectangle(seed, 64);
    const MemoryPlan plan = FirstFit(problem, FileOrder(problem));
    const PoolUse use = CheckPlan(problem, plan).pools[0];
    EXPECT_EQ(use.bound, 64);
    const auto best = FindSmallestPeak(problem, plan, 0, use);
    ASSERT_TRUE(best);
    EXPECT_EQ(best->peak, 64) << seed;
    EXPECT_EQ(FitsInto(problem, plan, 0, use), PoolFit::kFits);
    problem.pools[0].size_bytes = 63;
    EXPECT_EQ(FitsInto(problem, plan, 0, use), PoolFit::kDoesNotFit);
  }
}

TEST(SmallestPeak, FixedOffsetsWindowsAndLists) {
  // a must lie at 8 of [0, 16). b (8 bytes) is in conflict with a by the list, so b lies below it,
  // at 0.
  MemoryProblem problem;
  problem.pools = {{.name = "p", .size_bytes = 16}};
  problem.buffers = {{.name_hint = "a", .size_bytes = 8, .live = {{0, 1}}, .fixed_offset = 8},
                     {.name_hint = "b", .size_bytes = 8, .live = {{1, 2}}, .conflicts = {0}}};
  MemoryPlan plan{{PoolAllocation{0, 8}, PoolAllocation{0, 16}}};
  PoolUse use = CheckPlan(problem, plan).pools[0];
  EXPECT_EQ(FindSmallestPeak(problem, plan, 0, use)->peak, 16);
  EXPECT_EQ(FitsInto(problem, plan, 0, use), PoolFit::kFits);
  // c is live with both, with bytes 2 to 4 of its 6. There is no room for it below 16.
  problem.buffers.push_back({.name_hint = "c", .size_bytes = 6, .live = {{0, 2, 2, 4}}});
  plan.allocations.push_back(PoolAllocation{0, 22});
  use = CheckPlan(problem, plan).pools[0];
  EXPECT_EQ(FitsInto(problem, plan, 0, use), PoolFit::kDoesNotFit);
  // Byte 2 of c lies at 16 at the earliest, so c ends at 14 + 6.
  EXPECT_EQ(FindSmallestPeak(problem, plan, 0, use)->peak, 20);
}

TEST(SmallestPeak, NothingIsAskedOfManyBuffers) {
  Random random(1);
  const MemoryProblem problem = RandomProblem(random, 31, Alignments::kNone);
  const MemoryPlan plan = FirstFit(problem, FileOrder(problem));
  const PoolUse use = CheckPlan(problem, plan).pools[0];
  EXPECT_FALSE(FindSmallestPeak(problem, plan, 0, use));
  EXPECT_EQ(FitsInto(problem, plan, 0, use), PoolFit::kUndecided);
}

}  // namespace
}  // namespace assay::overlap_proof_test

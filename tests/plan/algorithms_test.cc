// SPDX-License-Identifier: Apache-2.0
// Tests the laws of all planning algorithms on random problems: every plan that they return meets
// the plain definition of a valid plan, and a problem that they refuse cannot be planned.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "files.h"
#include "hard_packings.h"
#include "pairwise_plan.h"
#include "placement.h"
#include "planner.h"
#include "planner_tables.h"
#include "random.h"
#include "random_problem.h"
#include "rounds.h"

namespace assay::algorithms_test {
namespace {

std::string Named(const Algorithm& algorithm, uint64_t seed) {
  return std::string(algorithm.name) + ", problem " + std::to_string(seed);
}

constexpr int64_t kFewSteps = 50'000;

TEST(Plans, OfAllAlgorithmsAreValid) {
  int planned = 0, refused = 0;
  for (uint64_t seed = 0; seed < Rounds(3000); ++seed) {
    Random random(seed);
    const bool tight = random.OneIn(2);
    const MemoryProblem problem = RandomProblem(random, 1 + random.Below(14), tight);
    ASSERT_TRUE(ValidateProblem(problem)) << ValidateProblem(problem).error().message;
    for (const Algorithm* algorithm : AllAlgorithms()) {
      const Result<PlanningResult> result = PlanMemory(problem, *algorithm, kFewSteps);
      if (!result) {
        EXPECT_TRUE(tight) << Named(*algorithm, seed) << ": " << result.error().message;
        ++refused;
        continue;
      }
      ++planned;
      EXPECT_EQ(WrongInPlan(problem, result->plan), "") << Named(*algorithm, seed);
      EXPECT_GE(result->total_bytes, result->bound_bytes) << Named(*algorithm, seed);
      EXPECT_EQ(result->total_bytes, TotalBytes(problem, result->plan)) << Named(*algorithm, seed);
    }
  }
  EXPECT_GT(planned, Rounds(10'000));
  EXPECT_GT(refused, Rounds(1'000));
}

TEST(Plans, AreTheSameEachTime) {
  for (uint64_t seed = 0; seed < Rounds(100); ++seed) {
    Random random(seed);
    const MemoryProblem problem = RandomProblem(random, 12, false);
    for (const Algorithm* algorithm : AllAlgorithms()) {
      EXPECT_EQ(PlanMemory(problem, *algorithm, kFewSteps)->plan,
                PlanMemory(problem, *algorithm, kFewSteps)->plan)
          << Named(*algorithm, seed);
    }
  }
}

// The definition that the law above rests on notices each mistake that a plan can have.
TEST(Plans, ThatWereBrokenAreNotValid) {
  MemoryProblem problem;
  problem.pools = {{"a", 100, 16, 8, {}}, {"b", {}, 0, 0, {}}};
  problem.buffers = {{"x", 32, 16, {{0, 2}}, {}, {0}, {}}, {"y", 8, 1, {{1, 3}}, {}, {0, 1}, {}}};
  const MemoryPlan valid{{{{0, 16}}, {{0, 8}}}, {}};
  EXPECT_EQ(WrongInPlan(problem, valid), "");
  const std::pair<std::optional<PoolAllocation>, std::string> broken[] = {
      {std::nullopt, "x: has no place"},      {{{1, 16}}, "x: lies in a pool that is no candidate"},
      {{{0, 24}}, "x: is misaligned"},        {{{0, 0}}, "x: lies before what may be used"},
      {{{0, 80}}, "x: ends behind its pool"},
  };
  for (const auto& [place, wrong] : broken) {
    MemoryPlan plan = valid;
    plan.allocations[0] = place;
    EXPECT_EQ(WrongInPlan(problem, plan), wrong);
  }
  for (const int64_t offset : {9, 47}) {
    MemoryPlan plan = valid;
    plan.allocations[1] = {0, offset};
    EXPECT_EQ(WrongInPlan(problem, plan), "y: shares bytes with x");
  }
  problem.buffers[1].fixed_offset = 9;
  EXPECT_EQ(WrongInPlan(problem, valid), "y: was moved");
  problem.buffers[0].alignment = 32;
  EXPECT_EQ(WrongInPlan(problem, MemoryPlan{{{{0, 32}}, {{0, 9}}}, {}}),
            "x: has a misaligned base");
}

// Three buffers live at once: 500 + 300 + 200 bytes in 900, and a second pool or none.
TEST(Plans, FallBackToTheNextPoolOrNameTheClique) {
  MemoryProblem problem;
  problem.pools = {{"fast", 900, 0, 0, {}}, {"slow", {}, 0, 0, {}}};
  problem.buffers = {{"c1", 500, 1, {{0, 3}}, {}, {}, {}},
                     {"c2", 300, 1, {{1, 3}}, {}, {}, {}},
                     {"b", 200, 1, {{2, 4}}, {}, {}, {}}};
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const Result<PlanningResult> result = PlanMemory(problem, *algorithm);
    ASSERT_TRUE(result) << algorithm->name;
    EXPECT_EQ(result->total_bytes, 1000) << algorithm->name;
  }
  problem.pools.pop_back();
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const Result<PlanningResult> result = PlanMemory(problem, *algorithm);
    ASSERT_FALSE(result) << algorithm->name;
    EXPECT_EQ(result.error().message,
              "does not fit: \"fast\" has 900 bytes, but 3 buffers of 1000 bytes that can go "
              "nowhere else are live at once, at 2: \"c1\" (500), \"c2\" (300), \"b\" (200)");
  }
}

// x of 100 bytes in y's life of alignment 64: the next multiple of 64 is 128.
TEST(Plans, KeepABuffersOwnAlignment) {
  MemoryProblem problem;
  problem.pools = {{"p", {}, 0, 0, {}}};
  problem.buffers = {{"x", 100, 1, {{0, 1}}, {}, {}, {}}, {"y", 50, 64, {{0, 1}}, {}, {}, {}}};
  const Result<PlanningResult> result = PlanMemory(problem, *AlgorithmByName("greedy_by_size"));
  EXPECT_EQ(result->plan.allocations[1]->offset, 128);
}

TEST(Plans, NeedAPool) {
  MemoryProblem problem;
  problem.buffers = {{"x", 1, 32, {}, {}, {}, {}}};
  const Algorithm& algorithm = *AlgorithmByName("auto");
  EXPECT_EQ(PlanMemory(problem, algorithm).error().message,
            "\"x\" of alignment 32: no pool may hold it");
  problem.pools = {{"p", {}, 16, 0, {}}};
  EXPECT_FALSE(PlanMemory(problem, algorithm));
  problem.pools[0].alignment = 64;
  EXPECT_TRUE(PlanMemory(problem, algorithm));
}

TEST(Plans, OfNothingAreEmpty) {
  MemoryProblem problem;
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const Result<PlanningResult> result = PlanMemory(problem, *algorithm);
    ASSERT_TRUE(result) << algorithm->name;
    EXPECT_EQ(result->total_bytes, 0) << algorithm->name;
  }
}

// Returns buffers of random lifetimes up to `ticks`. One starts at each tick.
MemoryProblem ManyBuffers(int64_t count, int64_t ticks) {
  MemoryProblem problem;
  problem.pools = {{"p", {}, 0, 0, {}}};
  Random random(1);
  for (int64_t i = 0; i < count; ++i) {
    BufferInfo& buffer = problem.buffers.emplace_back();
    buffer.name_hint = std::to_string(i);
    buffer.size_bytes = random.Between(1, 1000);
    buffer.live = {{i, i + random.Between(1, ticks)}};
  }
  return problem;
}

// The planner makes no list of the conflicts of these buffers.
TEST(Plans, OfManyBuffersAreMadeInLinearTime) {
  const MemoryProblem problem = ManyBuffers(200'000, 20);
  const Result<PlanningResult> result = PlanMemory(problem, *AlgorithmByName("auto"));
  ASSERT_TRUE(result);
  EXPECT_LE(result->total_bytes, result->bound_bytes * 3 / 2);
}

// Each of 200,000 buffers conflicts with thousands. There are 10^9 pairs, too many to look at each.
TEST(Plans, OfManyBuffersThatAreLiveAtOnceAreMadeAsWell) {
  const MemoryProblem problem = ManyBuffers(200'000, 20'000);
  const Result<PlanningResult> result = PlanMemory(problem, *AlgorithmByName("auto"));
  ASSERT_TRUE(result);
  EXPECT_LE(result->total_bytes, result->bound_bytes * 3 / 2);
}

// An algorithm takes one step for each buffer, not for each conflict, even if a graph has a second
// pool for its parameters.
TEST(Plans, OfManyConflictsInSeveralPoolsTakeAStepForEachBuffer) {
  Random random(1);
  MemoryProblem problem;
  problem.pools = {{"a", {}, 16, 16, {}}, {"b", {}, 0, 0, {}}};
  for (int i = 0; i < 2500; ++i) {
    BufferInfo& buffer = problem.buffers.emplace_back(RandomBuffer(random, 0));
    const int64_t start = random.Between(0, 100);
    buffer.alignment = 16;
    buffer.live = {{start, start + random.Between(1, 200)}};
    buffer.pool_candidates = {static_cast<int32_t>(i % 2)};
  }
  const Conflicts conflicts(problem);
  ASSERT_FALSE(conflicts.listed());
  StepBudget budget(kPlanningStepsDefault);
  const Result<PlanningResult> result =
      AlgorithmByName("best_fit_by_start")->plan({problem, conflicts, Clique{}}, budget);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(WrongInPlan(problem, result->plan), "");
  EXPECT_EQ(result->total_bytes, TotalBytes(problem, result->plan));
  EXPECT_EQ(kPlanningStepsDefault - budget.left(), std::ssize(problem.buffers));
}

TEST(Plans, AreProvedToBeTheSmallest) {
  MemoryProblem problem;
  problem.pools = {{"p", {}, 0, 0, {}}};
  const std::pair<int64_t, int64_t> lives[] = {{0, 3}, {3, 9}, {0, 9}, {9, 21}, {0, 21}};
  for (const auto& [lower, upper] : lives) {
    BufferInfo& buffer = problem.buffers.emplace_back();
    buffer.name_hint = "b" + std::to_string(problem.buffers.size());
    buffer.size_bytes = 4;
    buffer.live = {{lower, upper}};
  }
  const Result<PlanningResult> result = PlanMemory(problem, *AlgorithmByName("exact"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->total_bytes, 12);
  EXPECT_EQ(result->bound_bytes, 12);
  problem.pools[0].size_bytes = 11;
  EXPECT_FALSE(PlanMemory(problem, *AlgorithmByName("exact")));
}

// Returns the least total of any placement, or `limit` + 1 if there is none. Tries all offsets up
// to `limit` of one buffer after the other.
int64_t LeastTotal(const MemoryProblem& problem, MemoryPlan& plan, size_t next, int64_t limit) {
  if (next == problem.buffers.size()) return TotalBytes(problem, plan);
  int64_t least = limit + 1;
  const BufferInfo& buffer = problem.buffers[next];
  for (int64_t offset = 0; offset + buffer.size_bytes < least; offset += buffer.alignment) {
    bool free = true;
    for (size_t i = 0; i < next && free; ++i) {
      free = !Collide(problem, next, offset, i, plan.allocations[i]->offset);
    }
    if (!free) continue;
    plan.allocations[next] = {0, offset};
    least = std::min(least, LeastTotal(problem, plan, next + 1, least - 1));
  }
  return least;
}

// Expects of a problem that has a plan: `exact` and `auto` find one, and no algorithm claims that
// none exists. Adds the number of algorithms that find none to `gave_up`.
void ExpectPlanFound(const MemoryProblem& problem, uint64_t seed, int& gave_up) {
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const Result<PlanningResult> result = PlanMemory(problem, *algorithm);
    if (result) continue;
    EXPECT_NE(algorithm->name, "exact") << seed;
    EXPECT_NE(algorithm->name, "auto") << seed;
    EXPECT_EQ(result.error().kind, Error::Kind::kResource) << Named(*algorithm, seed);
    EXPECT_TRUE(result.error().message.starts_with("no plan found: ")) << result.error().message;
    ++gave_up;
  }
}

// The problems are so small that every plan can be tried.
TEST(Plans, OfTheExactAlgorithmAreAsSmallAsAnyPlan) {
  int above_clique = 0, gave_up = 0;
  for (uint64_t seed = 0; seed < Rounds(400); ++seed) {
    Random random(seed);
    MemoryProblem problem;
    problem.pools = {{"p", {}, 0, 0, {}}};
    for (size_t i = 0; i < 6; ++i) {
      BufferInfo& buffer = problem.buffers.emplace_back();
      buffer.name_hint = std::to_string(i);
      buffer.size_bytes = random.Between(1, 4);
      buffer.alignment = random.OneIn(4) ? 2 : 1;
      const int64_t lower = random.Between(0, 6);
      if (!random.OneIn(4)) buffer.live = {{lower, lower + random.Between(1, 4)}};
      for (size_t j = 0; j < i; ++j) {
        if (random.OneIn(6)) buffer.conflicts.push_back(static_cast<int32_t>(j));
      }
    }
    const Result<PlanningResult> result = PlanMemory(problem, *AlgorithmByName("exact"));
    ASSERT_TRUE(result) << seed;
    MemoryPlan plan;
    plan.allocations.resize(problem.buffers.size());
    const int64_t least = LeastTotal(problem, plan, 0, 30);
    EXPECT_EQ(result->total_bytes, least) << seed;
    EXPECT_EQ(result->bound_bytes, least) << seed;
    above_clique += least > LargestLiveSet(problem, std::vector<bool>(6, true)).bytes;
    problem.pools[0].size_bytes = least - 1;
    for (const std::string_view name : {"exact", "auto"}) {
      const Result<PlanningResult> none = PlanMemory(problem, *AlgorithmByName(name));
      ASSERT_FALSE(none) << seed;
      EXPECT_EQ(none.error().kind, Error::Kind::kBadInput) << seed;
      EXPECT_TRUE(none.error().message.starts_with("does not fit: ")) << none.error().message;
    }
    problem.pools[0].size_bytes = least;
    ExpectPlanFound(problem, seed, gave_up);
  }
  EXPECT_GT(above_clique, Rounds(20));
  EXPECT_GT(gave_up, Rounds(20));
}

// E needs all of its 1,048,576 bytes. The largest live set shows this before any plan is looked
// for; bench_plan_check measures how soon.
TEST(Plans, BelowTheLargestLiveSetAreRefusedByName) {
  const std::string path = ASSAY_SOURCE_DIR "/corpus/planning/minimalloc/E.1048576.csv";
  Result<PlannedProblem> planned = ReadMiniMalloc(*ReadTextFile(path), path);
  planned->problem.pools[0].size_bytes = 1'047'552;
  const Result<PlanningResult> result = PlanMemory(planned->problem, *AlgorithmByName("auto"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find(" buffers of 1048576 bytes that can go nowhere else are "
                                        "live at once"),
            std::string::npos)
      << result.error().message;
}

// Each benchmark fits 1,048,576 bytes. A, B, E, F and I need all of them. I has 374 buffers, and is
// found by packing them as they are, without fusing any.
TEST(Plans, OfMiniMallocsBenchmarksFit) {
  constexpr std::string_view kNames = "ABCDEFI";
  for (const char name : kNames.substr(0, Rounds(7))) {
    const std::string path =
        std::string(ASSAY_SOURCE_DIR) + "/corpus/planning/minimalloc/" + name + ".1048576.csv";
    Result<PlannedProblem> planned = ReadMiniMalloc(*ReadTextFile(path), path);
    ASSERT_TRUE(planned) << path;
    planned->problem.pools[0].size_bytes = 1'048'576;
    for (const std::string_view algorithm : {"exact", "auto"}) {
      const Result<PlanningResult> result =
          PlanMemory(planned->problem, *AlgorithmByName(algorithm));
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(WrongInPlan(planned->problem, result->plan), "") << path;
    }
  }
}

// Tests some packings of each kind. bench_hard_plans tries more, and names those that need more
// steps.
TEST(Plans, OfHardPackingsFillTheirPools) {
  for (uint64_t index = 0; index < Rounds(24); ++index) {
    const HardPacking hard = HardPackingOf(index);
    const Result<PlanningResult> result =
        PlanMemory(hard.problem, *AlgorithmByName("exact"), 100'000'000);
    ASSERT_TRUE(result) << hard.name << ": " << result.error().message;
    EXPECT_EQ(result->total_bytes, hard.height) << hard.name;
    EXPECT_EQ(result->bound_bytes, hard.height) << hard.name;
    EXPECT_EQ(WrongInPlan(hard.problem, result->plan), "") << hard.name;
  }
}

// In these packings many buffers have offsets that follow from those of the buffers that end where
// they begin. In 15 and 39, another buffer may lie between two that begin and end together.
TEST(Plans, OfFullSectionsAreFoundByFusingBuffers) {
  for (const uint64_t index : {15u, 39u, 80u, 152u, 664u}) {
    const HardPacking hard = HardPackingOf(index);
    const Result<PlanningResult> result =
        PlanMemory(hard.problem, *AlgorithmByName("exact"), 40'000'000);
    ASSERT_TRUE(result) << hard.name << ": " << result.error().message;
    EXPECT_EQ(WrongInPlan(hard.problem, result->plan), "") << hard.name;
  }
}

// No plan was found for these packings before fillers took the space that their sections leave
// free. In 93, the fillers must also begin and end where the planted ones did.
TEST(Plans, OfLoosePackingsAreFoundByFillingThemUp) {
  for (const uint64_t index : {45u, 93u}) {
    const HardPacking hard = HardPackingOf(index);
    const Result<PlanningResult> result = PlanMemory(hard.problem, *AlgorithmByName("exact"));
    ASSERT_TRUE(result) << hard.name << ": " << result.error().message;
    EXPECT_EQ(WrongInPlan(hard.problem, result->plan), "") << hard.name;
  }
}

TEST(Plans, AreLookedForOnlyWithinTheStepsThatAreGiven) {
  const HardPacking hard = HardPackingOf(1);
  const Result<PlanningResult> none = PlanMemory(hard.problem, *AlgorithmByName("auto"), 1000);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::kResource);
  EXPECT_TRUE(PlanMemory(hard.problem, *AlgorithmByName("auto")));
}

}  // namespace
}  // namespace assay::algorithms_test

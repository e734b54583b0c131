// Plans of graphs, held against what an execution reads and writes.
#include "plan_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "block_builder.h"
#include "plan_check.h"

namespace assay {
namespace {

struct Row {
  std::string name;
  int64_t size, offset;
};

// A planner's table that claims nothing of lifetimes.
PlannedProblem Table(const std::vector<Row>& rows) {
  PlannedProblem all;
  all.problem.pools = {{.name = "p"}};
  all.plan.emplace();
  for (const Row& row : rows) {
    all.problem.buffers.push_back({.name_hint = row.name, .size_bytes = row.size});
    all.plan->allocations.push_back(PoolAllocation{0, row.offset});
  }
  return all;
}

// t1 = abs(t0), t2 = abs(t1), t3 = t1 + t2, t4 = abs(t3); t0 and t4 are the caller's. Sixteen
// bytes each. t1 is live at ticks 1 to 3, t2 at 2 and 3, t3 at 3 and 4.
Graph Diamond() {
  BlockBuilder b;
  const TensorIndex t0 = b.Input("i32[4]");
  const TensorIndex t1 = b.Add(Op::kAbs, {t0}, "i32[4]");
  const TensorIndex t2 = b.Add(Op::kAbs, {t1}, "i32[4]");
  const TensorIndex t3 = b.Add(Op::kAdd, {t1, t2}, "i32[4]");
  const TensorIndex t4 = b.Add(Op::kAbs, {t3}, "i32[4]");
  return GraphOf({b.Outputs({t4}).block});
}

Result<PlannedProblem> Traced(const Graph& graph, const PlannedProblem& table) {
  std::vector<Tensor> inputs;
  for (const TensorIndex input : graph.Main()->inputs) {
    const TensorType& type = graph.Main()->TypeOf(input);
    inputs.push_back(Tensor::Splat(type.type, type.shape, 0));
  }
  return PlanByTrace(graph, inputs, table);
}

std::string BreachesOf(const Graph& graph, const PlannedProblem& table) {
  const Result<PlannedProblem> all = Traced(graph, table);
  EXPECT_TRUE(all) << all.error().message;
  std::string text;
  for (const PlanBreach& breach : CheckPlan(all->problem, *all->plan).breaches) {
    text += breach.text + "\n";
  }
  return text;
}

TEST(PlanTrace, LifetimesAreThoseOfTheExecution) {
  const auto all = Traced(Diamond(), Table({{"main/t1", 16, 0}, {"t2", 16, 16}, {"t3", 16, 32}}));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->problem.buffers.size(), 3u);
  EXPECT_EQ(all->problem.buffers[0].live, (std::vector<LiveRange>{{1, 4}}));
  EXPECT_EQ(all->problem.buffers[1].live, (std::vector<LiveRange>{{2, 4}}));
  EXPECT_EQ(all->problem.buffers[2].live, (std::vector<LiveRange>{{3, 5}}));
}

TEST(PlanTrace, WhatIsReadOnceMoreMustNotBeOverwritten) {
  // A planner that forgets that ADD reads t1 as well puts t2 there.
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t1", 16, 0}, {"t2", 16, 0}, {"t3", 16, 32}})),
            "\"t1\" and \"t2\" share bytes 0 to 16 of pool \"p\" at tick 2\n");
}

TEST(PlanTrace, SizesAreThoseOfTheGraph) {
  // t1 was taken for eight bytes.
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t1", 8, 0}, {"t2", 16, 8}, {"t3", 16, 32}})),
            "\"t1\" and \"t2\" share bytes 8 to 16 of pool \"p\" at tick 2\n");
}

TEST(PlanTrace, InputsAndOutputsInTheWorkspaceLiveForTheCaller) {
  // t0 is read for the last time at tick 1, t4 written at tick 4 and read behind.
  const auto all =
      Traced(Diamond(),
             Table({{"t0", 16, 48}, {"t1", 16, 0}, {"t2", 16, 16}, {"t3", 16, 32}, {"t4", 16, 0}}));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->problem.buffers[0].live, (std::vector<LiveRange>{{0, 2}}));
  EXPECT_EQ(all->problem.buffers[4].live, (std::vector<LiveRange>{{4, 6}}));
}

TEST(PlanTrace, MissingAndUnknown) {
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t1", 16, 0}, {"t2", 16, 16}, {"x", 16, 32}})),
            // t3 has no row: t2 is read for the last time by the operator that writes it.
            "\"x\" is placed, but not in the problem, in pool \"p\" at 32\n");
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t2", 16, 16}, {"t3", 16, 32}})),
            "\"main/t1\" is not placed\n");
}

TEST(PlanTrace, ScratchLivesWithItsOperator) {
  // The second operator of the file runs at tick 2, with t1 and t2 live.
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t1", 16, 0},
                                         {"t2", 16, 16},
                                         {"t3", 16, 32},
                                         {"main/1.ABS/accumulator", 16, 8}})),
            "\"t1\" and \"main/1.ABS/accumulator\" share bytes 8 to 16 of pool \"p\" at tick 2\n");
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t1", 16, 0},
                                         {"t2", 16, 16},
                                         {"t3", 16, 32},
                                         {"main/1.ABS/accumulator", 16, 32}})),
            "");
}

TEST(PlanTrace, GraphsThatDoNotRun) {
  BlockBuilder b;
  const TensorIndex t0 = b.Input("i32[4]");
  const TensorIndex t1 = b.Add(Op::kAdd, {t0, t0}, "i32[5]");
  const auto all = Traced(GraphOf({b.Outputs({t1}).block}), Table({}));
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().kind, Error::Kind::kUnsupported);
}

}  // namespace
}  // namespace assay

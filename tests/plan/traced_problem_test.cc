// SPDX-License-Identifier: Apache-2.0
// Compares plans of graphs with the reads and writes of an execution.
#include "traced_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm.h"
#include "block_builder.h"
#include "checked_plan.h"
#include "generated.h"
#include "generator_table.h"
#include "liveness_fault.h"
#include "planner.h"

namespace assay::traced_problem_test {
namespace {

struct Row {
  std::string name;
  int64_t size, offset;
};

// Returns a planner's table without lifetimes.
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
  // The planner takes t1 for a buffer of eight bytes.
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t1", 8, 0}, {"t2", 16, 8}, {"t3", 16, 32}})),
            "\"t1\" and \"t2\" share bytes 8 to 16 of pool \"p\" at tick 2\n");
}

TEST(PlanTrace, InputsAndOutputsInTheWorkspaceLiveForTheCaller) {
  // t0 is read for the last time at tick 1. t4 is written at tick 4 and read after the end.
  const auto all =
      Traced(Diamond(),
             Table({{"t0", 16, 48}, {"t1", 16, 0}, {"t2", 16, 16}, {"t3", 16, 32}, {"t4", 16, 0}}));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->problem.buffers[0].live, (std::vector<LiveRange>{{0, 2}}));
  EXPECT_EQ(all->problem.buffers[4].live, (std::vector<LiveRange>{{4, 6}}));
}

TEST(PlanTrace, MissingAndUnknown) {
  EXPECT_EQ(BreachesOf(Diamond(), Table({{"t1", 16, 0}, {"t2", 16, 16}, {"x", 16, 32}})),
            // t3 has no row, so t2 is read for the last time by the operator that writes it.
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

// y = cond ? abs(abs(x)) : x + x, then z = abs(y), all i32[4] except cond. The tensors in the
// branches are named after them. COND_IF is tick 1; the first branch takes 2 and 3 and ends at 4,
// the second takes 5 and ends at 6; z is made at 7, and the graph ends at 8.
Graph Choice() {
  BlockBuilder main, then_block("then"), else_block("else");
  const TensorIndex cond = main.Input("bool[]"), x = main.Input("i32[4]");
  const TensorIndex y = main.Add(Op::kCondIf, {cond, x}, "i32[4]",
                                 {{AttributeId::kThenGraph, std::string("then")},
                                  {AttributeId::kElseGraph, std::string("else")}});
  main.Outputs({main.Add(Op::kAbs, {y}, "i32[4]")});
  const TensorIndex a = then_block.Input("i32[4]");
  const TensorIndex b = then_block.Add(Op::kAbs, {a}, "i32[4]");
  then_block.Outputs({then_block.Add(Op::kAbs, {b}, "i32[4]")});
  const TensorIndex c = else_block.Input("i32[4]");
  else_block.Outputs({else_block.Add(Op::kAdd, {c, c}, "i32[4]")});
  return GraphOf({main.block, then_block.block, else_block.block});
}

TEST(PlanTrace, BranchesExcludeEachOther) {
  const auto all = Traced(Choice(), Table({{"main/t1", 16, 0},
                                           {"then/t1", 16, 16},
                                           {"then/t2", 16, 32},
                                           {"else/t1", 16, 16},
                                           {"main/t2", 16, 48}}));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->problem.buffers.size(), 5u);
  // x is read at 1, at 2 in the first branch, and at 5 in the second. It is not live in between,
  // because only one branch runs.
  EXPECT_EQ(all->problem.buffers[0].live, (std::vector<LiveRange>{{0, 3}, {5, 6}}));
  EXPECT_EQ(all->problem.buffers[1].live, (std::vector<LiveRange>{{2, 4}}));
  EXPECT_EQ(all->problem.buffers[2].live, (std::vector<LiveRange>{{3, 5}}));
  // y is written at the end of either branch.
  EXPECT_EQ(all->problem.buffers[3].name_hint, "main/t2");
  EXPECT_EQ(all->problem.buffers[3].live, (std::vector<LiveRange>{{4, 5}, {6, 8}}));
  EXPECT_EQ(all->problem.buffers[4].live, (std::vector<LiveRange>{{5, 7}}));
  EXPECT_TRUE(CheckPlan(all->problem, *all->plan).breaches.empty());
}

TEST(PlanTrace, BranchMustNotOverwriteWhatItReturns) {
  EXPECT_EQ(BreachesOf(Choice(), Table({{"main/t1", 16, 0},
                                        {"then/t1", 16, 16},
                                        {"then/t2", 16, 32},
                                        {"else/t1", 16, 0},
                                        {"main/t2", 16, 32}})),
            "\"then/t2\" and \"main/t2\" share bytes 32 to 48 of pool \"p\" at tick 4\n"
            "\"main/t1\" and \"else/t1\" share bytes 0 to 16 of pool \"p\" at tick 5\n");
}

// while (n < m) n = n + abs(n): the loop carries t2 and t3, copies of n and m.
Graph Loop() {
  BlockBuilder main, cond("cond"), body("body");
  const TensorIndex n = main.Input("i32[1]"), m = main.Input("i32[1]");
  const TensorIndex n_end = main.Declare("i32[1]"), m_end = main.Declare("i32[1]");
  main.Append(Op::kWhileLoop, {n, m}, {n_end, m_end},
              {{AttributeId::kCondGraph, std::string("cond")},
               {AttributeId::kBodyGraph, std::string("body")}});
  main.Outputs({main.Add(Op::kAbs, {n_end}, "i32[1]")});
  const TensorIndex cond_n = cond.Input("i32[1]"), cond_m = cond.Input("i32[1]");
  cond.Outputs({cond.Add(Op::kGreater, {cond_m, cond_n}, "bool[1]")});
  const TensorIndex body_n = body.Input("i32[1]"), body_m = body.Input("i32[1]");
  const TensorIndex size = body.Add(Op::kAbs, {body_n}, "i32[1]");
  body.Outputs({body.Add(Op::kAdd, {body_n, size}, "i32[1]"), body_m});
  return GraphOf({main.block, cond.block, body.block});
}

// The loop is tick 1, its condition 2 and 3, its body 4, 5 and 6, abs 7, the end 8. The body did
// not run, because 0 > 0 is false.
TEST(PlanTrace, LoopsCarryTheirResults) {
  const auto all = Traced(Loop(), Table({{"main/t2", 4, 0},
                                         {"main/t3", 4, 4},
                                         {"cond/t2", 1, 8},
                                         {"body/t2", 4, 8},
                                         {"body/t3", 4, 12}}));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->problem.buffers.size(), 5u);
  EXPECT_EQ(all->problem.buffers[0].live, (std::vector<LiveRange>{{1, 8}}));
  // m is passed on at the end of the body, and is not needed after the loop.
  EXPECT_EQ(all->problem.buffers[1].live, (std::vector<LiveRange>{{1, 7}}));
  EXPECT_EQ(all->problem.buffers[2].live, (std::vector<LiveRange>{{2, 4}}));
  EXPECT_EQ(all->problem.buffers[3].live, (std::vector<LiveRange>{{4, 6}}));
  EXPECT_EQ(all->problem.buffers[4].live, (std::vector<LiveRange>{{5, 7}}));
  EXPECT_TRUE(CheckPlan(all->problem, *all->plan).breaches.empty());
}

TEST(PlanTrace, WhatTheLoopHandsOnMustNotBeOverwrittenInItsBody) {
  EXPECT_EQ(BreachesOf(Loop(), Table({{"main/t2", 4, 0},
                                      {"main/t3", 4, 4},
                                      {"cond/t2", 1, 8},
                                      {"body/t2", 4, 4},
                                      {"body/t3", 4, 12}})),
            "\"main/t3\" and \"body/t2\" share bytes 4 to 8 of pool \"p\" at tick 4\n");
}

// Plans a graph by the planner's own live ranges, under a fault, and returns the breaches.
std::string BreachesOfOwnPlan(const TestVector& vector, const MemoryTarget& target,
                              const LivenessFault* fault) {
  const Graph& graph = vector.graphs[0];
  Result<GraphMemory> memory = MemoryOf(graph, target);
  if (!memory || memory->dynamic > 0) return "";
  if (fault != nullptr) fault->change(graph, *memory);
  const auto plan = PlanMemory(memory->problem, *AlgorithmByName("best_fit_decreasing"), {});
  if (!plan) return "";
  const auto all =
      PlanByTrace(graph, vector.steps[0].inputs, PlannedProblem{memory->problem, plan->plan});
  if (!all) return "";
  std::string text;
  for (const PlanBreach& breach : CheckPlan(all->problem, *all->plan).breaches) {
    text += breach.text + "\n";
  }
  return text;
}

TEST(PlanTrace, AgreesWithThePlannerAboutControlFlow) {
  int graphs = 0;
  std::map<std::string_view, int> found;
  for (uint64_t index = 0; index < 150; ++index) {
    const auto vector = GeneratorByKind("control-flow")->make(Options(4), index);
    if (!vector || vector->graphs.size() != 1 || !IsValid(*vector)) continue;
    ++graphs;
    MemoryTarget target;
    target.workspace_io = index % 2 == 0;
    target.share_operands = index % 3 == 0;
    EXPECT_EQ(BreachesOfOwnPlan(*vector, target, nullptr), "") << index;
    for (const std::string_view fault :
         {"second-run-forgotten", "operands-of-blocks-lost", "results-not-yet-live"}) {
      const auto made = std::ranges::find(AllLivenessFaults(), fault, &LivenessFault::name);
      found[fault] += BreachesOfOwnPlan(*vector, target, &*made).empty() ? 0 : 1;
    }
  }
  EXPECT_GE(graphs, 50);
  EXPECT_GE(found["operands-of-blocks-lost"], 5);
  EXPECT_GE(found["results-not-yet-live"], 5);
  EXPECT_GE(found["second-run-forgotten"], 1);
}

}  // namespace
}  // namespace assay::traced_problem_test

// SPDX-License-Identifier: Apache-2.0
// Executes graphs inside the memory that is planned for them. A right plan changes no result, and a
// wrong plan shows in the bytes that operators read.
#include "arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "block_builder.h"
#include "executor.h"
#include "generated.h"
#include "generator_table.h"
#include "liveness_fault.h"
#include "planner.h"
#include "rounds.h"

namespace assay::arena_test {
namespace {

MemoryPlan PlanBy(std::string_view algorithm, const MemoryProblem& problem) {
  Result<PlanningResult> result = PlanMemory(problem, *AlgorithmByName(algorithm), {});
  EXPECT_TRUE(result) << result.error().message;
  return result->plan;
}

// a = x + x, b = a * a (its shift is a constant), y = b - a, all i32[4]: 16 bytes each.
struct Sample {
  Sample() {
    BlockBuilder b;
    const TensorIndex x = b.Input("i32[4]");
    const TensorIndex a = b.Add(Op::kAdd, {x, x}, "i32[4]");
    const TensorIndex product = b.Add(Op::kMul, {a, a, b.Constant("i8[1]{0}")}, "i32[4]");
    b.Outputs({b.Add(Op::kSub, {product, a}, "i32[4]")});
    graph = GraphOf({b.block});
    MemoryTarget target;
    target.workspace_io = true;
    memory = *MemoryOf(graph, target);
    plan = PlanBy("best_fit_decreasing", memory.problem);
  }
  int32_t BufferNamed(std::string_view ending) const {
    const auto& buffers = memory.problem.buffers;
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].name_hint.ends_with(ending)) return static_cast<int32_t>(i);
    }
    ADD_FAILURE() << ending;
    return 0;
  }
  std::string RunWith(const MemoryPlan& wrong) const {
    Result<Arena> arena = Arena::Make(graph, memory, wrong);
    if (!arena) return arena.error().message;
    const Outcome outcome = arena->Run(std::vector{TensorOf("i32[4]{1,2,3,4}")});
    EXPECT_EQ(outcome.kind, OutcomeKind::kValid);
    return arena->fault() ? arena->fault()->ToString() : TextOf(outcome);
  }

  Graph graph;
  GraphMemory memory;
  MemoryPlan plan;
};

// a = {2,4,6,8}, a * a = {4,16,36,64}, less a: {2,12,30,56}.
TEST(Arena, GivesWhatTheGraphGives) {
  const Sample sample;
  EXPECT_EQ(sample.RunWith(sample.plan), "valid i32[4]{2,12,30,56}");
}

TEST(Arena, SaysWhichBytesAreWhose) {
  const Sample sample;
  ASSERT_EQ(sample.memory.problem.buffers.size(), 5u);  // x, a, b, y, the shift
  const Block& main = *sample.graph.Main();
  const auto name = [&](size_t op) {
    return "main/" + main.tensors[static_cast<size_t>(main.operators[op].outputs[0])].name;
  };
  // b overlaps a, which SUB reads after b is made. MUL is the first to notice, because operands are
  // checked after the result is written.
  MemoryPlan wrong = sample.plan;
  const int32_t a = sample.BufferNamed(name(0)), b = sample.BufferNamed(name(2));
  wrong.allocations[static_cast<size_t>(b)] = wrong.allocations[static_cast<size_t>(a)];
  wrong.allocations[static_cast<size_t>(b)]->offset += 4;
  const int64_t first = wrong.allocations[static_cast<size_t>(b)]->offset;
  EXPECT_EQ(sample.RunWith(wrong), "operator 2 (MUL) of block main reads \"" + name(0) +
                                       "\", and finds \"" + name(2) + "\" in bytes " +
                                       std::to_string(first) + " to " + std::to_string(first + 11) +
                                       " of \"workspace\"");
}

TEST(Arena, SaysThatABufferIsOfAnotherSize) {
  for (const int64_t bytes : {12, 20}) {
    Sample sample;
    const auto a = static_cast<size_t>(sample.BufferNamed("t1"));
    sample.memory.problem.buffers[a].size_bytes = bytes;
    sample.plan = PlanBy("best_fit_decreasing", sample.memory.problem);
    EXPECT_NE(sample.RunWith(sample.plan)
                  .find(", which has " + std::to_string(bytes) + " bytes for a tensor of 16"),
              std::string::npos);
  }
}

// A branch that does not run declares the variable with another type. The plan has a place for that
// one only, which is no mistake of the plan.
TEST(Arena, DoesNotRunAVariableOfTwoTypes) {
  const auto declare = [](BlockBuilder& b, const char* value) {
    const Tensor initial = TensorOf(value);
    b.Append(Op::kVariable, {}, {},
             {{AttributeId::kName, std::string("v")},
              {AttributeId::kVarShape, std::vector<int32_t>{1}},
              {AttributeId::kType, static_cast<int32_t>(initial.type())},
              {AttributeId::kInitialValue, initial}});
  };
  BlockBuilder then("then"), other("else"), b;
  declare(then, "fp16[1]{1}");
  then.Outputs({then.Input("i32[4]")});
  other.Outputs({other.Input("i32[4]")});
  const TensorIndex x = b.Input("i32[4]");
  const TensorIndex y = b.Add(Op::kCondIf, {b.Constant("bool[1]{false}"), x}, "i32[4]",
                              {{AttributeId::kThenGraph, std::string("then")},
                               {AttributeId::kElseGraph, std::string("else")}});
  declare(b, "fp32[1]{1}");
  b.Outputs({b.Add(Op::kAbs, {y}, "i32[4]")});
  const Graph graph = GraphOf({b.block, then.block, other.block});
  const GraphMemory memory = *MemoryOf(graph, {});
  const MemoryPlan plan = PlanBy("best_fit_decreasing", memory.problem);
  Result<Arena> arena = Arena::Make(graph, memory, plan);
  ASSERT_TRUE(arena) << arena.error().message;
  const Outcome outcome = arena->Run(std::vector{TensorOf("i32[4]{1,2,3,4}")});
  EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcome.message, "variable \"v\" is used with another type than it is declared with");
  EXPECT_FALSE(arena->fault());
}

// a = x + x, b = ~x, c = ~b, y = c - a. If b overlaps a and is dead when a is read, the bytes there
// belong to no buffer.
TEST(Arena, OverwritesWhatIsDead) {
  BlockBuilder builder;
  const TensorIndex x = builder.Input("i32[4]");
  const TensorIndex a = builder.Add(Op::kAdd, {x, x}, "i32[4]");
  const TensorIndex b = builder.Add(Op::kBitwiseNot, {x}, "i32[4]");
  const TensorIndex c = builder.Add(Op::kBitwiseNot, {b}, "i32[4]");
  builder.Outputs({builder.Add(Op::kSub, {c, a}, "i32[4]")});
  const Graph graph = GraphOf({builder.block});
  MemoryTarget target;
  target.workspace_io = true;
  const GraphMemory memory = *MemoryOf(graph, target);
  MemoryPlan wrong = PlanBy("best_fit_decreasing", memory.problem);
  const Block& main = *graph.Main();
  const auto buffer = [&](TensorIndex tensor) {
    return static_cast<size_t>(memory.tensors.at({&main, tensor}));
  };
  wrong.allocations[buffer(b)] = wrong.allocations[buffer(a)];
  wrong.allocations[buffer(c)]->offset = 1000;
  Result<Arena> arena = Arena::Make(graph, memory, wrong);
  ASSERT_TRUE(arena);
  arena->Run(std::vector{TensorOf("i32[4]{1,2,3,4}")});
  ASSERT_TRUE(arena->fault());
  EXPECT_NE(arena->fault()->ToString().find("(SUB) of block main reads"), std::string::npos);
  EXPECT_EQ(arena->fault()->intruder, "");
}

TEST(Arena, RefusesPlansThatAreNone) {
  const Sample sample;
  MemoryPlan none = sample.plan;
  none.allocations[1].reset();
  EXPECT_NE(sample.RunWith(none).find("has no place"), std::string::npos);
  MemoryPlan negative = sample.plan;
  negative.allocations[1]->offset = -4;
  EXPECT_NE(sample.RunWith(negative).find("lies in no pool"), std::string::npos);
  MemoryPlan pool = sample.plan;
  pool.allocations[1]->pool = 7;
  EXPECT_NE(sample.RunWith(pool).find("lies in no pool"), std::string::npos);
}

bool LiveAtOnce(const BufferInfo& a, const BufferInfo& b) {
  for (const LiveRange& x : a.live) {
    for (const LiveRange& y : b.live) {
      if (x.lower < y.upper && y.lower < x.upper) return true;
    }
  }
  return false;
}

// The result of executing, by a plan, the valid steps of a vector of one graph and one context.
struct Executed {
  bool supported = true, faulty = false, differs = false;
};
Executed RunVector(const TestVector& vector, const GraphMemory& memory, const MemoryPlan& plan) {
  Executed run;
  Result<Arena> arena = Arena::Make(vector.graphs[0], memory, plan);
  EXPECT_TRUE(arena) << arena.error().message;
  const std::vector<Outcome> expected = ExecuteVector(vector, {});
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    if (expected[i].kind != OutcomeKind::kValid) break;
    const Outcome outcome = arena->Run(vector.steps[i].inputs);
    run.faulty |= arena->fault().has_value();
    run.supported = outcome.kind == OutcomeKind::kValid;
    if (!run.supported) break;  // with wrong operands it may break a rule
    run.differs |= outcome.outputs != expected[i].outputs;
  }
  return run;
}

std::vector<TestVector> SomeVectors(std::string_view kind, uint64_t count) {
  std::vector<TestVector> vectors;
  for (uint64_t index = 0; index < count; ++index) {
    auto vector = GeneratorByKind(kind)->make(Options(3), index);
    const bool alone =
        vector && vector->graphs.size() == 1 &&
        std::all_of(vector->steps.begin(), vector->steps.end(), [](const Step& step) {
          return step.context == 0 && step.state_before.empty();
        });
    if (alone) vectors.push_back(std::move(*vector));
  }
  return vectors;
}

TEST(Arena, ChangesNothingByARightPlan) {
  int graphs = 0;
  for (const char* kind : {"operator", "graph", "stateful", "control-flow"}) {
    for (const TestVector& vector : SomeVectors(kind, Rounds(120))) {
      MemoryTarget target;
      target.workspace_io = graphs % 2 == 0;
      target.share_operands = graphs % 3 == 0;
      const Result<GraphMemory> memory = MemoryOf(vector.graphs[0], target);
      if (!memory) continue;
      const char* algorithms[] = {"best_fit_decreasing", "greedy_by_size", "best_fit_by_start"};
      const Executed run =
          RunVector(vector, *memory, PlanBy(algorithms[graphs % 3], memory->problem));
      if (!run.supported) continue;
      EXPECT_FALSE(run.faulty || run.differs) << vector.name;
      ++graphs;
    }
  }
  EXPECT_GT(graphs, Rounds(250));
}

// Two buffers that are live at once have the same offset. The arena notices it without knowing live
// ranges.
TEST(Arena, NoticesEveryTwoBuffersInOnePlace) {
  int pairs = 0;
  for (const TestVector& vector : SomeVectors("graph", 40)) {
    if (vector.graphs[0].regions.size() > 1) continue;  // branches that do not run
    MemoryTarget target;
    target.workspace_io = true;
    const Result<GraphMemory> memory = MemoryOf(vector.graphs[0], target);
    ASSERT_TRUE(memory);
    const MemoryPlan right = PlanBy("best_fit_decreasing", memory->problem);
    const auto& buffers = memory->problem.buffers;
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (size_t j = i + 1; j < buffers.size(); ++j) {
        const bool collide = LiveAtOnce(buffers[i], buffers[j]) && buffers[i].size_bytes > 0 &&
                             right.allocations[i]->pool == right.allocations[j]->pool;
        if (!collide || (i + j) % 5 != 0) continue;
        MemoryPlan wrong = right;
        wrong.allocations[i] = wrong.allocations[j];
        const Executed run = RunVector(vector, *memory, wrong);
        EXPECT_TRUE(run.faulty) << vector.name << ": " << buffers[i].name_hint << " and "
                                << buffers[j].name_hint;
        ++pairs;
      }
    }
  }
  EXPECT_GT(pairs, 300);
}

// Every mistake in live ranges, sizes and shared bytes is noticed when a graph is executed by the
// resulting plan.
TEST(Arena, NoticesEveryMistakeInLiveness) {
  std::vector<TestVector> vectors;
  for (const auto& [kind, count] : {std::pair{"graph", 300}, std::pair{"operator", 60},
                                    std::pair{"stateful", 60}, std::pair{"control-flow", 60}}) {
    for (TestVector& vector : SomeVectors(kind, static_cast<uint64_t>(count))) {
      vectors.push_back(std::move(vector));
    }
  }
  const auto notices = [&](const LivenessFault* fault) {
    for (int options = 0; options < 4; ++options) {
      MemoryTarget target;
      target.workspace_io = (options & 1) != 0;
      target.share_operands = (options & 2) != 0;
      for (const TestVector& vector : vectors) {
        Result<GraphMemory> memory = MemoryOf(vector.graphs[0], target);
        if (!memory) continue;
        if (fault != nullptr) fault->change(vector.graphs[0], *memory);
        const MemoryPlan plan = PlanBy("best_fit_decreasing", memory->problem);
        const Executed run = RunVector(vector, *memory, plan);
        if (run.faulty || (run.supported && run.differs)) return true;
      }
    }
    return false;
  };
  EXPECT_FALSE(notices(nullptr));
  EXPECT_GE(AllLivenessFaults().size(), 19u);
  std::set<std::string_view> names;
  for (const LivenessFault& fault : AllLivenessFaults()) {
    EXPECT_TRUE(notices(&fault)) << fault.name;
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
  }
}

}  // namespace
}  // namespace assay::arena_test

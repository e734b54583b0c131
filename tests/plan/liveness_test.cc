// SPDX-License-Identifier: Apache-2.0
// Compares the buffers of graphs and their live ranges with ranges worked by hand. Tick 0 is the
// caller's, each operator takes the next tick, and a block ends with a tick of its own.
#include "liveness.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "block_builder.h"
#include "pairwise_plan.h"
#include "planning_task.h"

namespace assay::liveness_test {
namespace {

// Returns texts like "main/t1" -> "i 8 [1,3)": kind, bytes, live ranges.
std::map<std::string, std::string> BuffersOf(const Graph& graph, const MemoryTarget& target = {}) {
  const Result<GraphMemory> memory = MemoryOf(graph, target);
  if (!memory) return {{"error", memory.error().message}};
  std::map<std::string, std::string> texts;
  for (const BufferInfo& buffer : memory->problem.buffers) {
    std::string text = std::string(NameOf(buffer.kind)) + " " + std::to_string(buffer.size_bytes);
    for (const LiveRange& range : buffer.live) {
      text += " [" + std::to_string(range.lower) + "," + std::to_string(range.upper) + ")";
    }
    texts[buffer.name_hint] = text;
  }
  return texts;
}

using Texts = std::map<std::string, std::string>;

MemoryTarget InWorkspace() {
  MemoryTarget target;
  target.workspace_io = true;
  return target;
}

MemoryTarget Sharing() {
  MemoryTarget target;
  target.share_operands = true;
  return target;
}

// t0 -ABS-> t1 -ABS-> t2 -ABS-> t3, at ticks 1, 2, 3; the block ends at 4.
Graph Chain() {
  BlockBuilder b;
  TensorIndex x = b.Input("i32[2]");
  for (int i = 0; i < 3; ++i) x = b.Add(Op::kAbs, {x}, "i32[2]");
  return GraphOf({b.Outputs({x}).block});
}

TEST(Liveness, OperandsAndResultsOfAnOperatorAreLiveTogether) {
  EXPECT_EQ(BuffersOf(Chain()),
            (Texts{{"main/t1", "intermediate 8 [1,3)"}, {"main/t2", "intermediate 8 [2,4)"}}));
}

TEST(Liveness, InputsAndOutputsMayLieInTheWorkspace) {
  EXPECT_EQ(BuffersOf(Chain(), InWorkspace()), (Texts{{"main/t0", "input 8 [0,2)"},
                                                      {"main/t1", "intermediate 8 [1,3)"},
                                                      {"main/t2", "intermediate 8 [2,4)"},
                                                      {"main/t3", "output 8 [3,5)"}}));
}

// The second input is read only at tick 2, and the first output is written at tick 1. Still, inputs
// are live from the first tick, and outputs to the last.
TEST(Liveness, InputsLiveFromTheBeginningAndOutputsToTheEnd) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[4]"), y = b.Input("i8[4]");
  const TensorIndex first = b.Add(Op::kAbs, {x}, "i8[4]");
  const TensorIndex second = b.Add(Op::kAbs, {y}, "i8[4]");
  EXPECT_EQ(BuffersOf(GraphOf({b.Outputs({first, second}).block}), InWorkspace()),
            (Texts{{"main/t0", "input 4 [0,2)"},
                   {"main/t1", "input 4 [0,3)"},
                   {"main/t2", "output 4 [1,4)"},
                   {"main/t3", "output 4 [2,4)"}}));
}

TEST(Liveness, UnusedResultsLiveForTheirOperatorAndConstantsForEver) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[1]");
  const TensorIndex one = b.Constant("i32[1]{1}");
  b.Add(Op::kAdd, {x, one}, "i32[1]");
  const TensorIndex y = b.Add(Op::kSub, {x, one}, "i32[1]");
  EXPECT_EQ(BuffersOf(GraphOf({b.Outputs({y}).block})),
            (Texts{{"main/t1", "constant 4 [0,5)"}, {"main/t2", "intermediate 4 [2,3)"}}));
}

TEST(Liveness, ShapesTakeNoMemoryAndUnknownSizesAreCounted) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[4]");
  const TensorIndex shape = b.Constant("shape[2]{2,2}");
  const TensorIndex y = b.Add(Op::kReshape, {x, shape}, "i8[2,2]");
  b.block.tensors[static_cast<size_t>(y)].type.shape = {-1, 2};
  const TensorIndex z = b.Add(Op::kAbs, {y}, "i8[2,2]");
  const Graph graph = GraphOf({b.Outputs({z}).block});
  EXPECT_EQ(BuffersOf(graph), Texts{});
  EXPECT_EQ(MemoryOf(graph, {})->dynamic, 1);
}

// Input 1x4x4x2 of i8 padded by 1 on each side: 6 * 6 * 2 bytes; 3 accumulators of i32.
TEST(Liveness, ScratchLivesWithItsOperator) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1,4,4,2]"), weight = b.Input("i8[3,3,3,2]");
  const TensorIndex bias = b.Input("i32[3]");
  const TensorIndex zero = b.Constant("i8[1]{0}");
  const TensorIndex y = b.Add(Op::kConv2d, {x, weight, bias, zero, zero}, "i32[1,4,4,3]",
                              {{AttributeId::kPad, std::vector<int32_t>{1, 1, 1, 1}},
                               {AttributeId::kAccType, static_cast<int32_t>(DType::kInt32)}});
  EXPECT_EQ(BuffersOf(GraphOf({b.Outputs({y}).block})),
            (Texts{{"main/t3", "constant 1 [0,4)"},
                   {"main/1.CONV2D/accumulator", "scratch 12 [2,3)"},
                   {"main/1.CONV2D/padded_input", "scratch 72 [2,3)"}}));
}

TEST(Liveness, VariablesLiveForEver) {
  BlockBuilder b;
  const std::string name = "state";
  b.Append(Op::kVariable, {}, {},
           {{AttributeId::kName, name},
            {AttributeId::kVarShape, std::vector<int32_t>{3}},
            {AttributeId::kType, static_cast<int32_t>(DType::kInt8)}});
  const TensorIndex old = b.Add(Op::kVariableRead, {}, "i8[3]", {{AttributeId::kName, name}});
  const TensorIndex next = b.Add(Op::kAbs, {old}, "i8[3]");
  b.Append(Op::kVariableWrite, {next}, {}, {{AttributeId::kName, name}});
  EXPECT_EQ(BuffersOf(GraphOf({b.block})), (Texts{{"state", "variable 3 [0,6)"},
                                                  {"main/t0", "intermediate 3 [2,4)"},
                                                  {"main/t1", "intermediate 3 [3,5)"}}));
}

// 1: t2 = ABS(t1). 2: COND_IF(t0; t1, t2). 3: `then` makes a of its inputs, ends at 4. 5: `else`
// makes b, ends at 6. 7: ABS(t3) is the output; 8 the end. The result t3 is written at 4 or at 6.
TEST(Liveness, BranchesFollowEachOtherAndEachWritesTheResult) {
  const auto branch = [](const char* name, Op op) {
    BlockBuilder b(name);
    const TensorIndex x = b.Input("i32[2]"), y = b.Input("i32[2]");
    return b.Outputs({b.Add(op, {x, y}, "i32[2]")}).block;
  };
  BlockBuilder b;
  const TensorIndex condition = b.Input("bool[1]"), x = b.Input("i32[2]");
  const TensorIndex y = b.Add(Op::kAbs, {x}, "i32[2]");
  const TensorIndex z = b.Add(Op::kCondIf, {condition, x, y}, "i32[2]",
                              {{AttributeId::kThenGraph, std::string("then")},
                               {AttributeId::kElseGraph, std::string("else")}});
  b.Outputs({b.Add(Op::kAbs, {z}, "i32[2]")});
  EXPECT_EQ(BuffersOf(GraphOf({b.block, branch("then", Op::kAdd), branch("else", Op::kSub)})),
            (Texts{{"main/t2", "intermediate 8 [1,6)"},
                   {"then/t2", "intermediate 8 [3,5)"},
                   {"main/t3", "intermediate 8 [4,5) [6,8)"},
                   {"else/t2", "intermediate 8 [5,7)"}}));
}

// A loop that carries t1 and t2. 2: the loop starts, and copies its operands to its results t3, t4.
// 3: `cond` makes a bool, ends at 4. 5: `body` makes a sum, ends at 6. 7: ADD reads the results.
Graph Loop(bool swap) {
  BlockBuilder cond("cond"), body("body"), b;
  const TensorIndex c0 = cond.Input("i32[1]"), c1 = cond.Input("i32[1]");
  cond.Outputs({cond.Add(Op::kGreater, {c0, c1}, "bool[1]")});
  const TensorIndex b0 = body.Input("i32[1]"), b1 = body.Input("i32[1]");
  const TensorIndex sum = body.Add(Op::kAdd, {b0, b1}, "i32[1]");
  body.Outputs({swap ? b1 : sum, swap ? b0 : b1});
  const TensorIndex x = b.Input("i32[1]"), y = b.Add(Op::kAbs, {x}, "i32[1]");
  const TensorIndex first = b.Declare("i32[1]"), second = b.Declare("i32[1]");
  b.Append(Op::kWhileLoop, {x, y}, {first, second},
           {{AttributeId::kCondGraph, std::string("cond")},
            {AttributeId::kBodyGraph, std::string("body")}});
  b.Outputs({b.Add(Op::kAdd, {first, second}, "i32[1]")});
  return GraphOf({b.block, cond.block, body.block});
}

TEST(Liveness, WhatALoopCarriesLivesThroughIt) {
  EXPECT_EQ(BuffersOf(Loop(false)), (Texts{{"main/t1", "intermediate 4 [1,3)"},
                                           {"main/t2", "intermediate 4 [2,8)"},
                                           {"main/t3", "intermediate 4 [2,8)"},
                                           {"cond/t2", "intermediate 1 [3,5)"},
                                           {"body/t2", "intermediate 4 [5,7)"}}));
}

TEST(Liveness, CarriedValuesThatChangePlacesAreHeld) {
  const Texts texts = BuffersOf(Loop(true));
  EXPECT_EQ(texts.at("main/1.WHILE_LOOP/held_0"), "scratch 4 [6,7)");
  EXPECT_EQ(texts.at("main/1.WHILE_LOOP/held_1"), "scratch 4 [6,7)");
  EXPECT_EQ(texts.at("body/t2"), "intermediate 4 [5,6)");
}

// Two operators run `twice`. Its tensors are live in both executions, and not between them.
TEST(Liveness, ABlockOfTwoOperatorsIsLiveInBoth) {
  BlockBuilder twice("twice"), b;
  const TensorIndex in = twice.Input("i8[1]");
  const TensorIndex half = twice.Add(Op::kAbs, {in}, "i8[1]");
  twice.Outputs({twice.Add(Op::kAbs, {half}, "i8[1]")});
  const TensorIndex condition = b.Input("bool[1]");
  TensorIndex x = b.Input("i8[1]");
  for (int i = 0; i < 2; ++i) {
    x = b.Add(Op::kCondIf, {condition, x}, "i8[1]",
              {{AttributeId::kThenGraph, std::string("twice")},
               {AttributeId::kElseGraph, std::string("twice")}});
  }
  b.Outputs({x});
  // 1: COND_IF; 2, 3: the block, ends at 4; 5, 6: again, ends at 7; 8: COND_IF; 9.. and 12...
  const Texts texts = BuffersOf(GraphOf({b.block, twice.block}));
  EXPECT_EQ(texts.at("twice/t1"), "intermediate 1 [2,4) [5,7) [9,11) [12,14)");
  EXPECT_EQ(texts.at("main/t2"), "intermediate 1 [4,5) [7,13)");
}

// 1: t1 = ABS(t0), 2: t2 = ABS(t1) in place, 3: t3 = RESHAPE(t2) as a view, 4: t4 = t2 + t3 in
// place of either, because both are read for the last time; 5: the output.
TEST(Liveness, ResultsShareTheBytesOfOperandsThatNothingReadsAnyMore) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex t1 = b.Add(Op::kAbs, {x}, "i32[2]");
  const TensorIndex t2 = b.Add(Op::kAbs, {t1}, "i32[2]");
  const TensorIndex t3 = b.Add(Op::kIdentity, {t2}, "i32[2]");
  const TensorIndex t4 = b.Add(Op::kAdd, {t2, t3}, "i32[2]");
  b.Outputs({b.Add(Op::kAbs, {t4}, "i32[2]")});
  EXPECT_EQ(BuffersOf(GraphOf({b.block}), Sharing()), (Texts{{"main/t1", "intermediate 8 [1,6)"}}));
}

// t2 would overwrite t1, whose view t3 is read at tick 4.
TEST(Liveness, NothingIsOverwrittenThatAViewStillNeeds) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex t1 = b.Add(Op::kAbs, {x}, "i32[2]");
  const TensorIndex t2 = b.Add(Op::kIdentity, {t1}, "i32[2]");
  const TensorIndex t3 = b.Add(Op::kAbs, {t1}, "i32[2]");
  b.Outputs({b.Add(Op::kAdd, {t2, t3}, "i32[2]")});
  EXPECT_EQ(BuffersOf(GraphOf({b.block}), Sharing()),
            (Texts{{"main/t1", "intermediate 8 [1,5)"}, {"main/t3", "intermediate 8 [3,5)"}}));
}

// Scalars that are broadcast are not as large as the result.
TEST(Liveness, BroadcastOperandsAreNotShared) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]"), s = b.Input("i32[1]");
  const TensorIndex t2 = b.Add(Op::kAbs, {s}, "i32[1]");
  const TensorIndex t3 = b.Add(Op::kAdd, {x, t2}, "i32[2]");
  b.Outputs({b.Add(Op::kAbs, {t3}, "i32[2]")});
  EXPECT_EQ(BuffersOf(GraphOf({b.block}), Sharing()),
            (Texts{{"main/t2", "intermediate 4 [1,3)"}, {"main/t3", "intermediate 8 [2,4)"}}));
}

// ABS runs on `npu`, which only reads `flash` and does not reach `dtcm`; ADD on `c`.
TEST(Liveness, PoolsAreThoseThatAllTargetsOfABufferReach) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]"), one = b.Constant("i32[2]{1,1}");
  const TensorIndex t2 = b.Add(Op::kAdd, {x, one}, "i32[2]");
  const TensorIndex t3 = b.Add(Op::kAdd, {t2, one}, "i32[2]");
  b.Outputs({b.Add(Op::kAbs, {t3}, "i32[2]")});
  MemoryTarget target;
  target.targets = {{Op::kAbs, "npu"}};
  target.pools = {{"dtcm", 16, 0, 0, {{"c", PoolAccess::kReadWrite}}},
                  {"sram", {}, 0, 0, {}},
                  {"flash", {}, 0, 0, {{"*", PoolAccess::kReadOnly}}}};
  Result<GraphMemory> memory = MemoryOf(GraphOf({b.block}), target);
  ASSERT_TRUE(memory) << memory.error().message;
  ASSERT_EQ(memory->problem.buffers.size(), 3u);
  EXPECT_EQ(memory->problem.buffers[0].pool_candidates, (std::vector<int32_t>{2}));
  EXPECT_EQ(memory->problem.buffers[1].pool_candidates, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(memory->problem.buffers[2].pool_candidates, (std::vector<int32_t>{1}));
  target.pools.erase(target.pools.begin() + 1);
  EXPECT_EQ(BuffersOf(GraphOf({b.block}), target),
            (Texts{{"error", "no pool for \"main/t3\", which is touched by \"c\", \"npu\""}}));
}

TEST(Liveness, OfGraphsThatCannotRunNamesTheRule) {
  BlockBuilder b;
  const TensorIndex x = b.Declare("i32[2]");
  b.Outputs({b.Add(Op::kAbs, {x}, "i32[2]")});
  EXPECT_EQ(BuffersOf(GraphOf({b.block})),
            (Texts{{"error",
                    "block \"main\" breaks graph/ERROR_IF/unproduced-tensor and has no order of "
                    "execution"}}));
}

}  // namespace
}  // namespace assay::liveness_test

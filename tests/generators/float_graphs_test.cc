// SPDX-License-Identifier: Apache-2.0
// Tests the graphs of kind `graph` that are about floating point: chains, lattices and subnormals.
#include <algorithm>
#include <map>
#include <set>

#include "canaries.h"
#include "exact_sums.h"
#include "float_chain.h"
#include "flushing_pair.h"
#include "generated.h"
#include "generator_table.h"
#include "judge_vector.h"
#include "lattice_graph.h"
#include "lowest_bit.h"
#include "mutants.h"
#include "operator_set.h"

namespace assay::float_graphs_test {
namespace {

const Mutant& CanaryNamed(std::string_view id) {
  for (const Mutant& canary : AllCanaries()) {
    if (canary.id == id) return canary;
  }
  ADD_FAILURE() << "no canary " << id;
  return AllCanaries()[0];
}

std::vector<Outcome> RunWith(const Mutant& mutant, const TestVector& vector) {
  return ExecuteVector(vector, {.mutant = &mutant});
}

TEST(LowestSetBit, DividesANumber) {
  EXPECT_EQ(LowestSetBit(1), 1);
  EXPECT_EQ(LowestSetBit(-12), 4);
  EXPECT_EQ(LowestSetBit(0x1.8p-20), 0x1p-21);
  EXPECT_EQ(LowestSetBit(0x1.fffffffffffffp0), 0x1p-52);
  EXPECT_EQ(LowestSetBit(0x1p-149), 0x1p-149);
  EXPECT_EQ(UnitOf(std::vector<double>{0, 3, 0.75, -8}), 0.25);
  EXPECT_EQ(UnitOf(std::vector<double>{0, 0}), 0);
}

// Returns the number of operators that calculate on the longest chain behind the first output.
int64_t DepthOf(const Block& block) {
  std::map<TensorIndex, int64_t> depths;
  for (const Operator& op : block.operators) {
    int64_t depth = 0;
    for (const TensorIndex input : op.inputs) depth = std::max(depth, depths[input]);
    depth += ops::DefinitionOf(op.op).traits.results == ops::ResultOrigin::kCalculated;
    for (const TensorIndex output : op.outputs) depths[output] = depth;
  }
  return depths[block.outputs[0]];
}

TEST(FloatChains, AreAsDeepAsTheyAreAskedToBe) {
  const GeneratorOptions options = Options(1);
  const Menu menu(options);
  int complete = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Choices choices{Random(seed)};
    const TestVector vector = GrowFloatChain(choices, options, menu, 40);
    ASSERT_FALSE(vector.steps.empty()) << seed;
    EXPECT_TRUE(IsValid(vector)) << seed;
    complete += DepthOf(*vector.graphs[0].Main()) >= 40;
    EXPECT_GT(vector.steps[0].outputs[0].value.elements(), 1) << seed;
  }
  EXPECT_GE(complete, 45);
}

// With accumulators that round up, or that keep three bits too few, an inexact sum differs. The
// sums of a lattice do not round at all.
TEST(LatticeGraphs, HaveOneAnswer) {
  const GeneratorOptions options = Options(1);
  const Menu menu(options);
  int made = 0, sums = 0;
  int64_t operators = 0;
  std::map<DType, int> types;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Choices choices{Random(seed)};
    const TestVector vector = GrowLatticeGraph(choices, options, menu, 12);
    if (vector.steps.empty()) continue;
    ++made;
    ++types[vector.steps[0].inputs[0].type()];
    const std::vector<Outcome> right = ExecuteVector(vector, {});
    const std::vector<Outcome> up = RunWith(CanaryNamed("rounds-up"), vector);
    ASSERT_EQ(right[0].kind, OutcomeKind::kValid) << seed;
    for (size_t i = 0; i < right[0].outputs.size(); ++i) {
      EXPECT_EQ(up[0].outputs[i], right[0].outputs[i]) << seed;
    }
    for (const Operator& op : vector.graphs[0].Main()->operators) {
      operators += !IsConstant(op.op);
      sums += op.op == Op::kConv2d || op.op == Op::kDepthwiseConv2d || op.op == Op::kMatmul ||
              op.op == Op::kReduceSum;
    }
    EXPECT_TRUE(HasOneAnswer(vector, vector.steps[0].outputs.size())) << seed;
  }
  EXPECT_GT(made, static_cast<int>(kCases) * 9 / 10);
  EXPECT_EQ(types.size(), 3u);
  EXPECT_GT(sums, made);
  EXPECT_GT(operators, made * 8);
}

// The condition that the networks check and the domain's agree on the dot products of a lattice.
TEST(LatticeGraphs, KeepTheConditionOfNetworks) {
  const GeneratorOptions options = Options(1);
  const Menu menu(options);
  int checked = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Choices choices{Random(seed)};
    TestVector vector = GrowLatticeGraph(choices, options, menu, 8);
    if (vector.steps.empty()) continue;
    Block& main = *vector.graphs[0].Main();
    for (const Operator& op : main.operators) {
      const Operator* weight = op.op == Op::kMatmul ? main.ProducerOf(op.inputs[1]) : nullptr;
      if (weight == nullptr) continue;
      TestVector cut = vector;
      cut.graphs[0].Main()->outputs = {op.inputs[0]};
      const std::vector<Outcome> outcomes = ExecuteVector(cut, {});
      ASSERT_EQ(outcomes[0].kind, OutcomeKind::kValid);
      const Tensor& x = outcomes[0].outputs[0];
      const Tensor& w = weight->attributes.Value(AttributeId::kValues);
      const Shape &in = x.shape(), out = main.TypeOf(op.outputs[0]).shape;
      DotShape shape;
      shape.op = Op::kMatmul;
      shape.batches = in[0];
      shape.height = shape.out_height = in[1];
      shape.channels = in[2];
      shape.out_channels = out[2];
      std::vector<double> a, b;
      for (int64_t i = 0; i < x.elements(); ++i) a.push_back(x.Float(i));
      for (int64_t i = 0; i < w.elements(); ++i) b.push_back(w.Float(i));
      const DType type = main.TypeOf(op.outputs[0]).type;
      if (UnitOf(a) == 0 || UnitOf(b) == 0) continue;
      ++checked;
      EXPECT_TRUE(IsExactDotProduct(shape, a, b, {}, type, type)) << seed;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(LatticeGraphs, AreTaggedAndJudgedByTheSpecificationAlone) {
  int lattices = 0, open = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    const auto vector = GeneratorByKind("graph")->make(Options(1), index);
    if (!vector || !HasTag(*vector, "lattice")) continue;
    ++lattices;
    for (const Expectation& output : vector->steps[0].outputs) open += !output.error.empty();
  }
  EXPECT_GT(lattices, static_cast<int>(kCases) / 40);
  EXPECT_GT(open, 0);
}

Mutant FlushesIn(std::span<const Op> operators) {
  return {.id = "flushes",
          .operator_class = OperatorClass::kMixed,
          .op = operators[0],
          .twist = Twist::kStoreFlushes,
          .detail = {},
          .what = "a subnormal result is 0",
          .operators = operators};
}

TEST(FlushingPairs, ShowABackendThatFlushesInOneOperatorOnly) {
  const GeneratorOptions options = Options(1);
  const Menu menu(options);
  int made = 0, reading = 0;
  std::map<Violation, int> violations;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Choices choices{Random(seed)};
    const TestVector vector = GrowFlushingPair(choices, options, menu);
    if (vector.steps.empty()) continue;
    ++made;
    std::set<Op> distinct;
    const Block& main = *vector.graphs[0].Main();
    for (const Operator& op : main.operators) {
      if (!IsConstant(op.op)) distinct.insert(op.op);
      for (const TensorIndex input : op.inputs) {
        const Operator* producer = main.ProducerOf(input);
        reading += producer != nullptr && !IsConstant(producer->op);
      }
    }
    ASSERT_EQ(distinct.size(), 2u) << seed;
    const std::vector<Op> both(distinct.begin(), distinct.end());
    const Mutant all = FlushesIn(both);
    EXPECT_EQ(JudgeVector(vector, ExecuteVector(vector, {})).kind, VerdictKind::kAgrees) << seed;
    EXPECT_EQ(JudgeVector(vector, RunWith(all, vector)).kind, VerdictKind::kAgrees) << seed;
    for (const Op& op : both) {
      const Mutant one = FlushesIn({&op, 1});
      const Verdict verdict = JudgeVector(vector, RunWith(one, vector));
      EXPECT_EQ(verdict.kind, VerdictKind::kDisagrees) << seed << " " << OperatorName(op);
      if (!verdict.findings.empty()) ++violations[verdict.findings[0].violation];
    }
  }
  EXPECT_GT(made, static_cast<int>(kCases) * 9 / 10);
  EXPECT_GT(reading, made / 4);
  EXPECT_GT(violations[Violation::kFlush], made);
}

}  // namespace
}  // namespace assay::float_graphs_test

// Pairs of graphs worked out by hand: what a folder may make of a graph, and what only looks so.
#include "fold_check.h"

#include <gtest/gtest.h>

#include "block_builder.h"

namespace assay {
namespace {

Graph GraphOf(BlockBuilder& builder, std::vector<TensorIndex> outputs) {
  builder.Outputs(std::move(outputs));
  return assay::GraphOf({std::move(builder.block)});
}

std::string TextOf(const FoldVerdict& verdict) {
  std::string text(FoldVerdictName(verdict.kind));
  if (verdict.kind == FoldVerdictKind::kEqual) {
    return text + ": " + std::string(FoldArgumentText(verdict.argument));
  }
  return text + ": " + verdict.reason;
}

// A difference that is claimed has to show when the vector runs: some output of AFTER's steps is
// not that of BEFORE's, or they end otherwise.
void ExpectToReplay(const FoldVerdict& verdict) {
  ASSERT_TRUE(verdict.counterexample.has_value());
  const TestVector& vector = *verdict.counterexample;
  const std::vector<Outcome> outcomes = ExecuteVector(vector, {});
  ASSERT_EQ(outcomes.size(), vector.steps.size());
  const size_t half = outcomes.size() / 2;
  bool differs = false;
  for (size_t i = 0; i < half; ++i) {
    const Outcome &before = outcomes[i], &after = outcomes[i + half];
    EXPECT_EQ(vector.steps[i].inputs, vector.steps[i + half].inputs);
    EXPECT_EQ(before.kind, OutcomeKind::kValid);
    EXPECT_EQ(before.kind, vector.steps[i].expected);
    differs |=
        before.kind != after.kind || before.outputs != after.outputs || before.state != after.state;
  }
  EXPECT_TRUE(differs);
}

FoldVerdict Checked(const Graph& before, const Graph& after, const FoldCheckOptions& options = {}) {
  FoldVerdict verdict = CheckFold(before, after, options);
  if (verdict.kind == FoldVerdictKind::kDifferent) ExpectToReplay(verdict);
  return verdict;
}

Graph Unary(std::string_view type, Op op, Attributes attributes = {}) {
  BlockBuilder b;
  const TensorIndex x = b.Input(type);
  return GraphOf(b, {b.Add(op, {x}, type, std::move(attributes))});
}

Graph Identity(std::string_view type) { return Unary(type, Op::kIdentity); }

// x OP constant.
Graph WithConstant(std::string_view type, Op op, std::string_view constant) {
  BlockBuilder b;
  const TensorIndex x = b.Input(type);
  std::vector<TensorIndex> operands = {x, b.Constant(constant)};
  if (op == Op::kMul) operands.push_back(b.Constant("i8[1]{0}"));
  return GraphOf(b, {b.Add(op, operands, type)});
}

TEST(FoldStructureTest, NamesOrderCopiesAndDeadCodeDoNotMatter) {
  BlockBuilder a;
  const TensorIndex x = a.Input("i32[2]");
  const TensorIndex one = a.Constant("i32[2]{1,1}");
  const TensorIndex p = a.Add(Op::kAbs, {x}, "i32[2]");
  const TensorIndex q = a.Add(Op::kBitwiseAnd, {x, one}, "i32[2]");
  a.Add(Op::kBitwiseNot, {q}, "i32[2]");  // nobody reads it
  const Graph before = GraphOf(a, {a.Add(Op::kBitwiseOr, {p, q}, "i32[2]")});

  BlockBuilder b;
  const TensorIndex y = b.Input("i32[2]");
  b.block.tensors[0].name = "renamed";
  const TensorIndex copy = b.Add(Op::kIdentity, {y}, "i32[2]");
  const TensorIndex r = b.Add(Op::kBitwiseAnd, {copy, b.Constant("i32[2]{1,1}")}, "i32[2]");
  const TensorIndex s = b.Add(Op::kAbs, {y}, "i32[2]");
  const Graph after = GraphOf(b, {b.Add(Op::kBitwiseOr, {s, r}, "i32[2]")});
  EXPECT_EQ(TextOf(Checked(before, after)),
            "equal for all inputs: they are one graph but for names, order, copies and dead code");
  // The dead operator is one more in the other direction. It can break no REQUIRE, but that is not
  // for a comparison of graphs to say.
  EXPECT_EQ(TextOf(Checked(after, before)), "undecided: they agree on 32 inputs");
}

TEST(FoldStructureTest, BitsOfConstantsAndAttributesMatter) {
  const auto graph = [](std::string_view constant, int32_t axis) {
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[2,2]");
    const TensorIndex sum = b.Add(Op::kAdd, {x, b.Constant(constant)}, "fp32[2,2]");
    return GraphOf(b, {b.Add(Op::kReverse, {sum}, "fp32[2,2]", {{AttributeId::kAxis, axis}})});
  };
  const Graph before = graph("fp32[1,1]{0}", 0);
  EXPECT_EQ(CheckFold(before, graph("fp32[1,1]{0}", 0), {}).argument, FoldArgument::kIsomorphic);
  // -0 + 0 is 0, -0 + -0 is -0.
  EXPECT_EQ(Checked(before, graph("fp32[1,1]{-0}", 0)).kind, FoldVerdictKind::kDifferent);
  EXPECT_EQ(Checked(before, graph("fp32[1,1]{0}", 1)).kind, FoldVerdictKind::kDifferent);
}

TEST(FoldDifferentialTest, WitnessesOfNearlyLaws) {
  // x + 0 of -0 is 0; x * 0 of NaN is NaN.
  EXPECT_EQ(TextOf(Checked(WithConstant("fp32[3]", Op::kAdd, "fp32[1]{0}"), Identity("fp32[3]"))),
            "different: output t2, element 1: 0 before, -0 after");
  EXPECT_EQ(Checked(WithConstant("fp32[3]", Op::kMul, "fp32[1]{0}"),
                    WithConstant("fp32[3]", Op::kBitwiseAnd, "fp32[1]{0}"))
                .kind,
            FoldVerdictKind::kDifferent);
  // x + 1 leaves the range of i32 where x is its maximum: nothing is asked there.
  EXPECT_EQ(Checked(WithConstant("i32[3]", Op::kAdd, "i32[1]{1}"), Identity("i32[3]")).kind,
            FoldVerdictKind::kDifferent);
  // Valid before, unpredictable after.
  EXPECT_EQ(Checked(Identity("i32[3]"), WithConstant("i32[3]", Op::kIntdiv, "i32[1]{0}")).kind,
            FoldVerdictKind::kDifferent);
  // Never valid before.
  EXPECT_EQ(TextOf(Checked(WithConstant("i32[3]", Op::kIntdiv, "i32[1]{0}"), Identity("i32[3]"))),
            "undecided: on every input tried, BEFORE is not valid: INTDIV/REQUIRE/1");
}

TEST(FoldDifferentialTest, ModesOfComparison) {
  // exp(1) = 2.7182817459..., its neighbor above in fp32 is 2.7182819843...: within the bound of
  // EXP, but another number.
  BlockBuilder a;
  a.Input("fp32[1]");
  const Graph before = GraphOf(a, {a.Add(Op::kExp, {a.Constant("fp32[1]{1}")}, "fp32[1]")});
  BlockBuilder b;
  b.Input("fp32[1]");
  const Graph after = GraphOf(b, {b.Constant("fp32[1]{2.7182819843}")});
  FoldCheckOptions options;
  EXPECT_EQ(Checked(before, after, options).kind, FoldVerdictKind::kDifferent);
  options.mode = FoldMode::kBounded;
  EXPECT_EQ(Checked(before, after, options).kind, FoldVerdictKind::kUndecided);
  BlockBuilder c;
  c.Input("fp32[1]");
  const Graph wrong = GraphOf(c, {c.Constant("fp32[1]{2.72}")});
  EXPECT_EQ(CheckFold(before, wrong, options).kind, FoldVerdictKind::kDifferent);
}

TEST(FoldDifferentialTest, WithoutInputsOneRunDecides) {
  BlockBuilder a, b;
  const Graph before =
      GraphOf(a, {a.Add(Op::kAdd, {a.Constant("i32[1]{2}"), a.Constant("i32[1]{3}")}, "i32[1]")});
  const Graph after = GraphOf(b, {b.Constant("i32[1]{5}")});
  EXPECT_EQ(CheckFold(before, after, {}).argument, FoldArgument::kEnumeration);
}

TEST(FoldDifferentialTest, OtherInterfacesAreNoPair) {
  EXPECT_EQ(TextOf(Checked(Identity("i32[3]"), Identity("i32[4]"))),
            "undecided: the inputs are not of the same number and types");
}

}  // namespace
}  // namespace assay

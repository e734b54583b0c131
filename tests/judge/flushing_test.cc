// SPDX-License-Identifier: Apache-2.0
// Tests the oracle that checks for one consistent treatment of subnormal numbers.
#include <gtest/gtest.h>

#include "block_builder.h"
#include "judge_vector.h"

namespace assay::flushing_test {
namespace {

// Returns a vector with a result of each operator on the fp16 numbers 1, 2^-15 and 2^-24. 2^-15 is
// subnormal, and 2^-24 is the smallest subnormal number.
TestVector Vector(Op first, Op second) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp16[3]");
  const auto add = [&](Op op) {
    const bool binary = op == Op::kAdd || op == Op::kMaximum;
    Attributes attributes;
    if (op == Op::kMaximum) {
      attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
    }
    return b.Add(op, binary ? std::vector<TensorIndex>{x, x} : std::vector<TensorIndex>{x},
                 "fp16[3]", attributes);
  };
  const TensorIndex one = add(first);
  b.Outputs({one, add(second)});
  TestVector vector;
  vector.graphs = {EmptyGraph()};
  *vector.graphs[0].Main() = b.block;
  Step step;
  step.inputs = {TensorOf("fp16[3]{1,0.000030517578125,0.000000059604644775390625}")};
  vector.steps = {step};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

Verdict JudgeWith(const TestVector& vector, std::vector<std::string_view> outputs) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kValid;
  for (const std::string_view output : outputs) outcome.outputs.push_back(TensorOf(output));
  return JudgeVector(vector, std::span(&outcome, 1));
}

constexpr std::string_view kSums = "fp16[3]{2,0.00006103515625,0.00000011920928955078125}";
constexpr std::string_view kFlushed = "fp16[3]{2,0.00006103515625,0}";

// 2^-15 + 2^-15 = 2^-14 is a normal number, 2^-24 + 2^-24 = 2^-23 is not.
TEST(Flushing, IsAHabit) {
  const TestVector vector = Vector(Op::kAdd, Op::kAdd);
  EXPECT_EQ(JudgeWith(vector, {kSums, kSums}).kind, VerdictKind::kAgrees);
  EXPECT_EQ(JudgeWith(vector, {kFlushed, kFlushed}).kind, VerdictKind::kAgrees);
  const Verdict verdict = JudgeWith(vector, {kSums, kFlushed});
  ASSERT_EQ(verdict.findings.size(), 1u);
  const Finding& finding = verdict.findings[0];
  EXPECT_EQ(finding.oracle, "flushing");
  EXPECT_EQ(finding.violation, Violation::kFlush);
  EXPECT_EQ(finding.op, Op::kAdd);
  EXPECT_EQ(finding.expected, "all subnormal numbers of fp16 flushed, or none");
  EXPECT_EQ(finding.got, "element 2 of t1 in step 0 kept, element 2 of t2 in step 0 flushed");
}

// With flushed operands the sum is 0 + 0.
TEST(Flushing, MayBeOfOperands) {
  const TestVector vector = Vector(Op::kAdd, Op::kAdd);
  EXPECT_EQ(JudgeWith(vector, {"fp16[3]{2,0,0}", kFlushed}).kind, VerdictKind::kAgrees);
  EXPECT_EQ(JudgeWith(vector, {"fp16[3]{2,0,0}", kSums}).findings.size(), 1u);
}

// A machine that flushes still copies, selects and changes signs without arithmetic.
TEST(Flushing, IsNotAskedOfCopies) {
  for (const Op op : {Op::kMaximum, Op::kAbs, Op::kIdentity}) {
    const TestVector vector = Vector(Op::kAdd, op);
    const std::string_view same = "fp16[3]{1,0.000030517578125,0.000000059604644775390625}";
    EXPECT_EQ(JudgeWith(vector, {kFlushed, same}).kind, VerdictKind::kAgrees) << OperatorName(op);
  }
}

// Returns a vector with four results computed from the subnormal number 2^-15. The first is a
// product with a half, which is subnormal or flushed. The others are CEIL, GREATER than zero, and a
// product that is normal again.
TestVector VectorOfProofs() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp16[1]");
  const TensorIndex half = b.Input("fp16[1]");
  const TensorIndex zero = b.Input("fp16[1]");
  const TensorIndex large = b.Input("fp16[1]");
  const TensorIndex shift = b.Constant("i8[1]{0}");
  const TensorIndex quotient = b.Add(Op::kMul, {x, half, shift}, "fp16[1]");
  const TensorIndex ceiling = b.Add(Op::kCeil, {x}, "fp16[1]");
  const TensorIndex greater = b.Add(Op::kGreater, {x, zero}, "bool[1]");
  b.Outputs({quotient, ceiling, greater, b.Add(Op::kMul, {x, large, shift}, "fp16[1]")});
  TestVector vector;
  vector.graphs = {EmptyGraph()};
  *vector.graphs[0].Main() = b.block;
  Step step;
  step.inputs = {TensorOf("fp16[1]{0.000030517578125}"), TensorOf("fp16[1]{0.5}"),
                 TensorOf("fp16[1]{0}"), TensorOf("fp16[1]{1024}")};
  vector.steps = {step};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

TEST(Flushing, IsDeniedByWhatFollowsFromASubnormalOperand) {
  const TestVector vector = VectorOfProofs();
  const auto judge = [&](std::string_view quotient, std::string_view ceiling,
                         std::string_view greater, std::string_view product) {
    return JudgeWith(vector, {quotient, ceiling, greater, product}).findings.size();
  };
  constexpr std::string_view kZero = "fp16[1]{0}";
  constexpr std::string_view kHalf = "fp16[1]{0.0000152587890625}";
  constexpr std::string_view kOne = "fp16[1]{1}";
  constexpr std::string_view kNormal = "fp16[1]{0.03125}";
  EXPECT_EQ(judge(kHalf, kOne, "bool[1]{true}", kNormal), 0u);
  EXPECT_EQ(judge(kZero, kZero, "bool[1]{false}", kZero), 0u);
  EXPECT_EQ(judge(kZero, kOne, "bool[1]{false}", kZero), 1u);
  EXPECT_EQ(judge(kZero, kZero, "bool[1]{true}", kZero), 1u);
  EXPECT_EQ(judge(kZero, kZero, "bool[1]{false}", kNormal), 1u);
  // The results are subnormal, but an operand was flushed.
  EXPECT_EQ(judge(kHalf, kZero, "bool[1]{false}", kZero), 1u);
}

// The rule of TANH admits a result below zero, of which CEIL makes a zero.
TEST(Flushing, IsNotSeenInAZeroBehindAnInexactOperator) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp16[1]");
  const TensorIndex shift = b.Constant("i8[1]{0}");
  const TensorIndex half = b.Add(Op::kMul, {x, b.Input("fp16[1]"), shift}, "fp16[1]");
  const TensorIndex ceiling = b.Add(Op::kCeil, {b.Add(Op::kTanh, {x}, "fp16[1]")}, "fp16[1]");
  b.Outputs({half, ceiling});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("fp16[1]{0.000030517578125}"), TensorOf("fp16[1]{0.5}")};
  std::string reason;
  ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
  const auto judge = [&](std::string_view ceiling_seen) {
    return JudgeWith(vector, {"fp16[1]{0.0000152587890625}", ceiling_seen}).findings.size();
  };
  EXPECT_EQ(judge("fp16[1]{1}"), 0u);
  EXPECT_EQ(judge("fp16[1]{0}"), 0u);
}

// The operands may have been read in a wider type, in which they are not subnormal.
TEST(Flushing, MayBeOfResultsAlone) {
  const TestVector vector = VectorOfProofs();
  EXPECT_EQ(JudgeWith(vector, {"fp16[1]{0}", "fp16[1]{1}", "bool[1]{true}", "fp16[1]{0.03125}"})
                .findings.size(),
            0u);
}

// A result that is wrong in any case is no sign of flushing.
TEST(Flushing, IsNotSeenInWrongResults) {
  const Verdict verdict =
      JudgeWith(Vector(Op::kAdd, Op::kAdd), {kSums, "fp16[3]{3,0.00006103515625,0}"});
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].oracle, "values");
}

}  // namespace
}  // namespace assay::flushing_test

// SPDX-License-Identifier: Apache-2.0
// Tests that a read is not blamed for a write that was lost.
#include <gtest/gtest.h>

#include "block_builder.h"
#include "executor.h"
#include "finding_text.h"
#include "judge_vector.h"

namespace assay::lost_write_test {
namespace {

Attributes Named(std::string name) { return {{AttributeId::kName, std::move(name)}}; }

// Appends VARIABLE "v", i8[2], which holds {1,2}.
void Declare(BlockBuilder& b) {
  Attributes attributes = Named("v");
  attributes.Set(AttributeId::kVarShape, std::vector<int32_t>{2});
  attributes.Set(AttributeId::kType, static_cast<int32_t>(DType::kInt8));
  attributes.Set(AttributeId::kInitialValue, TensorOf("i8[2]{1,2}"));
  b.Append(Op::kVariable, {}, {}, std::move(attributes));
}

// Judges a backend that reads `got` in the last step, with the input {3,4} in each step. The graph
// reads the variable, before or after it writes its input there.
Finding Judged(std::string_view got, bool reads_first, int steps) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[2]");
  Declare(b);
  const auto write = [&] { b.Append(Op::kVariableWrite, {x}, {}, Named("v")); };
  if (!reads_first) write();
  b.Outputs({b.Add(Op::kVariableRead, {}, "i8[2]", Named("v"))});
  if (reads_first) write();
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  Step step;
  step.inputs = {TensorOf("i8[2]{3,4}")};
  vector.steps.assign(static_cast<size_t>(steps), step);
  EXPECT_TRUE(Expect(vector, {}));
  std::vector<Outcome> outcomes = ExecuteVector(vector, {});
  for (Outcome& outcome : outcomes) outcome.state.clear();
  outcomes.back().outputs = {TensorOf(got)};
  const Verdict verdict = JudgeVector(vector, outcomes);
  return verdict.findings.empty() ? Finding() : verdict.findings[0];
}

TEST(LostWrite, IsNamedIfTheReadGivesTheValueFromBeforeIt) {
  const Finding finding = Judged("i8[2]{1,2}", false, 1);
  EXPECT_EQ(FindingHeadline(finding), "VARIABLE_WRITE i8: wrong value");
  EXPECT_EQ(finding.message, "the variable v has a value from before the write");
}

TEST(LostWrite, OfAnEarlierStepIsNamed) {
  EXPECT_EQ(Judged("i8[2]{1,2}", true, 2).op, Op::kVariableWrite);
}

TEST(LostWrite, IsOneOfTwoPossibilitiesIfTheReadGivesAnotherValue) {
  const Finding finding = Judged("i8[2]{9,9}", false, 1);
  EXPECT_EQ(FindingHeadline(finding), "VARIABLE_WRITE, VARIABLE_READ i8: wrong value");
  EXPECT_EQ(finding.message, "the write or the read of the variable v is wrong");
}

TEST(LostWrite, IsNoCauseBeforeTheFirstWrite) {
  EXPECT_EQ(Judged("i8[2]{9,9}", true, 1).op, Op::kVariableRead);
}

}  // namespace
}  // namespace assay::lost_write_test

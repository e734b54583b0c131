// SPDX-License-Identifier: Apache-2.0
// Tests explained calculations: their values are those of the executor, their lines are true, and
// some are compared with calculations by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "convert_tensor.h"
#include "executor.h"
#include "explained_call.h"
#include "operator_set.h"
#include "trace.h"
#include "worked_example.h"

namespace assay::steps_test {
namespace {

// The call of an operator in an execution, and its results.
class FirstCall : public Trace {
 public:
  FirstCall(Op op, const TestVector& vector) : op_(op) {
    ExecutionOptions options;
    options.trace = this;
    ExecuteVector(vector, options);
  }
  void Ran(const ExecutedOperator& executed) override {
    if (executed.op.op != op_ || call.op != nullptr) return;
    call.op = &executed.op;
    for (const auto* input : executed.inputs) call.inputs.push_back(*input);
    call.outputs.assign(executed.outputs.begin(), executed.outputs.end());
    for (const auto* result : executed.results) results.push_back(*result);
  }

  OperatorCall call;
  std::vector<DomainTensor<Scalar>> results;

 private:
  Op op_;
};

std::string NameOf(uint32_t operand, int64_t element) {
  return std::string(1, static_cast<char>('a' + operand)) + std::to_string(element);
}

bool IsSame(DType type, Scalar a, Scalar b) {
  if (IsFloat(type) && std::isnan(a.real())) return std::isnan(b.real());
  return a.integer() == b.integer();
}

class ExplainedOperator : public testing::TestWithParam<const ops::OperatorDefinition*> {};

// Every element of every worked example is explained, and ends in the executor's value.
TEST_P(ExplainedOperator, EndsInTheValueOfTheExecutor) {
  const ops::OperatorDefinition& definition = *GetParam();
  const bool is_explained = definition.move != nullptr || definition.meaning.value != nullptr;
  int64_t elements = 0;
  for (const ops::Example& example : definition.examples) {
    const Result<TestVector> vector = VectorOfExample(definition.op, example);
    ASSERT_TRUE(vector) << vector.error().message;
    const FirstCall first(definition.op, *vector);
    if (first.call.op == nullptr || first.call.inputs.empty()) continue;
    for (size_t output = 0; output < first.results.size(); ++output) {
      const DomainTensor<Scalar>& result = first.results[output];
      if (result.size() > 10000) continue;
      for (int64_t i = 0; i < std::min<int64_t>(result.size(), 8); ++i) {
        const auto explained = ExplainElement(first.call, static_cast<int>(output), i, NameOf);
        ASSERT_EQ(explained.has_value(), is_explained) << example.inputs;
        if (!explained) continue;
        EXPECT_TRUE(IsSame(result.type.type, explained->value, result[i]))
            << example.inputs << " element " << i;
        EXPECT_EQ(explained->moved_from.has_value(), explained->text.lines.empty());
        ++elements;
      }
    }
  }
  EXPECT_EQ(elements > 0,
            is_explained && definition.op != Op::kConst && definition.op != Op::kConstShape);
}

std::string OperatorOf(const testing::TestParamInfo<const ops::OperatorDefinition*>& info) {
  return std::string(OperatorName(info.param->op));
}

INSTANTIATE_TEST_SUITE_P(Set, ExplainedOperator,
                         testing::ValuesIn(ops::AllDefinitions().begin(),
                                           ops::AllDefinitions().end()),
                         OperatorOf);

std::string Explained(Op op, const ops::Example& example, int64_t element = 0) {
  const Result<TestVector> vector = VectorOfExample(op, example);
  if (!vector) return vector.error().message;
  const FirstCall first(op, *vector);
  const auto explained = ExplainElement(first.call, 0, element, NameOf);
  if (!explained) return "not explained";
  std::string text;
  for (const std::string& line : explained->text.lines) text += line + "\n";
  return text;
}

TEST(Explained, SumsProductsInOrder) {
  // (3 - 1) * (2 - 0) + (-4 - 1) * (5 - 0) + 10 = 4 - 25 + 10.
  EXPECT_EQ(
      Explained(Op::kConv2d,
                {"i8[1,1,1,2]{3,-4} i8[1,1,1,2]{2,5} i32[1]{10} i8[1]{1} i8[1]{0}",
                 "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32", "i32[1,1,1,1]{0}"}),
      "(1) sum of 2 products and the bias:\n"
      "    (a0 - d0) * (b0 - e0) = 2 * 2 = 4\n"
      "    (a1 - d0) * (b1 - e0) = -5 * 5 = -25, sum -21\n"
      "    + c0 = 10\n"
      "    = -11\n");
}

TEST(Explained, RoundsFloatsOnce) {
  // 2048 + 1 lies halfway between two numbers of fp16.
  EXPECT_EQ(Explained(Op::kAdd, {"fp16[1]{2048} fp16[1]{1}", "", "fp16[1]{2048}"}),
            "(1) a0 + b0 = 2048 + 1 = 2049\n"
            "(2) (1) rounded to fp16 = 2049 rounded to fp16 = 2048\n");
}

TEST(Explained, NamesTheTreatmentOfNan) {
  EXPECT_EQ(Explained(Op::kMaximum, {"fp32[1]{nan} fp32[1]{1}", "nan_mode=IGNORE", "fp32[1]{1}"}),
            "(1) apply_max_s(a0, b0, IGNORE) = apply_max_s(nan, 1, IGNORE) = 1\n");
}

TEST(Explained, WritesNegativeNumbersAndNotesInParentheses) {
  EXPECT_EQ(Explained(Op::kSigmoid, {"fp32[1]{-0}", "", "fp32[1]{0.5}"}),
            "(1) 1 / (1 + exp(-a0)) = 1 / (1 + exp(-(-0))) = 0.5\n");
  EXPECT_EQ(Explained(Op::kIntdiv, {"i32[1]{7} i32[1]{-2}", "", "i32[1]{-3}"}),
            "(1) a0 / b0 (toward zero) = 7 / -2 (toward zero) = -3\n");
  EXPECT_EQ(Explained(Op::kGather, {"i8[1,2,1]{5,6} i32[1,1]{1}", "", "i8[1,1,1]{6}"}),
            "(1) a1 (entry b0) = 6 (entry 1) = 6\n");
}

// Worked by hand from the specification.
TEST(Explained, FollowsTheSpecification) {
  // apply_scale_32 with half of the value: -3 / 2, rounded half up, after 1 << 30 is added.
  EXPECT_EQ(Explained(Op::kRescale, {"i32[1]{-3} i32[1]{1073741824} i8[1]{31} i32[1]{0} i8[1]{7}",
                                     "scale32=true rounding_mode=SINGLE_ROUND per_channel=false "
                                     "input_unsigned=false output_unsigned=false",
                                     "i8[1]{6}"}),
            "(1) a0 - 0 = -3 - 0 = -3\n"
            "(2) (1) * 1073741824 = -3 * 1073741824 = -3221225472\n"
            "(3) (2) + 1073741824 = -3221225472 + 1073741824 = -2147483648\n"
            "(4) (3) >> 31 = -2147483648 >> 31 = -1\n"
            "(5) (4) + 7 = -1 + 7 = 6\n"
            "(6) apply_clip_s((5), -128, 127) = apply_clip_s(6, -128, 127) = 6\n");
  // The bit that is shifted out last rounds up.
  EXPECT_EQ(
      Explained(Op::kArithmeticRightShift, {"i32[1]{-5} i32[1]{1}", "round=true", "i32[1]{-2}"}),
      "(1) a0 >> b0 = -5 >> 1 = -3\n"
      "(2) b0 > 0 = 1 > 0 = true\n"
      "(3) b0 - 1 = 1 - 1 = 0\n"
      "(4) a0 >> (3) = -5 >> 0 = -5\n"
      "(5) (4) & 1 = -5 & 1 = 1\n"
      "(6) (2) ? (5) : 0 = true ? 1 : 0 = 1\n"
      "(7) (1) + (6) = -3 + 1 = -2\n");
  // -129 is 0xff7f.
  EXPECT_EQ(Explained(Op::kCast, {"i16[1]{-129}", "", "i8[1]{127}"}),
            "(1) the low bits of a0 as i8 = the low bits of -129 as i8 = 127\n");
  EXPECT_EQ(Explained(Op::kCast, {"fp32[1]{2.5}", "", "i8[1]{2}"}),
            "(1) a0 rounded to the nearest (even) integer and saturated to i8 = "
            "2.5 rounded to the nearest (even) integer and saturated to i8 = 2\n");
}

TEST(Explained, WritesASharedStepOnce) {
  Calculation calculation(100);
  const StepId a = calculation.Operand(DType::kInt32, Scalar::OfInteger(3), 0, 0);
  const std::vector<StepId> twice = {a, a};
  const StepId sum = calculation.Word("$ + $", DType::kUnknown, false, Scalar::OfInteger(6), twice);
  const std::vector<StepId> sums = {sum, sum};
  const StepId product =
      calculation.Word("$ * $", DType::kUnknown, false, Scalar::OfInteger(36), sums);
  EXPECT_EQ(calculation.Explain(product, NameOf).lines,
            (std::vector<std::string>{"(1) a0 + a0 = 3 + 3 = 6", "(2) (1) * (1) = 6 * 6 = 36"}));
}

TEST(Explained, LeavesOutTheMiddleOfLongSums) {
  // 20 ones: ten, eight that are left out, two.
  EXPECT_EQ(Explained(Op::kReduceSum, {"i32[20]{1}", "axis=0", "i32[1]{20}"}),
            "(1) sum of 20, in order:\n"
            "    a0 = 1\n    a1 = 1\n    a2 = 1\n    a3 = 1\n    a4 = 1\n    a5 = 1\n    a6 = 1\n"
            "    a7 = 1\n    a8 = 1\n    a9 = 1\n    ... 8 more\n    a18 = 1\n    a19 = 1\n"
            "    = 20\n");
}

TEST(Explained, NamesTheSourceOfMovedElements) {
  const ops::Example example = {"i8[2]{5,7}", "axis=0", "i8[2]{7,5}"};
  const Result<TestVector> vector = VectorOfExample(Op::kReverse, example);
  ASSERT_TRUE(vector);
  const FirstCall first(Op::kReverse, *vector);
  const auto explained = ExplainElement(first.call, 0, 0, NameOf);
  ASSERT_TRUE(explained && explained->moved_from);
  EXPECT_EQ(explained->moved_from->element, 1);
  EXPECT_EQ(explained->value.integer(), 7);
}

// A call of more steps than are kept is not explained.
TEST(Explained, IsRefusedIfItIsTooLarge) {
  EXPECT_EQ(Explained(Op::kAdd, {"i32[2000000]{1} i32[1]{1}", "", "i32[2000000]{2}"}),
            "not explained");
}

}  // namespace
}  // namespace assay::steps_test

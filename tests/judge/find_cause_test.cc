// SPDX-License-Identifier: Apache-2.0
// Tests the experiments that tell the cause of a finding.
#include "find_cause.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend_kind.h"
#include "block_builder.h"
#include "executor.h"
#include "finding_text.h"
#include "generator_table.h"
#include "json_lines.h"
#include "judge_case.h"

namespace assay::find_cause_test {
namespace {

TestVector VectorOf(const Block& block, std::vector<Tensor> inputs) {
  TestVector vector;
  vector.requirements = {"PRO-INT", "PRO-FP"};
  vector.graphs = {GraphOf({block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = std::move(inputs);
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  EXPECT_EQ(vector.steps[0].expected, OutcomeKind::kValid) << vector.steps[0].rule;
  return vector;
}

// Returns the cause of the vector's finding on a backend.
FindingCause CauseOn(Backend& backend, const TestVector& vector) {
  const CaseResult result = JudgeOnce(backend, vector, "");
  EXPECT_EQ(result.state, CaseState::kDisagrees) << result.note;
  if (result.verdict.findings.empty()) return {};
  return FindCause(backend, vector, result.verdict.findings[0]);
}

FindingCause CauseOn(const char* backend, const TestVector& vector) {
  const auto opened = OpenBackend(backend, {});
  return CauseOn(**opened, vector);
}

constexpr char kType[] = "i32[4]";

TEST(FindCause, NamesTheOperatorThatIsWrongAlone) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType), y = b.Input(kType);
  const TensorIndex s = b.Add(Op::kSub, {x, y}, kType);
  b.Outputs({b.Add(Op::kAbs, {b.Add(Op::kAdd, {s, x}, kType)}, kType)});
  const FindingCause cause =
      CauseOn("canary:swapped-operands",
              VectorOf(b.block, {TensorOf("i32[4]{5,6,7,8}"), TensorOf("i32[4]{1,1,9,1}")}));
  EXPECT_EQ(cause.alone, (OperatorUse{Op::kSub, DType::kInt32}));
  EXPECT_EQ(cause.expected, "4");
  EXPECT_EQ(cause.got, "-4");
  EXPECT_FALSE(cause.needs_constants);
  EXPECT_FALSE(cause.needs_variables);
  ASSERT_FALSE(cause.looks_like.empty());
  EXPECT_EQ(cause.looks_like[0], "swapped-operands");
}

// Returns a vector that is wrong if a write is lost.
TestVector WithVariable() {
  constexpr char kSmall[] = "i8[4]";
  BlockBuilder b;
  const Attributes named = {{AttributeId::kName, std::string("v")}};
  Attributes declared = named;
  declared.Set(AttributeId::kType, static_cast<int32_t>(DType::kInt8));
  declared.Set(AttributeId::kVarShape, std::vector<int32_t>{4});
  declared.Set(AttributeId::kInitialValue, TensorOf("i8[4]{0,0,0,0}"));
  const TensorIndex x = b.Input(kSmall);
  b.Append(Op::kVariable, {}, {}, declared);
  b.Append(Op::kVariableWrite, {x}, {}, named);
  b.Outputs({b.Add(Op::kBitwiseNot, {b.Add(Op::kVariableRead, {}, kSmall, named)}, kSmall)});
  TestVector vector = VectorOf(b.block, {TensorOf("i8[4]{1,2,3,4}")});
  vector.steps.push_back(vector.steps[0]);  // the canary loses every write after the first
  vector.steps[1].inputs = {TensorOf("i8[4]{5,6,7,8}")};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

TEST(FindCause, SaysThatVariablesAreNeeded) {
  const FindingCause cause = CauseOn("canary:stale-variable", WithVariable());
  EXPECT_TRUE(cause.needs_variables);
  EXPECT_EQ(cause.alone.op, Op::kUnknown);
}

// Is wrong only where there are variables, and does not support BITWISE_NOT alone.
class PickyBackend : public Backend {
 public:
  std::string WhyUnsupported(const TestVector& vector) const override {
    return vector.graphs[0].OperatorCount() > 1 ? "" : "one operator";
  }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    const auto canary = OpenBackend("canary:stale-variable", {});
    return (*canary)->Run(vector);
  }
  std::string Describe() const override { return "picky"; }
};

TEST(FindCause, SaysNothingOfVariablesIfAnOperatorCouldNotRunAlone) {
  PickyBackend backend;
  const FindingCause cause = CauseOn(backend, WithVariable());
  EXPECT_FALSE(cause.needs_variables);
  EXPECT_EQ(cause.alone.op, Op::kUnknown);
}

// Is wrong only where an operand is a constant.
class FoldingBackend : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    const auto& operators = vector.graphs[0].Main()->operators;
    const auto constants = std::ranges::count(operators, Op::kConst, &Operator::op);
    if (constants > 0 && constants < std::ssize(operators)) {
      outcomes[0].outputs[0] = TensorOf("i32[4]{77,78,79,80}");
    }
    return outcomes;
  }
  BlamedPass BlamePass(const TestVector& vector, const JudgeAnswer& judge) override {
    if (judge(ExecuteVector(vector, {})) != Answer::kRight) return {};
    if (judge(*Run(vector)) != Answer::kWrong) return {};
    return {"fold", "wrong after it", "before\n", "after\n"};
  }
  std::string Describe() const override { return "folding"; }
};

TEST(FindCause, SaysThatConstantsAreNeeded) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  b.Outputs({b.Add(Op::kAdd, {x, b.Constant("i32[4]{1,1,1,1}")}, kType)});
  FoldingBackend backend;
  const FindingCause cause = CauseOn(backend, VectorOf(b.block, {TensorOf("i32[4]{1,2,3,4}")}));
  EXPECT_TRUE(cause.needs_constants);
  EXPECT_TRUE(cause.looks_like.empty());
  EXPECT_EQ(cause.changed_by, (BlamedPass{"fold", "wrong after it", "before\n", "after\n"}));
  EXPECT_NE(CauseText(cause).find("changed by pass fold: wrong after it"), std::string::npos);
  const Result<FindingCause> copy = CauseFromJson(CauseToJson(cause));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, cause);
}

TEST(FindCause, NamesAConstantThatIsWrongItself) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  b.Outputs({b.Add(Op::kAdd, {x, b.Constant("i32[4]{1,2,3,4}")}, kType)});
  const FindingCause cause =
      CauseOn("mutant:const/last-two-exchanged", VectorOf(b.block, {TensorOf("i32[4]{1,2,3,4}")}));
  EXPECT_EQ(cause.alone, (OperatorUse{Op::kConst, DType::kInt32}));
  EXPECT_EQ(cause.expected, "3");
  EXPECT_FALSE(cause.needs_constants);
  EXPECT_EQ(cause.looks_like, std::vector<std::string>{"const/last-two-exchanged"});
}

// Results of test sets are wrong by rounding alone. Another origin of operands makes them no test
// sets, so it tells nothing.
TEST(FindCause, ComparesWrongRoundingExactly) {
  const auto backend = OpenBackend("canary:rounds-up", {});
  const Generator& generator = *GeneratorByKind("dot-product");
  GeneratorOptions options;
  options.level = kLevel8K;
  int compared = 0;
  const auto targets = static_cast<uint64_t>(generator.targets(options));
  for (uint64_t index = 0; compared < 3 && index < targets; ++index) {
    const std::optional<TestVector> vector = generator.make(options, index);
    ASSERT_TRUE(vector);
    const CaseResult result = JudgeOnce(**backend, *vector, "");
    if (result.state != CaseState::kDisagrees) continue;
    const Finding& finding = result.verdict.findings[0];
    ASSERT_EQ(finding.violation, Violation::kStatistics) << index;
    const FindingCause cause = FindCause(**backend, *vector, finding);
    EXPECT_FALSE(cause.needs_constants) << index;
    EXPECT_NE(std::ranges::find(cause.looks_like, "rounds-up"), cause.looks_like.end()) << index;
    EXPECT_EQ(std::ranges::find(cause.looks_like, "short-accumulator"), cause.looks_like.end());
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

TEST(FindCause, SaysThatABackendRefusesNothing) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kReverse, {b.Input(kType)}, kType, {{AttributeId::kAxis, 2}})});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("i32[4]{1,2,3,4}")};
  std::string reason;
  ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
  ASSERT_EQ(vector.steps[0].expected, OutcomeKind::kError);
  const FindingCause cause = CauseOn("canary:accepts-all", vector);
  EXPECT_TRUE(cause.refuses_nothing);
  EXPECT_NE(CauseText(cause).find("refused no invalid graph"), std::string::npos);
  const Result<FindingCause> copy = CauseFromJson(CauseToJson(cause));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, cause);

  // Lacks the checks of one operator, or runs too few of the probes to tell.
  class UncheckedReverse : public Backend {
   public:
    explicit UncheckedReverse(bool runs_others) : runs_others_(runs_others) {}
    std::string WhyUnsupported(const TestVector& vector) const override {
      return runs_others_ || HasReverse(vector) ? "" : "no REVERSE";
    }
    Result<std::vector<Outcome>> Run(const TestVector& vector) override {
      if (!HasReverse(vector)) return ExecuteVector(vector, {});
      return (*OpenBackend("canary:accepts-all", {}))->Run(vector);
    }
    std::string Describe() const override { return "unchecked"; }

   private:
    static bool HasReverse(const TestVector& vector) {
      return OperatorsOf(vector)[0].op == Op::kReverse;
    }
    bool runs_others_;
  };
  UncheckedReverse checks_others(true), runs_few(false);
  EXPECT_FALSE(CauseOn(checks_others, vector).refuses_nothing);
  EXPECT_FALSE(CauseOn(runs_few, vector).refuses_nothing);
}

TEST(FindCause, RunsNothingForFailuresWithoutResults) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kAdd, {b.Input(kType), b.Constant("i32[4]{1,1,1,1}")}, kType)});
  FoldingBackend backend;
  Finding crash;
  crash.violation = Violation::kCrash;
  EXPECT_EQ(FindCause(backend, VectorOf(b.block, {TensorOf("i32[4]{1,2,3,4}")}), crash),
            FindingCause{});
}

}  // namespace
}  // namespace assay::find_cause_test

// SPDX-License-Identifier: Apache-2.0
// Tests the laws that hold for every operator file.

#include <gtest/gtest.h>

#include <algorithm>

#include "canaries.h"
#include "executor.h"
#include "operator_set.h"
#include "operator_table.h"
#include "rules.h"
#include "worked_example.h"

namespace assay::ops_test {
namespace {

class Operators : public testing::TestWithParam<const ops::OperatorDefinition*> {};

std::string NameOf(const testing::TestParamInfo<const ops::OperatorDefinition*>& info) {
  return std::string(OperatorName(info.param->op));
}

// Compares tensors: a NaN of any payload equals any NaN, and the sign of a zero counts.
void ExpectSame(const Tensor& got, const Tensor& want, std::string_view example) {
  ASSERT_EQ(got.tensor_type().ToString(), want.tensor_type().ToString()) << example;
  for (int64_t i = 0; i < want.elements(); ++i) {
    EXPECT_EQ(got.ElementText(i), want.ElementText(i)) << example << ", element " << i;
  }
}

void ExpectAgreement(Op op, const ops::Example& example) {
  const std::string text = std::string(example.inputs) + " ; " + std::string(example.attributes) +
                           " -> " + std::string(example.results);
  Result<TestVector> vector = VectorOfExample(op, example);
  ASSERT_TRUE(vector) << text << ": " << vector.error().message;
  const Step& step = vector->steps[0];
  for (const Kernels kernels : {Kernels::kTemplate, Kernels::kFast}) {
    ExecutionOptions options;
    options.kernels = kernels;
    const Outcome outcome = ExecuteVector(*vector, options)[0];
    ASSERT_EQ(OutcomeName(outcome.kind), OutcomeName(step.expected))
        << text << ": " << outcome.rule;
    EXPECT_EQ(outcome.rule, step.rule) << text;
    if (step.expected != OutcomeKind::kValid) continue;
    ASSERT_EQ(outcome.outputs.size(), step.outputs.size()) << text;
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      ExpectSame(outcome.outputs[i], step.outputs[i].value, text);
    }
  }
  // The bound domain computes the same values and the same fate.
  TestVector bounded = *vector;
  std::string reason;
  ASSERT_TRUE(Expect(bounded, {}, &reason)) << text << ": " << reason;
  EXPECT_EQ(bounded.steps[0].expected, step.expected) << text;
  EXPECT_EQ(bounded.steps[0].rule, step.rule) << text;
  for (size_t i = 0; i < bounded.steps[0].outputs.size(); ++i) {
    ExpectSame(bounded.steps[0].outputs[i].value, step.outputs[i].value, text);
  }
}

// Returns true if the executor calls the operator's file: for all but control flow, state and
// CUSTOM.
bool Computes(const ops::OperatorDefinition& definition) {
  return definition.move != nullptr || definition.meaning.value != nullptr;
}

TEST_P(Operators, AgreeWithTheirHandWorkedExamples) {
  const ops::OperatorDefinition& definition = *GetParam();
  ASSERT_EQ(Computes(definition), !definition.examples.empty())
      << "a move or a meaning, and examples";
  for (const ops::Example& example : definition.examples) ExpectAgreement(definition.op, example);
}

// Blocks of the first axis: {1},{2} and {3},{4}; columns twice, then rows twice. One row more.
TEST(Moves, GoOverThreeAxes) {
  ExpectAgreement(Op::kTile, {"i8[2,2,1]{1,2,3,4} shape[3]{1,2,2}", "",
                              "i8[2,4,2]{1,1,2,2,1,1,2,2,3,3,4,4,3,3,4,4}"});
  ExpectAgreement(Op::kPad, {"i8[2,2,1]{1,2,3,4} shape[6]{0,0,0,1,0,0} i8[1]{9}", "",
                             "i8[2,3,1]{1,2,9,3,4,9}"});
}

TEST_P(Operators, CarryThreeExamplesAndKnownRules) {
  const ops::OperatorDefinition& definition = *GetParam();
  if (Computes(definition)) {
    EXPECT_GE(definition.examples.size(), 3u);
    EXPECT_TRUE(definition.move != nullptr || definition.meaning.bound != nullptr);
  }
  for (const ops::Example& example : definition.examples) {
    const std::string_view result = example.results;
    if (result.starts_with("error ") || result.starts_with("unpredictable ")) {
      EXPECT_TRUE(IsKnownRule(result.substr(result.find(' ') + 1))) << result;
    }
  }
}

// An executor without one of these rules would agree with all examples if none of them broke it.
// Two conditions are left out: they are checked in one place for all operators.
TEST_P(Operators, BreakEachRequireInAnExample) {
  const ops::OperatorDefinition& definition = *GetParam();
  if (!Computes(definition)) return;
  for (const Rule& rule : AllRules()) {
    if (rule.op != definition.op || rule.kind != RuleKind::kRequire || !rule.unreachable.empty() ||
        rule.id.ends_with("/tensor_size") || rule.id.ends_with("/tensor_index_to_offset")) {
      continue;
    }
    EXPECT_TRUE(std::ranges::any_of(definition.examples, [&](const ops::Example& example) {
      return example.results == "unpredictable " + rule.id;
    })) << rule.id;
  }
}

// An exponent of more bits than those of the operator's own examples. 2 * e^(ln 2 / 2048) is
// 2.000677016107; fp32 counts in 2^-22 there: 2839.6 units beyond 2.
constexpr ops::Example kLongExponent = {"fp32[1]{2} fp32[1]{1.00048828125}", "",
                                        "fp32[1]{2.000677108764648}"};

TEST(Pow, ReadsAllBitsOfTheExponent) { ExpectAgreement(Op::kPow, kLongExponent); }

// Faults that the examples must show as well. Suites need not: their mutants of the same attribute
// or operand are harder to notice.
constexpr Mutant Fault(Op op, Twist twist, TwistDetail detail = {}) {
  return {"", OperatorClass::kTensor, op, twist, detail, ""};
}
constexpr TwistDetail All(AttributeId attribute, int value) {
  return {.a = value, .attribute = attribute};
}
constexpr Mutant kFaultsOfExamples[] = {
    Fault(Op::kAvgPool2d, Twist::kEntriesSet, All(AttributeId::kStride, 1)),
    Fault(Op::kAvgPool2d, Twist::kClipLowerLost),
    Fault(Op::kAvgPool2d, Twist::kClipUpperLost),
    Fault(Op::kMaxPool2d, Twist::kEntriesSet, All(AttributeId::kStride, 1)),
    Fault(Op::kConv2d, Twist::kEntriesSet, All(AttributeId::kStride, 1)),
    Fault(Op::kConv3d, Twist::kEntriesSet, All(AttributeId::kStride, 1)),
    Fault(Op::kConv3d, Twist::kOperandHalvesExchanged, {.a = 0}),
    Fault(Op::kConv3d, Twist::kOperandHalvesExchanged, {.a = 1}),
    Fault(Op::kDepthwiseConv2d, Twist::kEntriesSet, All(AttributeId::kStride, 1)),
    Fault(Op::kDepthwiseConv2d, Twist::kOperandFirstOnly, {.a = 0}),
    Fault(Op::kDepthwiseConv2d, Twist::kOperandHalvesExchanged, {.a = 1}),
    Fault(Op::kTransposeConv2d, Twist::kEntriesSet, All(AttributeId::kStride, 1)),
    Fault(Op::kTransposeConv2d, Twist::kEntriesSet, All(AttributeId::kOutPad, 0)),
    Fault(Op::kRescale, Twist::kClipLowerLost),
    Fault(Op::kRescale, Twist::kClipUpperLost),
    Fault(Op::kNegate, Twist::kOperandZeroUnsigned),
    Fault(Op::kAdd, Twist::kStoreHalfAway),
    Fault(Op::kReverse, Twist::kRowsReversed),
    Fault(Op::kTile, Twist::kOperandFirstOnly, {.a = 0}),
    Fault(Op::kPad, Twist::kOperandReversed, {.a = 0}),
    Fault(Op::kResize, Twist::kOperandReversed, {.a = 1}),
};

// Returns true if some valid example of the operator has another result under the fault.
bool ShowsIn(const Mutant& fault, const ops::OperatorDefinition& definition) {
  ExecutionOptions options;
  options.mutant = &fault;
  std::vector<ops::Example> examples(definition.examples.begin(), definition.examples.end());
  if (definition.op == Op::kPow) examples.push_back(kLongExponent);
  for (const ops::Example& example : examples) {
    Result<TestVector> vector = VectorOfExample(definition.op, example);
    if (!vector) continue;
    const Outcome sound = ExecuteVector(*vector, {})[0];
    if (sound.kind != OutcomeKind::kValid) continue;  // a mutant does not check REQUIREs anyway
    const Outcome faulty = ExecuteVector(*vector, options)[0];
    if (faulty.kind != sound.kind) return true;
    for (size_t i = 0; i < sound.outputs.size(); ++i) {
      for (int64_t k = 0; k < sound.outputs[i].elements(); ++k) {
        if (faulty.outputs[i].ElementText(k) != sound.outputs[i].ElementText(k)) return true;
      }
    }
  }
  return false;
}

// A fault that shows in no example of its operators would mean that the examples do not test the
// faulty part. Control flow and state have no examples of results.
TEST_P(Operators, ShowSeededFaultsInTheirExamples) {
  const ops::OperatorDefinition& definition = *GetParam();
  for (const Mutant& canary : AllCanaries()) {
    if (canary.violation != Violation::kValue || !canary.HoldsFor(definition.op)) continue;
    EXPECT_TRUE(ShowsIn(canary, definition)) << canary.id;
  }
  if (!Computes(definition)) return;
  for (const Mutant& mutant : AllMutants()) {
    const bool is_state = mutant.operator_class == OperatorClass::kState;
    if (mutant.op != definition.op || is_state || !mutant.equivalent.empty()) continue;
    EXPECT_TRUE(ShowsIn(mutant, definition)) << mutant.id;
  }
  for (const Mutant& fault : kFaultsOfExamples) {
    if (fault.op != definition.op) continue;
    EXPECT_TRUE(ShowsIn(fault, definition)) << &fault - kFaultsOfExamples;
  }
}

TEST(OperatorFiles, ExistForAllOperators) {
  for (const OperatorRow& row : AllOperators()) {
    EXPECT_TRUE(std::ranges::any_of(
        ops::AllDefinitions(), [&](const auto* definition) { return definition->op == row.op; }))
        << row.name << " has no file in src/ops";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Operators,
                         testing::ValuesIn(ops::AllDefinitions().begin(),
                                           ops::AllDefinitions().end()),
                         NameOf);

}  // namespace
}  // namespace assay::ops_test

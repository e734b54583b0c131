// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "backend_kind.h"
#include "block_builder.h"
#include "canaries.h"
#include "comparison.h"
#include "executor.h"
#include "generator_table.h"
#include "gtest/gtest.h"
#include "judge_vector.h"
#include "operator_definition.h"
#include "operator_set.h"
#include "oracle.h"
#include "value_parser.h"
#include "worked_example.h"

namespace assay::oracles_test {
namespace {

// Returns a vector for every hand-worked example of every operator, with the expectation of the
// example.
std::vector<TestVector> ExampleVectors() {
  std::vector<TestVector> vectors;
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    for (const ops::Example& example : definition->examples) {
      Result<TestVector> vector = VectorOfExample(definition->op, example);
      EXPECT_TRUE(vector) << vector.error().message;
      if (vector) vectors.push_back(std::move(*vector));
    }
  }
  return vectors;
}

std::vector<Outcome> RunOn(const std::string& backend, const TestVector& vector) {
  Result<std::unique_ptr<Backend>> opened = OpenBackend(backend, {});
  EXPECT_TRUE(opened) << opened.error().message;
  const Result<std::vector<Outcome>> outcomes = (*opened)->Run(vector);
  EXPECT_TRUE(outcomes) << outcomes.error().message;
  return *outcomes;
}

Verdict JudgeOn(const std::string& backend, const TestVector& vector) {
  return JudgeVector(vector, RunOn(backend, vector));
}

// Returns a vector of x + x, with fp16 numbers whose sums are subnormal.
TestVector SubnormalSums() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp16[2]");
  b.Outputs({b.Add(Op::kAdd, {x, x}, "fp16[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("fp16[2]{0.000000059604644775390625,0.00000011920928955}")};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

// Returns the tensor with its last element changed by half the range of its bits.
Tensor WithLastElementWrong(const Tensor& tensor) {
  std::vector<uint8_t> bytes(tensor.bytes().begin(), tensor.bytes().end());
  bytes.back() = static_cast<uint8_t>(bytes.back() ^ (tensor.type() == DType::kBool ? 1 : 0x40));
  return Tensor::FromBytes(tensor.type(), tensor.shape(), std::move(bytes));
}

TEST(Oracles, AskAQuestionAndSayWhatTheyRelyOn) {
  std::set<std::string_view> names;
  for (const Oracle* oracle : AllOracles()) {
    EXPECT_TRUE(names.insert(oracle->name).second) << oracle->name;
    EXPECT_EQ(oracle->question.back(), '?') << oracle->name;
    EXPECT_FALSE(oracle->relies_on.empty()) << oracle->name;
  }
  EXPECT_GE(names.size(), 3u);
}

TEST(Oracles, AreSilentOnTheReference) {
  int agreements = 0;
  for (const TestVector& vector : ExampleVectors()) {
    for (const char* backend : {"reference", "reference:template"}) {
      const Verdict verdict = JudgeOn(backend, vector);
      for (const Finding& finding : verdict.findings) {
        ADD_FAILURE() << vector.name << " on " << backend << ": "
                      << ViolationName(finding.violation) << " " << finding.position << " expected "
                      << finding.expected << " got " << finding.got;
      }
      agreements += verdict.kind == VerdictKind::kAgrees;
    }
  }
  EXPECT_GT(agreements, 100);
}

// RESCALE with INEXACT_ROUND: 1.5 and -1.5 may go either way, 2 may not; -1.5, unsigned, is clipped
// to 0 either way.
TEST(Oracles, AdmitBothRoundingsOfAnInexactOne) {
  struct Case {
    const char* attributes;
    const char* results;
    std::vector<const char*> right, wrong;
  };
  const Case cases[] = {
      {"output_unsigned=false",
       "i8[3]{2,-1,2}",
       {"i8[3]{2,-1,2}", "i8[3]{1,-2,2}"},
       {"i8[3]{3,-1,2}", "i8[3]{2,0,2}", "i8[3]{2,-1,1}"}},
      {"output_unsigned=true", "i8[3]{2,0,2}", {"i8[3]{1,0,2}"}, {"i8[3]{2,-1,2}"}},
  };
  for (const Case& row : cases) {
    const std::string attributes =
        "scale32=true rounding_mode=INEXACT_ROUND per_channel=false input_unsigned=false " +
        std::string(row.attributes);
    const ops::Example example = {"i8[3]{3,-3,4} i32[1]{1073741824} i8[1]{31} i8[1]{0} i8[1]{0}",
                                  attributes, row.results};
    Result<TestVector> vector = VectorOfExample(Op::kRescale, example);
    ASSERT_TRUE(vector) << vector.error().message;
    std::string reason;
    ASSERT_TRUE(Expect(*vector, {}, &reason)) << reason;
    const auto judge = [&](const char* answer) {
      Outcome outcome = ExecuteVector(*vector, {})[0];
      EXPECT_EQ(outcome.outputs[0], *ParseTensor(row.results));
      outcome.outputs[0] = *ParseTensor(answer);
      return JudgeVector(*vector, std::vector{outcome}).kind;
    };
    for (const char* answer : row.right) EXPECT_EQ(judge(answer), VerdictKind::kAgrees) << answer;
    for (const char* answer : row.wrong)
      EXPECT_EQ(judge(answer), VerdictKind::kDisagrees) << answer;
  }
}

// Returns vectors in which each violation of each oracle can show.
const std::vector<TestVector>& LawVectors() {
  static const std::vector<TestVector> vectors = [] {
    std::vector<TestVector> all = ExampleVectors();
    GeneratorOptions options;
    options.level = kLevel8K;
    for (const FeatureRow& row : AllFeatures())
      options.target = options.target | Requirements{row.feature};
    for (const auto& [kind, count] : {std::pair("stateful", 24), std::pair("dot-product", 12)}) {
      for (int i = 0; i < count; ++i) {
        auto vector = GeneratorByKind(kind)->make(options, static_cast<uint64_t>(i));
        if (vector) all.push_back(std::move(*vector));
      }
    }
    all.push_back(SubnormalSums());
    return all;
  }();
  return vectors;
}

// Returns the answers of the backend to these vectors.
const std::vector<std::vector<Outcome>>& OutcomesOf(const std::string& backend) {
  static std::map<std::string, std::vector<std::vector<Outcome>>> known;
  std::vector<std::vector<Outcome>>& all = known[backend];
  if (!all.empty()) return all;
  for (const TestVector& vector : LawVectors()) all.push_back(RunOn(backend, vector));
  return all;
}

// Returns the violations of a backend that the oracle alone reports.
std::set<Violation> ViolationsAlone(const Oracle& oracle, const std::string& backend) {
  std::set<Violation> violations;
  const std::vector<TestVector>& vectors = LawVectors();
  for (size_t i = 0; i < vectors.size(); ++i) {
    for (size_t step = 0; step < vectors[i].steps.size(); ++step) {
      const Verdict verdict =
          oracle.judge(vectors[i], OutcomesOf(backend)[i], static_cast<int>(step));
      for (const Finding& finding : verdict.findings) violations.insert(finding.violation);
    }
  }
  return violations;
}

// Returns what is wrong with an oracle that runs alone, or "" if it keeps the law of oracles.
std::string BreachOf(const Oracle& oracle) {
  if (oracle.canaries.empty()) return "names no canary";
  for (const Violation violation : ViolationsAlone(oracle, "reference")) {
    return "reports a violation of the reference: " + std::string(ViolationName(violation));
  }
  for (const OracleCanary& row : oracle.canaries) {
    const std::string canary = "canary:" + std::string(row.canary);
    if (!ViolationsAlone(oracle, canary).contains(row.violation)) {
      return "does not report " + std::string(ViolationName(row.violation)) + " of " + canary;
    }
  }
  return "";
}

TEST(Oracles, ReportTheirCanariesAlone) {
  std::set<std::string_view> violations;
  for (const Oracle* oracle : AllOracles()) {
    EXPECT_EQ(BreachOf(*oracle), "") << oracle->name;
    for (const OracleCanary& row : oracle->canaries) {
      violations.insert(ViolationName(row.violation));
    }
  }
  EXPECT_EQ(violations, (std::set<std::string_view>{"value", "outcome", "crash", "time-out",
                                                    "state", "type", "statistics", "flush"}));
}

TEST(Oracles, BreakTheLawIfTheyNeverDecide) {
  for (const Oracle* oracle : AllOracles()) {
    Oracle silent = *oracle;
    silent.judge = [](const TestVector&, std::span<const Outcome>, int) { return Verdict(); };
    EXPECT_EQ(BreachOf(silent).substr(0, 16), "does not report ") << oracle->name;
  }
}

TEST(Oracles, AreLoudOnEveryCanary) {
  for (const Mutant& canary : AllCanaries()) {
    if (canary.violation != Violation::kValue && canary.violation != Violation::kOutcome) continue;
    int caught = 0;
    for (const TestVector& vector : ExampleVectors()) {
      const Verdict verdict = JudgeOn("canary:" + std::string(canary.id), vector);
      if (verdict.kind != VerdictKind::kDisagrees) continue;
      const Finding& finding = verdict.findings[0];
      EXPECT_TRUE(canary.HoldsFor(finding.op))
          << canary.id << " blames " << OperatorName(finding.op);
      // A wrong value may also break a REQUIRE (a divisor of zero), which shows as the outcome.
      caught += finding.violation == canary.violation ? 1 : 0;
    }
    EXPECT_GT(caught, 0) << canary.id << " is caught by no example";
  }
}

TEST(Oracles, SeeOneWrongElement) {
  for (const TestVector& vector : ExampleVectors()) {
    std::vector<Outcome> outcomes = RunOn("reference", vector);
    Outcome& outcome = outcomes[0];
    if (outcome.kind != OutcomeKind::kValid || outcome.outputs.empty()) continue;
    if (JudgeVector(vector, outcomes).judged_elements == 0) continue;
    outcome.outputs[0] = WithLastElementWrong(outcome.outputs[0]);
    const Verdict verdict = JudgeVector(vector, outcomes);
    // A NaN with another payload still counts as the expected NaN.
    const Tensor& got = outcome.outputs[0];
    const int64_t last = got.elements() - 1;
    if (IsFloat(got.type()) && std::isnan(got.Float(last)) &&
        verdict.kind == VerdictKind::kAgrees) {
      continue;
    }
    ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees) << vector.name;
    EXPECT_EQ(verdict.findings[0].wrong_elements, 1) << vector.name;
    EXPECT_EQ(verdict.findings[0].got, got.ElementText(last)) << vector.name;
  }
}

TEST(Oracles, SeeAWrongTypeAndAWrongNumberOfOutputs) {
  for (const TestVector& vector : ExampleVectors()) {
    std::vector<Outcome> outcomes = RunOn("reference", vector);
    if (outcomes[0].kind != OutcomeKind::kValid || vector.steps[0].outputs.empty()) continue;
    std::vector<Outcome> changed = outcomes;
    Shape shape = changed[0].outputs[0].shape();
    shape.PushBack(1);
    const auto bytes = changed[0].outputs[0].bytes();
    changed[0].outputs[0] = Tensor::FromBytes(changed[0].outputs[0].type(), shape,
                                              std::vector<uint8_t>(bytes.begin(), bytes.end()));
    ASSERT_EQ(JudgeVector(vector, changed).kind, VerdictKind::kDisagrees) << vector.name;
    EXPECT_EQ(JudgeVector(vector, changed).findings[0].violation, Violation::kType) << vector.name;
    changed[0].outputs.clear();
    EXPECT_EQ(JudgeVector(vector, changed).kind, VerdictKind::kDisagrees) << vector.name;
  }
}

TEST(Oracles, NeverAgreeWhenNothingWasCompared) {
  for (TestVector vector : ExampleVectors()) {
    EXPECT_NE(JudgeVector(vector, {}).kind, VerdictKind::kAgrees) << vector.name;
    const std::vector<Outcome> unsupported(vector.steps.size());
    EXPECT_EQ(JudgeVector(vector, unsupported).kind, VerdictKind::kUndecided) << vector.name;
    EXPECT_NE(JudgeVector(vector, unsupported).reason, "") << vector.name;
    // No rule determines the expectation.
    const std::vector<Outcome> outcomes = RunOn("reference", vector);
    if (outcomes[0].kind != OutcomeKind::kValid || outcomes[0].outputs.empty()) continue;
    bool all_floats = true;
    for (Expectation& output : vector.steps[0].outputs) {
      all_floats = all_floats && IsFloat(output.value.type());
      const auto count = static_cast<size_t>(output.value.elements());
      output.reference.assign(count, 0);
      output.error.assign(count, std::numeric_limits<double>::quiet_NaN());
    }
    if (!all_floats || !vector.steps[0].state_after.empty()) continue;
    const Verdict verdict = JudgeVector(vector, outcomes);
    EXPECT_EQ(verdict.kind, VerdictKind::kUndecided) << vector.name;
    EXPECT_EQ(verdict.judged_elements, 0) << vector.name;
    EXPECT_GT(verdict.undecided_elements, 0) << vector.name;
  }
}

// Returns a vector that must be answered, that must be refused, or that leaves the outcome open.
TestVector AddVector(OutcomeKind expected) {
  TestVector vector = *VectorOfExample(Op::kAdd, {"i32[2]{1,2} i32[2]{3,4}", "", "i32[2]{4,6}"});
  vector.steps[0].expected = expected;
  if (expected == OutcomeKind::kValid) return vector;
  vector.steps[0].outputs.clear();
  vector.steps[0].rule = expected == OutcomeKind::kError ? "ADD/ERROR_IF/1" : "ADD/REQUIRE/1";
  return vector;
}

Outcome OutcomeOf(OutcomeKind kind) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = "tosa.add: 12 bad things";
  if (kind == OutcomeKind::kValid) {
    const int64_t elements[] = {4, 6};
    outcome.outputs = {Tensor::FromIntegers(DType::kInt32, {2}, elements)};
  }
  return outcome;
}

TEST(OutcomeOracle, KnowsWhatMustBeAnsweredAndRefused) {
  using enum OutcomeKind;
  const struct {
    OutcomeKind expected, got;
    VerdictKind verdict;
    Violation violation = Violation::kValue;
  } kCases[] = {
      {kValid, kValid, VerdictKind::kAgrees},
      {kValid, kError, VerdictKind::kDisagrees, Violation::kOutcome},
      {kValid, kUnpredictable, VerdictKind::kDisagrees, Violation::kOutcome},
      {kValid, kUnsupported, VerdictKind::kUndecided},
      {kValid, kCrashed, VerdictKind::kDisagrees, Violation::kCrash},
      {kValid, kTimedOut, VerdictKind::kDisagrees, Violation::kTimeOut},
      {kError, kError, VerdictKind::kAgrees},
      {kError, kValid, VerdictKind::kDisagrees, Violation::kOutcome},
      {kError, kUnpredictable, VerdictKind::kDisagrees, Violation::kOutcome},
      {kError, kUnsupported, VerdictKind::kUndecided},
      {kError, kCrashed, VerdictKind::kDisagrees, Violation::kCrash},
      {kError, kTimedOut, VerdictKind::kDisagrees, Violation::kTimeOut},
      {kUnpredictable, kValid, VerdictKind::kUndecided},
      {kUnpredictable, kError, VerdictKind::kUndecided},
      {kUnpredictable, kUnpredictable, VerdictKind::kUndecided},
      {kUnpredictable, kUnsupported, VerdictKind::kUndecided},
      {kUnpredictable, kCrashed, VerdictKind::kUndecided},
      {kUnpredictable, kTimedOut, VerdictKind::kUndecided},
  };
  for (const auto& row : kCases) {
    const std::string name =
        std::string(OutcomeName(row.expected)) + " " + std::string(OutcomeName(row.got));
    const Verdict verdict = JudgeVector(AddVector(row.expected), {{OutcomeOf(row.got)}});
    EXPECT_EQ(verdict.kind, row.verdict) << name;
    ASSERT_EQ(verdict.findings.empty(), row.verdict != VerdictKind::kDisagrees) << name;
    if (verdict.kind == VerdictKind::kUndecided) {
      EXPECT_NE(verdict.reason, "") << name;
    }
    if (verdict.findings.empty()) continue;
    EXPECT_EQ(verdict.findings[0].violation, row.violation) << name;
    EXPECT_EQ(verdict.findings[0].op, Op::kAdd) << name;
    EXPECT_EQ(verdict.findings[0].type, DType::kInt32) << name;
  }
}

// A backend may crash on an unpredictable vector, but not write outside its own tensors.
TEST(OutcomeOracle, ForgivesNoWriteOutside) {
  Outcome outcome = OutcomeOf(OutcomeKind::kCrashed);
  outcome.wrote_outside = true;
  outcome.message = "wrote behind output 0 \"y\"";
  const Verdict verdict = JudgeVector(AddVector(OutcomeKind::kUnpredictable), {{outcome}});
  ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.findings[0].violation, Violation::kCrash);
  EXPECT_EQ(verdict.findings[0].rule, "ADD/REQUIRE/1");
  EXPECT_EQ(verdict.findings[0].expected,
            "anything but a write outside its tensors (ADD/REQUIRE/1)");
  EXPECT_EQ(verdict.findings[0].message, outcome.message);
}

TEST(OutcomeOracle, SignaturesDoNotHangOnNumbers) {
  const TestVector vector = AddVector(OutcomeKind::kValid);
  Outcome a = OutcomeOf(OutcomeKind::kCrashed), b = a;
  b.message = "tosa.add: 7 bad things";
  EXPECT_EQ(JudgeVector(vector, {{a}}).findings[0].Signature(),
            JudgeVector(vector, {{b}}).findings[0].Signature());
  a.message = "expect 'i16' of 1x2xi16, got tensor<94324602753392xi8>";
  b.message = "expect 'f8E4M3FN' of 2xbf16, got tensor<7xf32>";
  EXPECT_EQ(JudgeVector(vector, {{a}}).findings[0].Signature(),
            JudgeVector(vector, {{b}}).findings[0].Signature())
      << "nor on types";
  a.message = "lowering: too much of <8> | too much of <8> | too much of <12> | no more";
  b.message = "lowering: too much of <4> | no more";
  EXPECT_EQ(JudgeVector(vector, {{a}}).findings[0].Signature(),
            JudgeVector(vector, {{b}}).findings[0].Signature())
      << "nor on repetitions";
  a.message = "3 bytes are not those of fp32[1,1,1,1]";
  b.message = "12 bytes are not those of fp16[2, 5]";
  EXPECT_EQ(JudgeVector(vector, {{a}}).findings[0].Signature(),
            JudgeVector(vector, {{b}}).findings[0].Signature())
      << "nor on ranks";
  a.message = "tosa.conv2d: bad thing";
  b.message = "tosa.max_pool2d: bad thing";
  EXPECT_NE(JudgeVector(vector, {{a}}).findings[0].Signature(),
            JudgeVector(vector, {{b}}).findings[0].Signature());
  a.kind = b.kind = OutcomeKind::kTimedOut;
  a.message = "no answer within 10 s of processor time";
  b.message = "no answer within 60 s";
  EXPECT_EQ(JudgeVector(vector, {{a}}).findings[0].Signature(),
            JudgeVector(vector, {{b}}).findings[0].Signature())
      << "nor on the limit that ends a hang";
}

// Only words that name an operator are evidence. Without evidence no operator is blamed.
TEST(OutcomeOracle, BlamesAnOperatorOnlyWithEvidence) {
  BlockBuilder main;
  const TensorIndex x = main.Input("i8[1,2,2,1]"), y = main.Constant("i8[1,2,2,1]{1,2,3,4}");
  const TensorIndex wide = main.Input("i32[1]");
  const TensorIndex sum = main.Add(Op::kBitwiseAnd, {x, y}, "i8[1,2,2,1]");
  const TensorIndex pooled = main.Add(Op::kMaxPool2d, {sum}, "i8[1,1,1,1]");
  const TensorIndex added = main.Add(Op::kAdd, {wide, wide}, "i32[1]");
  main.Outputs({pooled, added, main.Add(Op::kBitwiseAnd, {wide, added}, "i32[1]")});
  TestVector vector;
  vector.graphs = {GraphOf({main.block})};
  vector.steps.resize(1);
  const struct {
    const char* message;
    Op op;
    DType type;
  } kCases[] = {
      {"ended with signal 11", Op::kUnknown, DType::kUnknown},
      {"void f(const char*): could not add a bitwise and", Op::kUnknown, DType::kUnknown},
      {"'tosa.add' op is bad", Op::kAdd, DType::kInt32},
      {"ADD: bad", Op::kAdd, DType::kInt32},
      {"CONST of i8", Op::kConst, DType::kInt8},
      {"in max_pool2d after tosa.add", Op::kMaxPool2d, DType::kInt8},
      {"BITWISE_AND", Op::kBitwiseAnd, DType::kInt8},
      {"BITWISE_AND of i32", Op::kBitwiseAnd, DType::kInt32},
  };
  for (const auto& row : kCases) {
    Outcome outcome = OutcomeOf(OutcomeKind::kCrashed);
    outcome.message = row.message;
    const Verdict verdict = JudgeVector(vector, {{outcome}});
    ASSERT_EQ(verdict.findings.size(), 1u) << row.message;
    EXPECT_EQ(verdict.findings[0].op, row.op) << row.message;
    EXPECT_EQ(verdict.findings[0].type, row.type) << row.message;
  }
}

// The operator of a graph does not matter if the backend names the pass at fault.
TEST(OutcomeOracle, PutsCrashesOfOnePassIntoOneGroup) {
  const TestVector add = AddVector(OutcomeKind::kValid);
  TestVector sub = *VectorOfExample(Op::kSub, {"i32[2]{1,2} i32[2]{3,4}", "", "i32[2]{-2,-2}"});
  for (const OutcomeKind kind : {OutcomeKind::kCrashed, OutcomeKind::kError}) {
    Outcome outcome = OutcomeOf(kind);
    outcome.message = "Segmentation fault";
    EXPECT_NE(JudgeVector(add, {{outcome}}).findings[0].Signature(),
              JudgeVector(sub, {{outcome}}).findings[0].Signature());
    outcome.pass = "canonicalize, mlir::tosa::SliceOp::fold";
    const Finding finding = JudgeVector(add, {{outcome}}).findings[0];
    EXPECT_EQ(finding.pass, outcome.pass);
    EXPECT_EQ(finding.Signature(), JudgeVector(sub, {{outcome}}).findings[0].Signature());
    outcome.pass = "canonicalize, mlir::tosa::PadOp::fold";
    EXPECT_NE(finding.Signature(), JudgeVector(add, {{outcome}}).findings[0].Signature());
  }
}

TEST(JudgeVector, NamesWhatTheBackendDidToTheGraph) {
  Outcome outcome = OutcomeOf(OutcomeKind::kValid);
  const int64_t wrong[] = {4, 7};
  outcome.outputs = {Tensor::FromIntegers(DType::kInt32, {2}, wrong)};
  outcome.rewrites = "canonicalize: AddZero";
  const Verdict verdict = JudgeVector(AddVector(OutcomeKind::kValid), {{outcome}});
  ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.findings[0].rewrites, outcome.rewrites);
}

TEST(JudgeVector, DoesNotJudgeWhatFollowsAnUnpredictableStep) {
  TestVector vector = AddVector(OutcomeKind::kUnpredictable);
  vector.steps.push_back(AddVector(OutcomeKind::kValid).steps[0]);
  const std::vector<Outcome> outcomes = {OutcomeOf(OutcomeKind::kValid),
                                         OutcomeOf(OutcomeKind::kError)};
  EXPECT_EQ(JudgeVector(vector, outcomes).kind, VerdictKind::kUndecided);
  vector.steps[1].context = 1;  // contexts see nothing of each other
  EXPECT_EQ(JudgeVector(vector, outcomes).kind, VerdictKind::kDisagrees);
  EXPECT_EQ(JudgeVector(vector, outcomes).findings[0].step, 1);
}

TEST(StateOracle, ComparesWhatTheBackendShows) {
  TestVector vector = AddVector(OutcomeKind::kValid);
  const int64_t elements[] = {5};
  const Tensor five = Tensor::FromIntegers(DType::kInt8, {1}, elements);
  vector.steps[0].state_after["counter"] = {five, {}, {}, "state"};
  Outcome outcome = OutcomeOf(OutcomeKind::kValid);
  EXPECT_EQ(JudgeVector(vector, {{outcome}}).judged_elements, 2) << "nothing is shown";
  outcome.state["counter"] = five;
  EXPECT_EQ(JudgeVector(vector, {{outcome}}).judged_elements, 3);
  outcome.state["counter"] = WithLastElementWrong(five);
  const Verdict verdict = JudgeVector(vector, {{outcome}});
  ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.findings[0].violation, Violation::kState);
  EXPECT_EQ(verdict.findings[0].tensor, "counter");
}

// Graph 0 writes v, graph 1 only reads it. A wrong v after graph 1 is blamed on the write of the
// same context, not on the write of the other context.
TEST(StateOracle, BlamesWhatWroteTheVariableLastInItsContext) {
  const Attributes v = {{AttributeId::kName, std::string("v")}};
  BlockBuilder declares, writes, reads;
  declares.Append(Op::kVariable, {}, {},
                  {{AttributeId::kName, std::string("v")},
                   {AttributeId::kVarShape, std::vector<int32_t>{1}},
                   {AttributeId::kType, static_cast<int32_t>(DType::kInt8)},
                   {AttributeId::kInitialValue, TensorOf("i8[1]{5}")}});
  writes.block.operators = declares.block.operators;
  writes.Append(Op::kVariableWrite, {writes.Constant("i8[1]{5}")}, {}, v);
  reads.Outputs({reads.Add(Op::kVariableRead, {}, "i8[1]", v)});
  TestVector vector;
  vector.graphs = {GraphOf({declares.block}), GraphOf({writes.block}), GraphOf({reads.block})};
  vector.steps.resize(3);
  const auto blamed = [&](int32_t context_of_write) {
    vector.steps[0].graph = 0;
    vector.steps[1].graph = 1;
    vector.steps[1].context = context_of_write;
    vector.steps[2].graph = 2;
    vector.steps[2].outputs = {{TensorOf("i8[1]{5}"), {}, {}, "exact"}};
    vector.steps[2].state_after["v"] = {TensorOf("i8[1]{5}"), {}, {}, "state"};
    std::vector<Outcome> outcomes(3);
    for (Outcome& outcome : outcomes) outcome.kind = OutcomeKind::kValid;
    outcomes[2].outputs = {TensorOf("i8[1]{5}")};
    outcomes[2].state["v"] = TensorOf("i8[1]{6}");
    const Verdict verdict = JudgeVector(vector, outcomes);
    EXPECT_EQ(verdict.findings.size(), 1u);
    return verdict.findings.empty() ? Op::kUnknown : verdict.findings[0].op;
  };
  EXPECT_EQ(blamed(0), Op::kVariableWrite);
  EXPECT_EQ(blamed(1), Op::kVariable);
}

TEST(Compare, JudgesEachElementByItsOwnBound) {
  const double values[] = {1, 2, 3, 4}, answers[] = {1, 2.25, 3.5, 100};
  const Expectation expectation = {Tensor::FromFloats(DType::kFp32, {2, 2}, values),
                                   {1, 2, 3, 4},
                                   {0, 0.25, 0.25, std::nan("")},
                                   "rule"};
  const Comparison comparison =
      Compare(expectation, Tensor::FromFloats(DType::kFp32, {2, 2}, answers));
  EXPECT_EQ(comparison.judged, 3);
  EXPECT_EQ(comparison.undecided, 1);
  EXPECT_EQ(comparison.wrong, 1);
  EXPECT_EQ(comparison.position, "[1,0]");
  EXPECT_EQ(comparison.expected, "3");
  EXPECT_EQ(comparison.got, "3.5");
  EXPECT_EQ(comparison.allowed, "within 0.25 of 3");
}

}  // namespace
}  // namespace assay::oracles_test

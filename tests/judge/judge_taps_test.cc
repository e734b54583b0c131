// SPDX-License-Identifier: Apache-2.0
// Tests that operators behind undecided ones are judged by the values that a backend has there.
#include "judge_taps.h"

#include <cmath>

#include "backend_kind.h"
#include "block_builder.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "run_assay.h"
#include "tap_probes.h"
#include "tapped_outputs.h"
#include "tvec_file.h"

namespace assay::judge_taps_test {
namespace {

constexpr char kType[] = "fp32[2]";
constexpr char kNearPi[] = "fp32[2]{3.1415925,3.1415925}";

TestVector Expected(Graph graph) {
  TestVector vector;
  vector.name = "whole";
  vector.requirements = {"PRO-FP"};
  vector.graphs = {std::move(graph)};
  vector.steps.emplace_back().inputs = {TensorOf(kNearPi)};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

// SIN is zero within its own bound, so LOG may be anything.
TensorIndex AddUndecided(BlockBuilder& b, TensorIndex x) {
  return b.Add(Op::kLog, {b.Add(Op::kSin, {x}, kType)}, kType);
}

// Returns a subtraction behind two inexact operators, and one behind the first.
TestVector DeepSubtractions() {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex first = b.Add(Op::kSub, {AddUndecided(b, x), x}, kType);
  b.Outputs({b.Add(Op::kSub, {first, x}, kType)});
  return Expected(GraphOf({b.block}));
}

std::unique_ptr<Backend> OpenNamed(const std::string& name) {
  Result<std::unique_ptr<Backend>> opened = OpenBackend(name, {});
  EXPECT_TRUE(opened) << opened.error().message;
  return std::move(*opened);
}

CaseResult JudgeDeep(Backend& backend, const TestVector& vector) {
  return JudgeInDepth(backend, {vector, {}}, "w");
}

// The reference executor with taps. Tests change its answers.
class Tapped : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    return ExecuteVector(vector, {});
  }
  bool OffersTaps(const TestVector&) const override { return true; }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    ++runs;
    TappedRun run =
        TakeTapsFromOutputs(vector, asked, ExecuteVector(WithTapsAsOutputs(vector, asked), {}));
    for (size_t i = 0; i < run.taps.size(); ++i) Change(vector, run.outcomes[i], run.taps[i]);
    return run;
  }
  std::string Describe() const override { return "tapped"; }

  int runs = 0;

 protected:
  virtual void Change(const TestVector&, Outcome&, std::map<TensorIndex, Tensor>&) {}
};

void DeclareUsed(Backend& backend) {
  BackendDeclarations declared;
  declared.taps_used = true;
  backend.Declare(declared);
}

TEST(JudgeTaps, NamesAnOperatorBehindTwoInexactOnes) {
  const auto backend = OpenNamed("canary:swapped-operands");
  const CaseResult result = JudgeDeep(*backend, DeepSubtractions());
  ASSERT_EQ(result.state, CaseState::kDisagrees) << result.note;
  const Finding& finding = result.verdict.findings[0];
  EXPECT_EQ(finding.op, Op::kSub);
  EXPECT_EQ(finding.taps, "SUB");
  EXPECT_EQ(finding.window, "");
  EXPECT_EQ(finding.rests_on, "taps-used");
  EXPECT_EQ(finding.tensor, "t3");  // the first one
  EXPECT_EQ(finding.position, "[0]");
  EXPECT_NE(finding.allowed, "");
  const auto failing = FindFailingTap(*backend, DeepSubtractions());
  ASSERT_TRUE(failing);
  EXPECT_EQ(failing->vector.graphs[0].Main()->operators.size(), 1u);
  EXPECT_EQ(JudgeOnBackend(*backend, {failing->vector, {}}, "").state, CaseState::kDisagrees);
}

// Swaps operands, but not in windows, which run together.
class RightInWindows : public Tapped {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    return vector.graphs.size() == 1 ? canary_->Run(vector) : Tapped::Run(vector);
  }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    return canary_->RunWithTaps(vector, asked);
  }

 private:
  std::unique_ptr<Backend> canary_ = OpenNamed("canary:swapped-operands");
};

TEST(JudgeTaps, GivesThePartThatShowsTheFinding) {
  RightInWindows backend;
  Finding finding;
  finding.taps = "SUB";
  const auto part = FailingPart(backend, DeepSubtractions(), finding);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->result.verdict.findings.at(0).op, Op::kSub);
  finding.taps.clear();
  finding.window = "SUB";
  EXPECT_FALSE(FailingPart(backend, DeepSubtractions(), finding));
}

TEST(JudgeTaps, AgreesIfAllOperatorsAgree) {
  const CaseResult result = JudgeDeep(*OpenNamed("reference"), DeepSubtractions());
  EXPECT_EQ(result.state, CaseState::kAgrees);
  EXPECT_EQ(result.note, "judged by taps: 4 operators judged, all agree");
  EXPECT_EQ(result.tapped, 4);
  EXPECT_EQ(result.windows, 0);
  EXPECT_EQ(result.verdict.undecided_elements, 2);
}

// Shows another value of LOG than the one that SUB has read.
class ShowsAnother : public Tapped {
  void Change(const TestVector&, Outcome&, std::map<TensorIndex, Tensor>& taps) override {
    if (taps.contains(2)) taps[2] = TensorOf("fp32[2]{1,2}");
  }
};

TEST(JudgeTaps, SuspectsIfNothingSaysThatTheTapsAreUsed) {
  ShowsAnother backend;
  const CaseResult silent = JudgeDeep(backend, DeepSubtractions());
  EXPECT_EQ(silent.state, CaseState::kSuspect);
  EXPECT_EQ(silent.note, "a finding if the backend declared taps-used: LOG fp32: wrong value");
  EXPECT_EQ(silent.verdict.kind, VerdictKind::kUndecided);
  EXPECT_EQ(silent.verdict.findings[0].rests_on, "taps-used");
  DeclareUsed(backend);
  EXPECT_EQ(JudgeDeep(backend, DeepSubtractions()).state, CaseState::kDisagrees);
}

class GivesAWrongShape : public Tapped {
  void Change(const TestVector&, Outcome&, std::map<TensorIndex, Tensor>& taps) override {
    taps[1] = TensorOf("fp32[1,2]{1,2}");
  }
};

TEST(JudgeTaps, FindsATapOfAWrongShape) {
  GivesAWrongShape backend;
  const CaseResult result = JudgeDeep(backend, DeepSubtractions());
  ASSERT_EQ(result.state, CaseState::kDisagrees) << result.note;
  const Finding& finding = result.verdict.findings[0];
  EXPECT_EQ(finding.violation, Violation::kType);
  EXPECT_EQ(finding.op, Op::kSin);
  EXPECT_EQ(finding.expected + " " + finding.got, "fp32[2] fp32[1,2]");
  EXPECT_EQ(finding.rests_on, "");
}

// Has fused the two subtractions, and computes the second one wrong.
class FusedSubtractions : public Tapped {
 public:
  explicit FusedSubtractions(bool is_right) : is_right_(is_right) {}

 private:
  void Change(const TestVector&, Outcome& outcome, std::map<TensorIndex, Tensor>& taps) override {
    taps.erase(3);
    if (!is_right_) outcome.outputs[0] = TensorOf("fp32[2]{1,2}");
  }
  bool is_right_;
};

TEST(JudgeTaps, JudgesOperatorsTogetherWhoseValuesAreNotShown) {
  FusedSubtractions right(true), wrong(false);
  DeclareUsed(wrong);
  EXPECT_EQ(JudgeDeep(right, DeepSubtractions()).note,
            "judged by taps: 4 operators judged, all agree");
  const CaseResult result = JudgeDeep(wrong, DeepSubtractions());
  ASSERT_EQ(result.state, CaseState::kDisagrees) << result.note;
  EXPECT_EQ(result.verdict.findings[0].taps, "SUB, SUB");
}

// Returns LOG(SIN(x)) + 19 - x, which is small beside x, so that the last bits of the sum count.
TestVector CancellingSubtraction() {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex log = AddUndecided(b, x);
  const TensorIndex shifted = b.Add(Op::kAdd, {log, b.Constant("fp32[1]{19}")}, kType);
  b.Outputs({b.Add(Op::kSub, {shifted, x}, kType)});
  return Expected(GraphOf({b.block}));
}

// Calculates the subtraction with a sum that it has kept in higher precision, 0.4 units off.
class KeepsTheSum : public Tapped {
  void Change(const TestVector& vector, Outcome& outcome,
              std::map<TensorIndex, Tensor>& taps) override {
    std::vector<double> numbers;
    for (int64_t i = 0; i < 2; ++i) {
      const double shown = taps.at(4).Float(i);
      const double kept = shown + 0.4 * std::ldexp(1.0, std::ilogb(shown) - 23);
      numbers.push_back(RoundToType(DType::kFp32, kept - vector.steps[0].inputs[0].Float(i)));
    }
    outcome.outputs[0] = Tensor::FromFloats(DType::kFp32, {2}, numbers);
  }
};

TEST(JudgeTaps, AllowsForPrecisionThatIsKeptUnlessTheBackendRoundsItsResults) {
  KeepsTheSum backend;
  DeclareUsed(backend);
  const CaseResult silent = JudgeDeep(backend, CancellingSubtraction());
  EXPECT_NE(silent.state, CaseState::kDisagrees);
  EXPECT_EQ(silent.tapped, 4);
  BackendDeclarations rounds;
  rounds.rounds_results = true;
  backend.Declare(rounds);
  const CaseResult declared = JudgeDeep(backend, CancellingSubtraction());
  ASSERT_EQ(declared.state, CaseState::kDisagrees) << declared.note;
  EXPECT_EQ(declared.verdict.findings[0].op, Op::kSub);
  EXPECT_EQ(declared.verdict.findings[0].rests_on, "rounds-results, taps-used");
}

TEST(JudgeTaps, LeavesUndecidedWhatTapsDoNotShow) {
  BlockBuilder b, branch("branch");
  const TensorIndex x = b.Input(kType);
  const TensorIndex condition =
      b.Add(Op::kEqual, {b.Constant("i32[]{1}"), b.Constant("i32[]{1}")}, "bool[]");
  b.Outputs({b.Add(Op::kCondIf, {condition, AddUndecided(b, x)}, kType,
                   {{AttributeId::kThenGraph, std::string("branch")},
                    {AttributeId::kElseGraph, std::string("branch")}})});
  const TensorIndex y = branch.Input(kType);
  branch.Outputs({branch.Add(Op::kAbs, {y}, kType)});
  const CaseResult result =
      JudgeDeep(*OpenNamed("reference"), Expected(GraphOf({b.block, branch.block})));
  EXPECT_EQ(result.state, CaseState::kUndecided);
  EXPECT_EQ(result.note, "no sound rule reaches the outputs; its taps agree; its windows agree");
  EXPECT_EQ(result.tapped, 3);
}

TEST(JudgeTaps, DoesNotVouchForVariables) {
  Tapped backend;
  TestVector vector = DeepSubtractions();
  vector.steps[0].state_after["v"] = vector.steps[0].outputs[0];
  CaseResult result = NewCase(vector, "w");
  EXPECT_FALSE(JudgeTaps(backend, vector, 1, result));
  EXPECT_EQ(result.note, "its taps agree");
}

class WrongOnce : public Tapped {
  void Change(const TestVector&, Outcome& outcome, std::map<TensorIndex, Tensor>&) override {
    if (runs == 1) outcome.outputs[0] = TensorOf("fp32[2]{1,2}");
  }
};

TEST(JudgeTaps, CallsNotRepeatableWhatDoesNotComeAgain) {
  WrongOnce backend;
  DeclareUsed(backend);
  const CaseResult result = JudgeDeep(backend, DeepSubtractions());
  EXPECT_EQ(result.state, CaseState::kUndecided);
  EXPECT_EQ(result.note, "not repeatable: SUB fp32: wrong value by taps");
}

// Calculates another graph when it is asked for taps.
class OtherWithoutTaps : public Tapped {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    if (vector.name == "whole") outcomes[0].outputs[0] = TensorOf("fp32[2]{1,2}");
    return outcomes;
  }
};

TEST(JudgeTaps, DoesNotTrustTapsThatChangeTheOutputs) {
  OtherWithoutTaps backend;
  const TestVector vector = DeepSubtractions();
  CaseResult result = NewCase(vector, "w");
  EXPECT_FALSE(JudgeTaps(backend, vector, 1, result));
  EXPECT_EQ(result.state, CaseState::kUndecided);
  EXPECT_EQ(result.note, "its taps agree, but with them the outputs are others");
}

class CrashesWithTaps : public Tapped {
  void Change(const TestVector&, Outcome& outcome, std::map<TensorIndex, Tensor>& taps) override {
    outcome = {};
    outcome.kind = OutcomeKind::kCrashed;
    outcome.message = "signal 11";
    taps.clear();
  }
};

TEST(JudgeTaps, FindsACrashThatOnlyTapsCause) {
  CrashesWithTaps backend;
  const CaseResult result = JudgeDeep(backend, DeepSubtractions());
  ASSERT_EQ(result.state, CaseState::kDisagrees);
  EXPECT_EQ(result.verdict.findings[0].violation, Violation::kCrash);
  EXPECT_EQ(result.verdict.findings[0].message,
            "signal 11; the backend does this only when it is asked for taps");
}

// ---- The probes of `backend test`

TEST(TapProbes, AgreeForTheReferenceExecutor) {
  const auto points = ProbeTaps(*OpenNamed("reference"));
  ASSERT_EQ(points.size(), 2u);
  for (const ExamPoint& point : points) {
    EXPECT_EQ(point.mark, ExamPoint::Mark::kGood);
    EXPECT_EQ(point.remark, "all 3 probes agree");
  }
  const auto none = ProbeTaps(*OpenNamed("canary:flushes-some"));
  EXPECT_EQ(none[0].mark, ExamPoint::Mark::kNotSupported);
  EXPECT_EQ(none[0].remark, "it offers no taps");
}

// Shows results of EXP one unit off, which its rule allows.
class ShowsNext : public Tapped {
  void Change(const TestVector& vector, Outcome&, std::map<TensorIndex, Tensor>& taps) override {
    if (vector.graphs[0].Main()->operators[0].op != Op::kExp) return;
    for (auto& [tensor, value] : taps) {
      std::vector<double> numbers;
      for (int64_t i = 0; i < value.elements(); ++i) {
        numbers.push_back(NextUp(DType::kFp32, value.Float(i)));
      }
      value = Tensor::FromFloats(DType::kFp32, value.shape(), numbers);
    }
  }
};

TEST(TapProbes, FindTapsThatWereNotRead) {
  ShowsNext backend;
  std::vector<ExamPoint> points = ProbeTaps(backend);
  EXPECT_EQ(points[0].mark, ExamPoint::Mark::kGood) << points[0].remark;
  EXPECT_EQ(points[1].mark, ExamPoint::Mark::kNotDeclared);
  DeclareUsed(backend);
  points = ProbeTaps(backend);
  EXPECT_EQ(points[1].mark, ExamPoint::Mark::kFailed);
  EXPECT_EQ(points[1].remark, "EXP fp32: ABS has read another element 0 than the backend shows");
}

class ShowsNothingRight : public Tapped {
  void Change(const TestVector&, Outcome&, std::map<TensorIndex, Tensor>& taps) override {
    for (auto& [tensor, value] : taps) value = Tensor::Splat(value.type(), value.shape(), 0);
  }
};

TEST(TapProbes, FindWrongTaps) {
  ShowsNothingRight backend;
  const std::vector<ExamPoint> points = ProbeTaps(backend);
  EXPECT_EQ(points[0].mark, ExamPoint::Mark::kFailed);
  EXPECT_EQ(points[0].remark.find("EXP fp32: step 0, t1[0,0]: expected "), 0u) << points[0].remark;
}

// ---- The command line

TEST_F(Cli, VerifyReportsAFindingByTapsAndMinimizesIt) {
  ASSERT_TRUE(WriteFileAtomically(Path("deep.tvec"), WriteTestVector(DeepSubtractions())));
  ExpectStatus(0, "verify deep.tvec --backend reference --json",
               "\"note\":\"judged by taps: 4 operators judged, all agree\",\"tapped\":4");
  ExpectStatus(0, "verify deep.tvec --backend reference", "operators judged by taps: 4\n");
  const std::string verify = "verify deep.tvec --backend canary:swapped-operands";
  const Ran ran = ExpectStatus(1, verify, "; judged by taps: SUB, on the values that the backend");
  EXPECT_NE(ran.output.find("rests on what the backend declares: taps-used"), std::string::npos)
      << ran.output;
  ExpectStatus(1, verify + " --json", "\"taps\":\"SUB\"");
  // The minimized vector is the operator with the shown values, which is judged as a whole.
  ExpectStatus(1, verify + " --report r --minimize", "FAIL  SUB fp32");
  const std::string smallest = AnyFile("r/findings", ".tvec");
  const Ran again = ExpectStatus(1, "verify " + smallest + " --backend canary:swapped-operands",
                                 "FAIL  SUB fp32");
  EXPECT_EQ(again.output.find("taps:"), std::string::npos) << again.output;
}

TEST_F(Cli, SaysWhichBackendsOfferTaps) {
  ExpectStatus(0, "backend show reference", "Inner tensors (taps): of any graph.\n");
  ExpectStatus(0, "backend show exec", "Inner tensors (taps): none.\n");
  ExpectStatus(0, "backend test reference", "ok             gives the values of inner tensors");
}

}  // namespace
}  // namespace assay::judge_taps_test

// SPDX-License-Identifier: Apache-2.0
// Tests that `verify` judges windows of graphs whose outputs no sound rule reaches.
#include "arm_directory.h"
#include "backend_kind.h"
#include "block_builder.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "judge_windows.h"
#include "run_assay.h"
#include "tvec_file.h"

namespace assay::cli_windows_test {
namespace {

constexpr char kType[] = "fp32[2]";

TestVector Expected(Graph graph, const std::vector<std::string_view>& inputs) {
  TestVector vector;
  vector.name = "whole";
  vector.requirements = {"PRO-FP"};
  vector.graphs = {std::move(graph)};
  Step& step = vector.steps.emplace_back();
  for (const std::string_view input : inputs) step.inputs.push_back(TensorOf(input));
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

// SIN is zero within its own bound, so LOG may be anything: nothing behind LOG can be judged.
TensorIndex AddUndecided(BlockBuilder& b, TensorIndex x) {
  return b.Add(Op::kLog, {b.Add(Op::kSin, {x}, kType)}, kType);
}
constexpr char kNearPi[] = "fp32[2]{3.1415925,3.1415925}";

// Returns a subtraction behind two inexact operators.
TestVector DeepSubtraction() {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  b.Outputs({b.Add(Op::kSub, {AddUndecided(b, x), x}, kType)});
  return Expected(GraphOf({b.block}), {kNearPi});
}

// A backend that offers no taps, so that windows have to judge.
class WithoutTaps : public Backend {
 public:
  explicit WithoutTaps(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}
  std::string WhyUnsupported(const TestVector& vector) const override {
    return backend_->WhyUnsupported(vector);
  }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    return backend_->Run(vector);
  }
  std::string Describe() const override { return backend_->Describe(); }

 private:
  std::unique_ptr<Backend> backend_;
};

std::unique_ptr<Backend> Open(const std::string& name) {
  Result<std::unique_ptr<Backend>> opened = OpenBackend(name, {});
  EXPECT_TRUE(opened) << opened.error().message;
  return std::make_unique<WithoutTaps>(std::move(*opened));
}

TEST(JudgeWindows, FindsAFaultBehindTwoInexactOperators) {
  const auto backend = Open("canary:swapped-operands");
  const LoadedCase whole{DeepSubtraction(), {}};
  const CaseResult without = JudgeOnBackend(*backend, whole, "w");
  EXPECT_EQ(without.state, CaseState::kUndecided) << without.note;
  const CaseResult with = JudgeInDepth(*backend, whole, "w");
  ASSERT_EQ(with.state, CaseState::kDisagrees) << with.note;
  EXPECT_EQ(with.verdict.findings[0].op, Op::kSub);
  EXPECT_EQ(with.verdict.findings[0].window, "SUB");
  const auto failing = FindFailingWindow(*backend, whole.vector);
  ASSERT_TRUE(failing);
  EXPECT_EQ(JudgeOnBackend(*backend, {failing->vector, {}}, "").state, CaseState::kDisagrees);
}

TEST(JudgeWindows, AgreesIfAllOperatorsAreInWindowsThatAgree) {
  const auto backend = Open("reference");
  const CaseResult result = JudgeInDepth(*backend, {DeepSubtraction(), {}}, "w");
  EXPECT_EQ(result.state, CaseState::kAgrees);
  EXPECT_EQ(result.note, "judged by windows: 4 windows judged, all agree");
  EXPECT_EQ(result.verdict.undecided_elements, 2);
}

// There are more operators than windows that are judged anyway.
TEST(JudgeWindows, CoversLongGraphs) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  TensorIndex last = AddUndecided(b, x);
  for (int i = 0; i < 60; ++i) {
    const double bounds[] = {-1000, 100.0 + i};
    last = b.Add(Op::kClamp, {last}, kType,
                 {{AttributeId::kMinVal, Tensor::FromFloats(DType::kFp32, {}, {&bounds[0], 1})},
                  {AttributeId::kMaxVal, Tensor::FromFloats(DType::kFp32, {}, {&bounds[1], 1})},
                  {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
  }
  b.Outputs({last});
  const CaseResult result =
      JudgeInDepth(*Open("reference"), {Expected(GraphOf({b.block}), {kNearPi}), {}}, "w");
  EXPECT_EQ(result.state, CaseState::kAgrees) << result.note;
  EXPECT_EQ(result.windows, 62);
}

TEST(JudgeWindows, LeavesUndecidedWhatNoWindowContains) {
  BlockBuilder b, branch("branch");
  const TensorIndex x = b.Input(kType);
  const TensorIndex condition = b.Input("bool[]");
  b.Outputs({b.Add(Op::kCondIf, {condition, AddUndecided(b, x)}, kType,
                   {{AttributeId::kThenGraph, std::string("branch")},
                    {AttributeId::kElseGraph, std::string("branch")}})});
  const TensorIndex y = branch.Input(kType);
  branch.Outputs({branch.Add(Op::kAbs, {y}, kType)});
  const auto vector = Expected(GraphOf({b.block, branch.block}), {kNearPi, "bool[]{true}"});
  const CaseResult result = JudgeInDepth(*Open("reference"), {vector, {}}, "w");
  EXPECT_EQ(result.state, CaseState::kUndecided);
  EXPECT_EQ(result.note, "no sound rule reaches the outputs; its windows agree");
  EXPECT_EQ(result.windows, 3);
}

// A decided output does not hide a fault on the way to an undecided one.
TEST(JudgeWindows, JudgesWindowsOfPartlyDecidedVectors) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  b.Outputs({b.Add(Op::kAbs, {x}, kType), b.Add(Op::kSub, {AddUndecided(b, x), x}, kType)});
  const LoadedCase whole{Expected(GraphOf({b.block}), {kNearPi}), {}};
  const auto backend = Open("canary:swapped-operands");
  EXPECT_EQ(JudgeOnBackend(*backend, whole, "w").state, CaseState::kAgrees);
  EXPECT_EQ(JudgeInDepth(*backend, whole, "w").state, CaseState::kDisagrees);
}

TEST(JudgeWindows, LeavesOutOperatorsThatOutputsJudge) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  b.Outputs({b.Add(Op::kAbs, {x}, kType), AddUndecided(b, x)});
  const auto vector = Expected(GraphOf({b.block}), {kNearPi});
  const CaseResult result = JudgeInDepth(*Open("reference"), {vector, {}}, "w");
  // SIN and LOG alone. Together, they are undecided.
  EXPECT_EQ(result.note, "judged by windows: 2 windows judged, all agree");
}

// 60000 + 60000 overflows fp16 in some orders. The other sum is decided.
TEST(JudgeWindows, JudgesOneOperatorOnce) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kReduceSum, {b.Input("fp16[2,3]")}, "fp16[2,1]",
                   {{AttributeId::kAxis, int32_t{1}}})});
  const auto vector = Expected(GraphOf({b.block}), {"fp16[2,3]{60000,60000,-60000,1,2,3}"});
  const CaseResult result = JudgeInDepth(*Open("reference"), {vector, {}}, "w");
  EXPECT_EQ(result.verdict.undecided_elements, 1);
  EXPECT_EQ(result.windows, 0);
  EXPECT_EQ(result.note, "");
}

// Runs vectors of one graph correctly, and gives zeros for the graphs of others.
class WrongAmongOthers : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    if (vector.graphs.size() == 1) return outcomes;
    for (Outcome& outcome : outcomes) {
      for (Tensor& output : outcome.outputs) {
        output = Tensor::Splat(output.type(), output.shape(), 0);
      }
    }
    return outcomes;
  }
  std::string Describe() const override { return "wrong among others"; }
};

TEST(JudgeWindows, CallsNotRepeatableWhatDoesNotDisagreeAlone) {
  WrongAmongOthers backend;
  const CaseResult result = JudgeInDepth(backend, {DeepSubtraction(), {}}, "w");
  EXPECT_EQ(result.state, CaseState::kUndecided);
  EXPECT_TRUE(result.note.starts_with("not repeatable: ")) << result.note;
}

// Returns EXP(...) - x, where EXP overflows behind undecided elements. A backend may have kept a
// finite number there, so taps do not judge the subtraction; the window has an infinity.
TestVector SubtractionFromInfinity() {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex shift = b.Constant("i8[1]{0}");
  const TensorIndex large =
      b.Add(Op::kMul, {AddUndecided(b, x), b.Constant("fp32[1]{-100}"), shift}, kType);
  b.Outputs({b.Add(Op::kSub, {b.Add(Op::kExp, {large}, kType), x}, kType)});
  return Expected(GraphOf({b.block}), {kNearPi});
}

TEST_F(Cli, VerifyReportsTheWindowOfAFindingAndReplaysIt) {
  ASSERT_TRUE(WriteFileAtomically(Path("deep.tvec"), WriteTestVector(SubtractionFromInfinity())));
  ExpectStatus(0, "verify deep.tvec --backend reference --json",
               "\"note\":\"judged by windows: 6 windows judged, all agree\",\"windows\":6");
  ExpectStatus(0, "verify deep.tvec --backend reference", "windows judged: 6\n");
  const std::string where = "in the window SUB of the graph";
  const Ran ran = ExpectStatus(1, "verify deep.tvec --backend canary:swapped-operands", where);
  EXPECT_NE(ran.output.find("FAIL  SUB fp32"), std::string::npos) << ran.output;
  ExpectStatus(1, "verify deep.tvec --backend canary:swapped-operands --json",
               "\"window\":\"SUB\"");
  // The minimized vector is the window itself, which is judged as a whole.
  ExpectStatus(1, "verify deep.tvec --backend canary:swapped-operands --report r --minimize",
               "FAIL  SUB fp32");
  const std::string smallest = AnyFile("r/findings", ".tvec");
  const Ran again = ExpectStatus(1, "verify " + smallest + " --backend canary:swapped-operands",
                                 "FAIL  SUB fp32");
  EXPECT_EQ(again.output.find("window"), std::string::npos) << again.output;
}

// The expectation of the reference executor is judged so, and the recorded results are no less.
TEST_F(Cli, VerifyJudgesWindowsOfArmDirectories) {
  ASSERT_TRUE(WriteArmDirectory(Path("d"), SubtractionFromInfinity(), 0));
  ExpectStatus(0, "verify d --backend reference --json",
               "recorded: undecided (no sound rule reaches the outputs); judged by windows: 6 "
               "windows judged, all agree\",\"windows\":6");
  ExpectStatus(1, "verify d --backend canary:swapped-operands --report r --minimize",
               "FAIL  SUB fp32");
  ExpectStatus(1, "verify d --backend canary:swapped-operands", "in the window SUB of the graph");
  ExpectStatus(1, "verify " + AnyFile("r/findings", ".tvec") + " --backend canary:swapped-operands",
               "FAIL  SUB fp32");
}

TEST_F(Cli, ReduceStartsWithTheWindowOrTheTapThatShowsTheFinding) {
  ASSERT_TRUE(WriteFileAtomically(Path("deep.tvec"), WriteTestVector(SubtractionFromInfinity())));
  ASSERT_TRUE(WriteFileAtomically(Path("tapped.tvec"), WriteTestVector(DeepSubtraction())));
  const std::string options = " --backend canary:swapped-operands --out s.tvec";
  ExpectStatus(1, "reduce deep.tvec" + options, "; first shown by a window of SUB\n");
  ExpectStatus(1, "verify s.tvec --backend canary:swapped-operands", "FAIL  SUB fp32");
  ExpectStatus(1, "reduce tapped.tvec" + options, "; first shown by taps of SUB\n");
  ExpectStatus(1, "verify s.tvec --backend canary:swapped-operands", "FAIL  SUB fp32");
  ExpectStatus(1, "reduce tapped.tvec --json" + options, "\"shown_by\": \"taps of SUB\"");
  // The window shows the finding without a window.
  fs::rename(Path("s.tvec"), Path("window.tvec"));
  ExpectStatus(1, "reduce window.tvec --json" + options, "\"shown_by\": \"\"");
}

TEST_F(Cli, FuzzJudgesAsVerifyDoes) {
  // Some of these vectors have elements that no rule for the whole vector reaches.
  const std::string campaign = " --kind graph --seed 6 ";
  ExpectStatus(0, "gen --out s --count 60" + campaign, "60 vectors");
  const auto total = [](const Ran& ran) {
    const size_t at = ran.output.find("total: ");
    return ran.output.substr(at, ran.output.find('\n', at) - at);
  };
  const Ran verified = Run("verify s --backend reference");
  const Ran fuzzed = Run("fuzz --backend reference --out f --budget 60" + campaign);
  EXPECT_EQ(total(verified), total(fuzzed));
  EXPECT_NE(verified.output.find("windows judged: "), std::string::npos) << verified.output;
}

}  // namespace
}  // namespace assay::cli_windows_test

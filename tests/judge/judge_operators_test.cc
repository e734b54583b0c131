// SPDX-License-Identifier: Apache-2.0
// Tests that a wrong output is blamed on the operators with which a graph goes wrong.
#include "judge_operators.h"

#include <gtest/gtest.h>

#include "backend_kind.h"
#include "block_builder.h"
#include "executor.h"
#include "finding_text.h"
#include "judge_in_depth.h"
#include "judge_vector.h"
#include "reported_findings.h"
#include "tapped_outputs.h"

namespace assay::judge_operators_test {
namespace {

constexpr char kType[] = "i32[2]";

TestVector Expected(std::vector<Block> blocks, int steps = 1) {
  TestVector vector;
  vector.requirements = {"PRO-INT"};
  vector.graphs = {GraphOf(std::move(blocks))};
  for (int i = 0; i < steps; ++i) {
    vector.steps.emplace_back().inputs = {
        TensorOf("i32[2]{" + std::to_string(i - 1) + "," + std::to_string(i + 3) + "}")};
  }
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

// Returns MAXIMUM(ABS(x), x - 9) beside BITWISE_NOT(x).
TestVector AbsUnderMaximum(int steps = 1) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex abs = b.Add(Op::kAbs, {x}, kType);
  const TensorIndex less = b.Add(Op::kSub, {x, b.Constant("i32[1]{9}")}, kType);
  b.Outputs({b.Add(Op::kMaximum, {abs, less}, kType,
                   {{AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}}),
             b.Add(Op::kBitwiseNot, {x}, kType)});
  return Expected({b.block}, steps);
}

// The reference executor with wrong operators: others run in their place.
class WrongOperators : public Backend {
 public:
  explicit WrongOperators(std::vector<Op> ops, bool only_in_graphs = false)
      : ops_(std::move(ops)), only_in_graphs_(only_in_graphs) {}
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    ++runs;
    return Execute(vector);
  }
  bool OffersTaps(const TestVector&) const override { return Declared().taps_used; }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    return TakeTapsFromOutputs(vector, asked, Execute(WithTapsAsOutputs(vector, asked)));
  }
  std::string Describe() const override { return "wrong operators"; }

  int runs = 0;

 private:
  std::vector<Outcome> Execute(TestVector vector) const {
    for (Graph& graph : vector.graphs) {
      for (Block& block : graph.Blocks()) {
        if (only_in_graphs_ && block.operators.size() < 2) continue;
        for (Operator& op : block.operators) {
          if (std::ranges::find(ops_, op.op) == ops_.end()) continue;
          op.op = op.op == Op::kMaximum ? Op::kMinimum : Op::kBitwiseNot;
          op.attributes = op.op == Op::kMinimum ? op.attributes : Attributes();
        }
      }
    }
    return ExecuteVector(vector, {});
  }

  std::vector<Op> ops_;
  bool only_in_graphs_;
};

CaseResult Named(Backend& backend, const TestVector& vector) {
  CaseResult result = JudgeInDepth(backend, {vector, {}}, "w");
  AloneRule rule;
  NameWrongOperators(backend, vector, rule, result);
  return result;
}

TEST(JudgeOperators, NamesTheOperatorUnderTheOneThatMakesTheOutput) {
  WrongOperators backend({Op::kAbs});
  const TestVector vector = AbsUnderMaximum();
  EXPECT_EQ(JudgeInDepth(backend, {vector, {}}, "w").verdict.findings[0].op, Op::kMaximum);
  const int before = backend.runs;
  const CaseResult result = Named(backend, vector);
  ASSERT_EQ(result.verdict.findings.size(), 2u);
  const Finding& finding = result.verdict.findings[0];
  EXPECT_EQ(FindingHeadline(finding), "ABS i32: wrong value");
  EXPECT_EQ(finding.window, "ABS");
  EXPECT_EQ(result.verdict.findings[1].op, Op::kMaximum);
  EXPECT_EQ(result.verdict.findings[1].follows, finding.tensor);
  EXPECT_LE(backend.runs - before, 2 + 3);  // the vector twice, all operators, and ABS twice
}

TEST(JudgeOperators, UsesTheValuesOfTheStepThatIsWrong) {
  class WrongInTheThirdStep : public WrongOperators {
   public:
    WrongInTheThirdStep() : WrongOperators({}) {}
    Result<std::vector<Outcome>> Run(const TestVector& vector) override {
      std::vector<Outcome> right = ExecuteVector(vector, {});
      WrongOperators wrong({Op::kAbs});
      std::vector<Outcome> outcomes = *wrong.Run(vector);
      for (size_t i = 0; i < outcomes.size(); ++i) {
        const bool shows = vector.steps[i].inputs[0] == TensorOf("i32[2]{1,5}");
        if (!shows) outcomes[i] = right[i];
      }
      return outcomes;
    }
  } backend;
  const CaseResult result = Named(backend, AbsUnderMaximum(3));
  ASSERT_EQ(result.state, CaseState::kDisagrees);
  EXPECT_EQ(result.verdict.findings[0].op, Op::kAbs);
  EXPECT_EQ(result.verdict.findings[0].step, 2);
}

TEST(JudgeOperators, NamesEachOperatorThatIsWrongAlone) {
  WrongOperators backend({Op::kAbs, Op::kMaximum});
  const CaseResult result = Named(backend, AbsUnderMaximum());
  ASSERT_EQ(result.verdict.findings.size(), 2u);
  EXPECT_EQ(result.verdict.findings[0].op, Op::kAbs);
  // MAXIMUM is wrong by itself, so its output follows from nothing.
  EXPECT_EQ(result.verdict.findings[1].op, Op::kMaximum);
  EXPECT_EQ(result.verdict.findings[1].follows, "");
}

// The first ABS makes an output by itself, and the second one makes another output wrong.
TEST(JudgeOperators, FollowsEachOfTheOperatorsThatAreWrongInOneWay) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex first = b.Add(Op::kAbs, {x}, kType);
  const TensorIndex less = b.Add(Op::kSub, {x, b.Constant("i32[1]{9}")}, kType);
  const TensorIndex second = b.Add(Op::kAbs, {less}, kType);
  b.Outputs({b.Add(Op::kBitwiseNot, {second}, kType), first});
  WrongOperators backend({Op::kAbs});
  const CaseResult result = Named(backend, Expected({b.block}));
  ASSERT_EQ(result.verdict.findings.size(), 2u);
  EXPECT_EQ(result.verdict.findings[0].op, Op::kAbs);
  EXPECT_EQ(result.verdict.findings[0].follows, "");
  EXPECT_EQ(result.verdict.findings[1].op, Op::kBitwiseNot);
  EXPECT_NE(result.verdict.findings[1].follows, "");
}

TEST(JudgeOperators, LeavesAFindingThatNoOperatorShowsAlone) {
  WrongOperators backend({Op::kAbs}, /*only_in_graphs=*/true);
  const CaseResult result = Named(backend, AbsUnderMaximum());
  ASSERT_EQ(result.verdict.findings.size(), 1u);
  EXPECT_EQ(result.verdict.findings[0].op, Op::kMaximum);
  EXPECT_EQ(result.verdict.findings[0].window, "");
}

TEST(JudgeOperators, AsksForTapsIfEveryOperatorIsRightAlone) {
  WrongOperators backend({Op::kAbs}, /*only_in_graphs=*/true);
  BackendDeclarations declared;
  declared.taps_used = true;
  backend.Declare(declared);
  const CaseResult result = Named(backend, AbsUnderMaximum());
  ASSERT_EQ(result.verdict.findings.size(), 2u);
  EXPECT_EQ(result.verdict.findings[0].op, Op::kAbs);
  EXPECT_EQ(result.verdict.findings[0].taps, "ABS");
  EXPECT_EQ(result.verdict.findings[1].follows, result.verdict.findings[0].tensor);
}

TEST(JudgeOperators, LooksIntoTheBlocksOfControlFlow) {
  BlockBuilder b, branch("branch");
  const TensorIndex x = b.Input(kType);
  const TensorIndex condition =
      b.Add(Op::kEqual, {b.Constant("i32[]{1}"), b.Constant("i32[]{1}")}, "bool[]");
  b.Outputs({b.Add(Op::kCondIf, {condition, x}, kType,
                   {{AttributeId::kThenGraph, std::string("branch")},
                    {AttributeId::kElseGraph, std::string("branch")}})});
  const TensorIndex y = branch.Input(kType);
  branch.Outputs({branch.Add(Op::kAbs, {y}, kType)});
  WrongOperators backend({Op::kAbs});
  const CaseResult result = Named(backend, Expected({b.block, branch.block}));
  ASSERT_EQ(result.verdict.findings.size(), 2u);
  EXPECT_EQ(result.verdict.findings[0].op, Op::kAbs);
  EXPECT_EQ(result.verdict.findings[1].follows, result.verdict.findings[0].tensor);
}

// `fuzz` and `--minimize` reduce the operator, and not the graph.
TEST(JudgeOperators, GiveTheOperatorAsTheSmallestVector) {
  WrongOperators backend({Op::kAbs});
  const TestVector vector = AbsUnderMaximum();
  const CaseResult result = Named(backend, vector);
  FindingPlan plan;
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  plan.minimize = true;
  plan.folder = folder->path();
  plan.in_process = &backend;
  plan.load = [&vector](int64_t) -> Result<LoadedCase> { return LoadedCase{vector, {}}; };
  plan.path = [](int64_t) { return "w"; };
  const Result<WorkedUp> worked_up = WorkUp(GroupFindings({result}, Representative::kFirst), plan);
  ASSERT_TRUE(worked_up) << worked_up.error().message;
  ASSERT_EQ(worked_up->findings.size(), 1u);
  const ReportedFinding& finding = worked_up->findings[0].finding;
  EXPECT_EQ(ReportedHeadline(finding), "ABS i32: wrong value");
  EXPECT_EQ(finding.graph_text.find("MAXIMUM"), std::string::npos) << finding.graph_text;
}

}  // namespace
}  // namespace assay::judge_operators_test

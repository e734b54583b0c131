// SPDX-License-Identifier: Apache-2.0
// Tests that a wrong output is blamed on the operators with which a graph goes wrong.
#include "judge_operators.h"

#include <gtest/gtest.h>

#include "backend_kind.h"
#include "block_builder.h"
#include "executor.h"
#include "finding_text.h"
#include "judge_in_depth.h"
#include "judge_taps.h"
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

// MAXIMUM makes the wrong output, but it is not at fault.
TEST(JudgeOperators, NamesTheSmallestSetThatIsWrongIfEveryOperatorIsRightAlone) {
  for (const bool taps_used : {false, true}) {
    WrongOperators backend({Op::kAbs}, /*only_in_graphs=*/true);
    BackendDeclarations declared;
    declared.taps_used = taps_used;
    backend.Declare(declared);
    const CaseResult result = Named(backend, AbsUnderMaximum());
    ASSERT_EQ(result.verdict.findings.size(), 1u);
    const Finding& finding = result.verdict.findings[0];
    EXPECT_EQ(FindingHeadline(finding), "ABS, MAXIMUM i32: wrong value");
    EXPECT_EQ(finding.window, "ABS, MAXIMUM");
    EXPECT_EQ(finding.message, "none of these operators is wrong alone");
  }
}

TEST(JudgeOperators, NamesASetInPlaceOfAnOperatorThatOnlyTapsShow) {
  WrongOperators backend({Op::kAbs}, /*only_in_graphs=*/true);
  BackendDeclarations declared;
  declared.taps_used = true;
  backend.Declare(declared);
  const TestVector vector = AbsUnderMaximum();
  CaseResult result = JudgeInDepth(backend, {vector, {}}, "w");
  const std::optional<Finding> by_taps = FindingByTaps(backend, vector);
  ASSERT_TRUE(by_taps);
  EXPECT_EQ(by_taps->op, Op::kAbs);
  result.verdict.findings = {*by_taps};
  AloneRule rule;
  NameWrongOperators(backend, vector, rule, result);
  EXPECT_EQ(FindingHeadline(result.verdict.findings[0]), "ABS, MAXIMUM i32: wrong value");
  EXPECT_NE(result.verdict.findings.back().follows, "");
}

// Returns a chain of `size` ABS over x.
TestVector ChainOfAbs(int size) {
  BlockBuilder b;
  TensorIndex x = b.Input(kType);
  for (int i = 0; i < size; ++i) x = b.Add(Op::kAbs, {x}, kType);
  b.Outputs({x});
  return Expected({b.block});
}

// Is wrong in graphs of six operators only, which are more than a set has.
class WrongInLargeGraphs : public WrongOperators {
 public:
  WrongInLargeGraphs() : WrongOperators({Op::kAbs}) {}
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    if (vector.graphs[0].OperatorCount() < 6) return ExecuteVector(vector, {});
    return WrongOperators::Run(vector);
  }
};

TEST(JudgeOperators, NamesNoOperatorIfNoSetIsWrong) {
  WrongInLargeGraphs backend;
  const CaseResult result = Named(backend, ChainOfAbs(6));
  ASSERT_EQ(result.verdict.findings.size(), 1u);
  EXPECT_EQ(FindingHeadline(result.verdict.findings[0]), "whole graph: wrong value");
}

// ABS is right alone, though a tap shows a wrong value of it, which nothing explains.
TEST(JudgeOperators, DoesNotTrustATapOfAnOperatorThatIsRightAlone) {
  WrongInLargeGraphs backend;
  BackendDeclarations declared;
  declared.taps_used = true;
  backend.Declare(declared);
  const CaseResult result = Named(backend, ChainOfAbs(6));
  ASSERT_EQ(result.verdict.findings.size(), 1u);
  EXPECT_EQ(FindingHeadline(result.verdict.findings[0]), "whole graph: wrong value");
}

// Crashes in MAXIMUM if ABS has run before it in the graph, as a backend does whose ABS writes
// beyond its tensor.
class CrashesBehindAbs : public WrongOperators {
 public:
  explicit CrashesBehindAbs(std::vector<Op> wrong) : WrongOperators(std::move(wrong)) {}
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    Result<std::vector<Outcome>> outcomes = WrongOperators::Run(vector);
    for (size_t i = 0; i < outcomes->size(); ++i) {
      const Graph& graph = vector.GraphOf(vector.steps[i]);
      const auto has = [&graph](Op op) {
        return std::ranges::any_of(
            graph.Operators(), [op](const PlacedOperator& placed) { return placed.op.op == op; });
      };
      if (!has(Op::kAbs) || !has(Op::kMaximum)) continue;
      (*outcomes)[i] = {};
      (*outcomes)[i].kind = OutcomeKind::kCrashed;
      (*outcomes)[i].message = "MAXIMUM: out of bounds";
    }
    return outcomes;
  }
};

TEST(JudgeOperators, BlameTheOperatorThatIsWrongBeforeACrash) {
  CrashesBehindAbs backend({Op::kAbs});
  const CaseResult result = Named(backend, AbsUnderMaximum());
  ASSERT_EQ(result.verdict.findings.size(), 2u);
  EXPECT_EQ(FindingHeadline(result.verdict.findings[0]), "ABS i32: wrong value");
  EXPECT_EQ(result.verdict.findings[1].violation, Violation::kCrash);
  EXPECT_EQ(result.verdict.findings[1].follows, result.verdict.findings[0].tensor);
}

TEST(JudgeOperators, NameNoOperatorThatCrashesOnlyBehindAnother) {
  CrashesBehindAbs backend({});
  const CaseResult result = Named(backend, AbsUnderMaximum());
  ASSERT_EQ(result.verdict.findings.size(), 1u);
  EXPECT_EQ(FindingHeadline(result.verdict.findings[0]), "whole graph: crash");
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

// Returns the only finding of a result after its minimization.
ReportedFinding MinimizedOn(Backend& backend, const TestVector& vector, const CaseResult& result) {
  FindingPlan plan;
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  plan.minimize = true;
  plan.folder = folder->path();
  plan.in_process = &backend;
  plan.load = [&vector](int64_t) -> Result<LoadedCase> { return LoadedCase{vector, {}}; };
  plan.path = [](int64_t) { return "w"; };
  const Result<WorkedUp> worked_up = WorkUp(GroupFindings({result}, Representative::kFirst), plan);
  EXPECT_TRUE(worked_up) << worked_up.error().message;
  EXPECT_EQ(worked_up->findings.size(), 1u);
  return worked_up->findings.at(0).finding;
}

// `fuzz` and `--minimize` reduce the operator, and not the graph.
TEST(JudgeOperators, GiveTheOperatorAsTheSmallestVector) {
  WrongOperators backend({Op::kAbs});
  const TestVector vector = AbsUnderMaximum();
  const ReportedFinding finding = MinimizedOn(backend, vector, Named(backend, vector));
  EXPECT_EQ(ReportedHeadline(finding), "ABS i32: wrong value");
  EXPECT_EQ(finding.graph_text.find("MAXIMUM"), std::string::npos) << finding.graph_text;
}

// The smallest graph that crashes has the operator that is named, and the one at fault.
TEST(JudgeOperators, NameTheSmallestGraphByWhatIsWrongAlone) {
  const TestVector vector = AbsUnderMaximum();
  for (const bool is_wrong_alone : {false, true}) {
    CrashesBehindAbs backend(is_wrong_alone ? std::vector<Op>{Op::kAbs} : std::vector<Op>{});
    const CaseResult seen = JudgeInDepth(backend, {vector, {}}, "w");
    EXPECT_EQ(seen.verdict.findings.at(0).op, Op::kMaximum);
    EXPECT_EQ(ReportedHeadline(MinimizedOn(backend, vector, seen)),
              is_wrong_alone ? "ABS i32: wrong value" : "ABS, MAXIMUM i32: crash");
  }
}

}  // namespace
}  // namespace assay::judge_operators_test

// SPDX-License-Identifier: Apache-2.0
// Tests that suspects are grouped, repeated and made smaller, apart from findings.
#include "reported_suspects.h"

#include <gtest/gtest.h>

#include "backend_kind.h"
#include "console.h"
#include "ensemble_run.h"
#include "files.h"
#include "generated.h"
#include "generator_table.h"
#include "json_lines.h"
#include "judge_in_depth.h"
#include "report_forms.h"
#include "run_status.h"
#include "tvec_file.h"

namespace assay::reported_suspects_test {
namespace {

// Returns what the reference executor returns, with every element of vectors that have REDUCE_SUM
// or a dot product moved up by one unit in the last place: less than their rules allow.
class OneUnitOff : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes = ExecuteVector(vector, OptionsFor(vector, {}));
    if (MultiplyAccumulates(vector) == 0) return outcomes;
    for (Outcome& outcome : outcomes) {
      for (Tensor& output : outcome.outputs) {
        if (output.type() == DType::kFp32) output = Moved(output);
      }
    }
    return outcomes;
  }
  std::string Describe() const override { return "one unit off"; }

 private:
  static Tensor Moved(const Tensor& tensor) {
    std::vector<int64_t> bits;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      bits.push_back(tensor.FloatBits(i) + (tensor.Float(i) == 0 ? 0 : 1));
    }
    return Tensor::FromIntegers(tensor.type(), tensor.shape(), bits);
  }
};

// Returns a generated vector that is a suspect on the backend, with its signature.
TestVector SuspectOn(Backend& backend, std::string* signature) {
  for (uint64_t i = 0; i < 2000; ++i) {
    const auto vector = GeneratorByKind("graph")->make(Options(1), i);
    if (!vector || std::ranges::find(vector->tags, "lattice") == vector->tags.end()) continue;
    *signature = SuspectSignature(JudgeInDepth(backend, {*vector, {}}, ""));
    if (!signature->empty() && vector->graphs[0].OperatorCount() > 4) return *vector;
  }
  ADD_FAILURE() << "no suspect";
  return {};
}

// Returns a suspect that would disagree in an operator if the backend declared plain-sums.
CaseResult SuspectCase(Op op, DType type, const std::string& rests_on = "plain-sums") {
  CaseResult result;
  result.state = CaseState::kSuspect;
  result.note = std::string("a finding if the backend declared ") + rests_on;
  Finding& finding = result.verdict.findings.emplace_back();
  finding.op = op;
  finding.type = type;
  finding.rests_on = rests_on;
  return result;
}

TEST(Suspects, AreGroupedByTheirFinding) {
  const std::vector<CaseResult> cases = {SuspectCase(Op::kConv2d, DType::kFp32),
                                         {},
                                         SuspectCase(Op::kConv2d, DType::kFp16),
                                         SuspectCase(Op::kConv2d, DType::kFp32)};
  const std::vector<SuspectGroup> groups = GroupSuspects(cases);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].signature, "undeclared " + cases[0].verdict.findings[0].Signature());
  EXPECT_EQ(groups[0].seen, 2);
  EXPECT_EQ(groups[0].case_index, 0);
  EXPECT_EQ(groups[0].why, cases[0].note);
  EXPECT_EQ(groups[1].case_index, 2);
}

// Workers send cases as JSON.
TEST(Suspects, KeepTheirGroupInJson) {
  const CaseResult suspect = SuspectCase(Op::kConv2d, DType::kFp32);
  const auto read = CaseFromJson(CaseToJson(suspect));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(SuspectSignature(*read), SuspectSignature(suspect));
}

TEST(Suspects, FailOnlyStrictRuns) {
  CaseResult agrees;
  agrees.state = CaseState::kAgrees;
  RunReport run;
  run.tally.Add(SuspectCase(Op::kConv2d, DType::kFp32));
  EXPECT_EQ(StatusOf(run, false), kExitUndecided);
  run.tally.Add(agrees);
  EXPECT_EQ(StatusOf(run, false), kExitClean);
  EXPECT_EQ(StatusOf(run, true), kExitUndecided);
}

TEST(Suspects, BecomeSmallerAndStaySuspects) {
  OneUnitOff backend;
  std::string signature;
  const TestVector vector = SuspectOn(backend, &signature);
  EXPECT_NE(signature.find("plain-sums"), std::string::npos) << signature;
  std::string why;
  const auto smallest = SmallestSuspect(backend, vector, signature, {.calls_max = 100}, &why);
  ASSERT_TRUE(smallest);
  EXPECT_LT(smallest->vector.graphs[0].OperatorCount(), vector.graphs[0].OperatorCount());
  EXPECT_NE(why.find("a finding if the backend declared plain-sums"), std::string::npos) << why;
  const CaseResult again = JudgeInDepth(backend, {smallest->vector, {}}, "");
  EXPECT_EQ(again.state, CaseState::kSuspect);
  EXPECT_EQ(SuspectSignature(again), signature);
}

TEST(Suspects, AreNothingIfTheyAreNoSuspectsAgain) {
  OneUnitOff backend;
  std::string signature, why;
  const TestVector vector = SuspectOn(backend, &signature);
  EXPECT_FALSE(
      SmallestSuspect(backend, vector, signature + " of another kind", {.calls_max = 100}, &why));
  const auto reference = OpenBackend("reference", {});
  EXPECT_FALSE(SmallestSuspect(**reference, vector, signature, {.calls_max = 100}, &why));
}

// The reference executor agrees, so the vector is written as it was found.
TEST(Suspects, ThatDoNotRepeatAreWrittenAsFound) {
  OneUnitOff backend;
  SuspectGroup group;
  const TestVector vector = SuspectOn(backend, &group.signature);
  group.why = "seen once";
  group.case_index = 5;
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  FindingPlan plan;
  plan.backend = "reference";
  plan.folder = folder->path() + "/suspects";
  plan.load = [&vector](int64_t index) -> Result<LoadedCase> {
    EXPECT_EQ(index, 5);
    return LoadedCase{vector, {}};
  };
  const auto reports = WorkUpSuspects({group}, plan);
  ASSERT_TRUE(reports) << reports.error().message;
  ASSERT_EQ(reports->size(), 1u);
  const ReportedSuspect& report = (*reports)[0];
  EXPECT_FALSE(report.repeats);
  EXPECT_EQ(report.why, "seen once");
  EXPECT_NE(report.vector.find("/suspects/not-repeatable-"), std::string::npos) << report.vector;
  const auto bytes = ReadFile(report.vector);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, WriteTestVector(vector));
  EXPECT_EQ(report.replay, "assay verify " + report.vector + " --backend reference");
}

TEST(Suspects, AreInReportsAndInTheProgressOfARun) {
  ReportedSuspect suspect;
  suspect.signature = "undeclared CONV2D fp32";
  suspect.why = "output 0 is off";
  suspect.seen = 3;
  suspect.vector = "f/suspects/a.tvec";
  suspect.replay = "assay verify f/suspects/a.tvec";
  suspect.repeats = false;
  RunProgress progress;
  progress.suspects.emplace(suspect.signature, suspect);
  const auto read = ProgressFromJson(ProgressToJson(progress));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->suspects.size(), 1u);
  EXPECT_EQ(ProgressToJson(*read), ProgressToJson(progress));
  RunReport run;
  run.suspects.push_back(suspect);
  const std::string text = RunToText(run);
  EXPECT_NE(text.find("\nSUSPECT  output 0 is off  (seen 3 times)\n  not repeatable"),
            std::string::npos)
      << text;
  EXPECT_NE(RunToJsonLines(run).find("{\"suspect\":\"undeclared CONV2D fp32\""), std::string::npos);
  EXPECT_NE(RunToHtml(run).find("<h2>Suspects</h2>"), std::string::npos);
  EXPECT_EQ(RunToHtml({}).find("<h2>Suspects</h2>"), std::string::npos);
}

}  // namespace
}  // namespace assay::reported_suspects_test

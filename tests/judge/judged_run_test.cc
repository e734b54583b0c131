// SPDX-License-Identifier: Apache-2.0
// Tests that a long run has the same report as a short one, but for the cases that it keeps.
#include "judged_run.h"

#include <gtest/gtest.h>

#include "generator_table.h"
#include "json_lines.h"
#include "report_forms.h"

namespace assay::judged_run_test {
namespace {

constexpr char kKnown[] = R"({"format": "assay known failures", "version": 1, "known": [
  {"operator": "ADD", "reason": "a bug that we know"}]})";

CaseResult CaseOf(int64_t index) {
  CaseResult result;
  result.vector = "s/" + std::to_string(index) + ".tvec";
  result.kind = "operator";
  result.operators = {{index % 2 == 0 ? Op::kAdd : Op::kSub, DType::kInt32}};
  result.state = CaseState::kAgrees;
  if (index % 10 == 3 || index % 10 == 4) {
    result.state = CaseState::kDisagrees;
    Finding finding;
    finding.oracle = "reference";
    finding.op = result.operators[0].op;
    finding.type = DType::kInt32;
    finding.expected = "1";
    finding.got = "2";
    result.verdict.kind = VerdictKind::kDisagrees;
    result.verdict.findings = {finding};
    result.log = "log of " + std::to_string(index);
  } else if (index % 10 == 5) {
    result.state = CaseState::kUnsupported;
    result.note = "no";
  }
  return result;
}

RunReport ReportOf(int64_t cases, int64_t kept, const KnownFailures& known, bool* was_read) {
  JudgedRun judged(kept);
  for (int64_t i = 0; i < cases; ++i) judged.Add(i, CaseOf(i));
  FindingPlan plan;
  plan.backend = "canary";
  plan.load = [](int64_t) -> Result<LoadedCase> {
    return LoadedCase{*GeneratorByKind("operator")->make({}, 0), std::nullopt};
  };
  plan.path = [](int64_t index) { return "s/" + std::to_string(index) + ".tvec"; };
  plan.words = plan.path;
  RunReport run;
  const Result<Done> finished = judged.Finish(
      plan, known,
      [=](const CaseSink& sink) -> Result<Done> {
        *was_read = true;
        for (int64_t i = 0; i < cases; ++i) {
          const Result<Done> taken = sink(CaseOf(i));
          if (!taken) return taken;
        }
        return Done{};
      },
      run);
  EXPECT_TRUE(finished);
  return run;
}

std::string LinesOf(const RunReport& run) {
  std::string lines;
  EXPECT_TRUE(WriteJsonLines(run, [&](std::string_view text) {
    lines += text;
    return Done{};
  }));
  return lines;
}

KnownFailures Known() {
  const Result<KnownFailures> known =
      KnownFailures::Parse(kKnown, "known.json", "2026-01-01", "canary");
  EXPECT_TRUE(known) << known.error().message;
  return *known;
}

TEST(JudgedRun, IsReportedTheSameWhetherItKeepsItsCasesOrNot) {
  for (const KnownFailures& known : {KnownFailures(), Known()}) {
    bool was_read = false;
    const RunReport all = ReportOf(500, 500, known, &was_read);
    EXPECT_FALSE(was_read);
    EXPECT_EQ(all.cases.size(), 500u);
    const RunReport few = ReportOf(500, 60, known, &was_read);
    EXPECT_EQ(few.cases.size(), 60u);
    EXPECT_EQ(few.cases[0].vector, "s/3.tvec");  // what agrees is not kept
    EXPECT_EQ(LinesOf(few), LinesOf(all));
    EXPECT_TRUE(was_read);
    EXPECT_EQ(few.tally.Count(CaseState::kKnown), known.is_given() ? 50 : 0);
    EXPECT_EQ(few.tally.Count(CaseState::kDisagrees), known.is_given() ? 50 : 100);
    EXPECT_EQ(few.tally.states, all.tally.states);
    EXPECT_EQ(few.known.notes, all.known.notes);
    EXPECT_NE(RunToJunit(few).find("tests=\"500\""), std::string::npos);
    EXPECT_NE(RunToJunit(few).find("the first 60 vectors that do not agree"), std::string::npos);
    EXPECT_EQ(RunToJunit(all).find("that do not agree"), std::string::npos);
  }
}

TEST(JudgedRun, AsksForTheVectorsOfFindingsAlone) {
  JudgedRun judged(10);
  int64_t asked = 0;
  for (int64_t i = 0; i < 10'000; ++i) asked += judged.Add(i, CaseOf(i)) ? 1 : 0;
  // There are two groups. Each has its representative and the first others.
  EXPECT_EQ(asked, 2 * (kMembersMax + 1));
  EXPECT_EQ(judged.disagreeing(), 2000);
}

}  // namespace
}  // namespace assay::judged_run_test

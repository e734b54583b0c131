// SPDX-License-Identifier: Apache-2.0
// Tests which cases and findings of a run a file of known failures takes.
#include "apply_known.h"

#include <gtest/gtest.h>

#include "finding_groups.h"

namespace assay::apply_known_test {
namespace {

KnownFailures Known(const std::string& entries) {
  const std::string text =
      R"({"format": "assay known failures", "version": 1, "known": [)" + entries + "]}";
  Result<KnownFailures> known = KnownFailures::Parse(text, "k.json", "2026-11-26", "mlir");
  EXPECT_TRUE(known) << known.error().message;
  return *known;
}

Finding Wrong(Op op) {
  Finding finding;
  finding.op = op;
  finding.type = DType::kInt8;
  return finding;
}

CaseResult Disagreeing(const std::string& vector, std::vector<Finding> findings) {
  CaseResult result;
  result.vector = vector;
  result.state = CaseState::kDisagrees;
  result.verdict.findings = std::move(findings);
  return result;
}

// Marks a run of these cases, of which each suspicion is reported as it was seen.
RunReport Marked(const KnownFailures& known, std::vector<CaseResult> cases) {
  RunReport run;
  run.cases = std::move(cases);
  const std::vector<Suspicion> suspicions = GroupFindings(run.cases, Representative::kFirst);
  WorkedUp worked_up;
  for (const Suspicion& suspicion : suspicions) {
    ReportedFinding& reported = run.findings.emplace_back();
    reported.finding = suspicion.representative.finding;
    reported.seen = suspicion.seen;
    worked_up.signatures.push_back(KeyOf(reported));
  }
  EXPECT_TRUE(ApplyKnown(known, KnownSignatures(suspicions, worked_up, run), run));
  for (const CaseResult& result : run.cases) run.tally.Add(result);
  return run;
}

constexpr char kAdd[] = R"({"operator": "ADD", "reason": "r"})";

TEST(ApplyKnown, AVectorIsKnownIfEachOfItsFindingsIs) {
  Finding follows = Wrong(Op::kSub);
  follows.follows = "t1";
  const RunReport run = Marked(
      Known(kAdd),
      {Disagreeing("a", {Wrong(Op::kAdd)}), Disagreeing("b", {Wrong(Op::kAdd), Wrong(Op::kSub)}),
       Disagreeing("c", {Wrong(Op::kAdd), follows}), Disagreeing("d", {Wrong(Op::kMul)})});
  EXPECT_EQ(run.cases[0].state, CaseState::kKnown);
  EXPECT_EQ(run.cases[0].note, "r");
  EXPECT_EQ(run.cases[1].state, CaseState::kDisagrees);
  EXPECT_EQ(run.cases[2].state, CaseState::kKnown);
  EXPECT_EQ(run.cases[3].state, CaseState::kDisagrees);
}

TEST(ApplyKnown, AFindingIsKnownIfAllItsVectorsAre) {
  const KnownFailures known = Known(R"({"vector": "a", "reason": "r"})");
  const RunReport part =
      Marked(known, {Disagreeing("a", {Wrong(Op::kAdd)}), Disagreeing("b", {Wrong(Op::kAdd)})});
  EXPECT_EQ(part.cases[0].state, CaseState::kKnown);
  EXPECT_EQ(part.findings[0].known, "");
  const RunReport all = Marked(known, {Disagreeing("a", {Wrong(Op::kAdd)})});
  EXPECT_EQ(all.findings[0].known, "r");
}

// The findings are of one group: the operators share a fault.
TEST(ApplyKnown, AnOperatorThatIsNewInAKnownGroupIsTold) {
  const auto wrong_mode = [](Op op) {
    ReportedFinding reported;
    reported.finding = Wrong(op);
    reported.finding.type = DType::kFp16;
    reported.finding.expected = "nan";
    reported.cause.looks_like = {"wrong-nan-mode"};
    return reported;
  };
  RunReport run;
  run.findings = {wrong_mode(Op::kMaximum), wrong_mode(Op::kMinimum)};
  const std::string group = GroupByCause(run.findings)[0].name;
  const KnownFailures known =
      Known(R"({"group": ")" + group + R"(", "operators": ["MAXIMUM fp16"], "reason": "r"})");
  ApplyKnown(known, {}, run);
  EXPECT_EQ(run.findings[0].known, "r");
  EXPECT_EQ(run.findings[0].known_beside, "");
  EXPECT_EQ(run.findings[1].known, "");
  EXPECT_EQ(run.findings[1].known_beside, "MAXIMUM fp16 (r)");
  // The new finding comes first, also in reports.
  EXPECT_EQ(GroupByCause(run.findings)[0].findings, (std::vector<size_t>{1, 0}));
}

// The case blames two operators, and its smallest vector a third one.
TEST(ApplyKnown, CountsAndTableOfARunWithoutCasesAgree) {
  ReportedFinding add;
  add.finding = Wrong(Op::kAdd);
  RunReport run;
  run.findings = {add};
  run.tally.Add(Disagreeing("a", {Wrong(Op::kSub), Wrong(Op::kMul)}));
  run.tally.Add(Disagreeing("b", {Wrong(Op::kSub)}));
  std::map<std::string, Tally> tallies;
  tallies[KeyOf(add)].Add(Disagreeing("a", {Wrong(Op::kSub), Wrong(Op::kMul)}));
  ApplyKnown(Known(kAdd), tallies, run);
  const auto count = [](const StateCounts& counts, CaseState state) {
    return counts[static_cast<size_t>(state)];
  };
  EXPECT_EQ(run.tally.Count(CaseState::kDisagrees), 1);
  EXPECT_EQ(run.tally.Count(CaseState::kKnown), 1);
  const StateCounts& sub = run.tally.by_operator.at({Op::kSub, DType::kInt8});
  const StateCounts& mul = run.tally.by_operator.at({Op::kMul, DType::kInt8});
  EXPECT_EQ(count(sub, CaseState::kDisagrees), 1);
  EXPECT_EQ(count(sub, CaseState::kKnown), 1);
  EXPECT_EQ(count(mul, CaseState::kDisagrees), 0);
  EXPECT_EQ(count(mul, CaseState::kKnown), 1);
  EXPECT_EQ(run.tally.by_operator.size(), 2u);
}

TEST(KnownReports, ACaseCountsForItsFirstFindingThatIsNotKnown) {
  Finding follows = Wrong(Op::kAbs);
  follows.follows = "t1";
  ReportedFinding add;
  add.finding = Wrong(Op::kAdd);
  // The case that blames SUB first was minimized to ADD.
  const std::map<std::string, ReportedFinding> findings = {{KeyOf(add), add}};
  const std::map<std::string, std::string> signatures = {{Wrong(Op::kSub).Signature(), KeyOf(add)}};
  const KnownFailures file = Known(kAdd);
  const KnownReports known(file, signatures, findings);
  CaseResult result =
      Disagreeing("a", {Wrong(Op::kSub), follows, Wrong(Op::kMul), Wrong(Op::kNegate)});
  EXPECT_TRUE(known.PutNewFirst(result));
  EXPECT_EQ(result.verdict.findings[0].op, Op::kMul);
  EXPECT_EQ(result.verdict.findings[1].op, Op::kSub);
  EXPECT_FALSE(known.PutNewFirst(result));
  CaseResult only_known = Disagreeing("b", {Wrong(Op::kSub), follows});
  EXPECT_FALSE(known.PutNewFirst(only_known));
  CaseResult not_minimized = Disagreeing("c", {Wrong(Op::kAdd), Wrong(Op::kMul)});
  EXPECT_FALSE(known.PutNewFirst(not_minimized));
  EXPECT_FALSE(KnownReports({}, signatures, findings).PutNewFirst(only_known));
}

}  // namespace
}  // namespace assay::apply_known_test

// SPDX-License-Identifier: Apache-2.0
// Tests the comparison with an earlier report, and the history of runs.
#include "past_runs.h"

#include <gtest/gtest.h>

#include "console.h"
#include "json_lines.h"
#include "report_forms.h"
#include "run_changes.h"

namespace assay::past_runs_test {
namespace {

// Returns a run with one finding for each of these operators.
RunReport RunWith(std::initializer_list<Op> ops) {
  RunReport run;
  run.title = "toy";
  run.backend = "exec:toy";
  for (const Op op : ops) {
    ReportedFinding& reported = run.findings.emplace_back();
    reported.finding.op = op;
    reported.finding.type = DType::kInt32;
    reported.finding.violation = Violation::kValue;
    reported.vector = std::string(OperatorName(op)) + ".tvec";
  }
  run.tally.cases = 10;
  run.tally.states[static_cast<size_t>(CaseState::kDisagrees)] = std::ssize(run.findings);
  return run;
}

RunReport ComparedWith(RunReport run, const RunReport& earlier) {
  const Result<EarlierReport> since =
      EarlierReportFrom(RunToJsonLines(earlier), "old/report.jsonl");
  EXPECT_TRUE(since) << since.error().message;
  run.past.since = *since;
  return run;
}

TEST(PastRuns, NewGroupsComeFirstAndGoneGroupsAreListed) {
  const RunReport run = ComparedWith(RunWith({Op::kAdd, Op::kMul}), RunWith({Op::kSub, Op::kAdd}));
  const std::string page = RunToHtml(run);
  const size_t mul = page.find("id=\"group-mul"), add = page.find("id=\"group-add");
  ASSERT_NE(mul, std::string::npos);
  EXPECT_LT(mul, add);
  EXPECT_NE(page.find("1 group is new since <code>old/report.jsonl</code>"), std::string::npos);
  EXPECT_NE(page.find("<h2 id=\"gone\">"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"wrap\">SUB: wrong number</td>"), std::string::npos);
  const std::string text = RunToText(run);
  EXPECT_NE(text.find("since old/report.jsonl: 1 new group, 1 no longer found\n"
                      "  no longer found: SUB: wrong number [sub-wrong-number-"),
            std::string::npos)
      << text;
  EXPECT_LT(text.find("FAIL  MUL"), text.find("FAIL  ADD"));
  EXPECT_NE(text.find("], new\n"), std::string::npos);
  const std::string summary = RunToMarkdown(run);
  EXPECT_NE(summary.find("| **new** MUL: wrong number |"), std::string::npos) << summary;
  EXPECT_NE(summary.find("- SUB: wrong number\n"), std::string::npos) << summary;
  const std::string lines = RunToJsonLines(run);
  EXPECT_NE(lines.find(R"("since":{"file":"old/report.jsonl","gone":["sub-wrong-number-)"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find(R"("new":true)"), std::string::npos);
  EXPECT_NE(lines.find(R"("new":false)"), std::string::npos);
}

TEST(PastRuns, GroupIsTheSameIfItHasOneOfTheFindings) {
  RunReport run = ComparedWith(RunWith({Op::kAdd}), RunWith({Op::kAdd}));
  run.past.since->groups[0].name = "another-name";
  const auto groups = GroupByCause(run.findings);
  EXPECT_FALSE(IsNew(groups[0], run));
  EXPECT_TRUE(GoneGroups(groups, run).empty());
  run.past.since->groups[0].findings = {"another finding"};
  EXPECT_TRUE(IsNew(groups[0], run));
  EXPECT_EQ(GoneGroups(groups, run).size(), 1u);
}

TEST(PastRuns, ReportWithoutAnEarlierOneSaysNothingAboutIt) {
  const RunReport run = RunWith({Op::kAdd});
  EXPECT_EQ(RunToHtml(run).find("id=\"gone\""), std::string::npos);
  EXPECT_EQ(RunToText(run).find("since"), std::string::npos);
  EXPECT_EQ(RunToJsonLines(run).find("\"new\""), std::string::npos);
}

constexpr char kAdvice[] = "; correct the file, or choose another";

TEST(PastRuns, AnEarlierReportIsRefusedByLine) {
  const std::string head = "{\"run\":\"x\",\"backend\":\"y\"}\n{\"case\"\n";
  const auto refusal = [](const std::string& text) {
    return EarlierReportFrom(text, "f").error().message;
  };
  EXPECT_EQ(refusal(""), "f: is no report.jsonl of assay verify or assay fuzz");
  EXPECT_EQ(refusal("{\"run\":1}\n"),
            "f:1: is no line of a report: /run: is not a text" + std::string(kAdvice));
  EXPECT_EQ(refusal("[]\n"),
            "f:1: is no line of a report: it is no JSON object" + std::string(kAdvice));
  EXPECT_EQ(refusal(head + "{\"group\":\"g\"}\n"),
            "f:3: is no line of a report: lacks \"title\"" + std::string(kAdvice));
  EXPECT_EQ(refusal(head + R"({"group":"g","title":"t","seen":1,"findings":["a",2]})" + "\n"),
            "f:3: is no line of a report: /findings/1: is not a text" + std::string(kAdvice));
}

TEST(PastRuns, ADamagedHistoryIsRefusedInPlainWords) {
  const std::string line = HistoryLine(AsPastRun(RunWith({Op::kMul}), "2026-11-26"));
  const auto refusal = [&line](const std::string& from, const std::string& to) {
    std::string damaged = line;
    damaged.replace(damaged.find(from), from.size(), to);
    const auto history = HistoryFrom(line + damaged, "h");
    return history ? "no error" : history.error().message;
  };
  const std::string where = "h:2: is no line of a history: ", advice = kAdvice;
  EXPECT_EQ(refusal("\"date\"", "\"data\""), where + "lacks \"date\"" + advice);
  EXPECT_EQ(refusal("\"2026-11-26\"", "1"), where + "/date: is not a text" + advice);
  EXPECT_EQ(refusal("\"vectors\":", "\"vectors\":-"),
            where + "/vectors: -10 is less than 0" + advice);
  EXPECT_EQ(refusal("\"disagrees\":1", "\"disagrees\":null"), "no error");
  EXPECT_EQ(refusal("\"disagrees\":1", "\"disagrees\":\"1\""),
            where + "/cases/disagrees: is not a whole number of 64 bits" + advice);
  EXPECT_EQ(refusal("\"groups\":[", "\"groups\":[7,"), where + "/groups/0: is not a text" + advice);
  EXPECT_EQ(refusal("{\"format\"", "{{\"format\""), where + "it is no JSON object" + advice);
  EXPECT_EQ(refusal("\"version\":1", "\"version\":2"),
            where + "/version: this Assay reads only 1" + advice);
  EXPECT_EQ(refusal("assay history", "x"), where + "/format: is not \"assay history\"" + advice);
}

TEST(PastRuns, HistoryRoundTripsAndIgnoresHalfALine) {
  const PastRun run = AsPastRun(RunWith({Op::kMul, Op::kAdd}), "2026-11-26");
  EXPECT_EQ(run.groups.size(), 2u);
  EXPECT_LT(run.groups[0], run.groups[1]);
  const std::string line = HistoryLine(run);
  const Result<std::vector<PastRun>> history = HistoryFrom(line + line.substr(0, 40), "h");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(*history, std::vector<PastRun>{run});
  // Anything else would be lost when the history is written.
  for (const std::string& other :
       {std::string("my notes"), line + "my notes", line + "{\"a\":1}"}) {
    EXPECT_FALSE(HistoryFrom(other, "h")) << other;
  }
}

TEST(PastRuns, TheSameRunOnTheSameDayIsThereOnce) {
  std::vector<PastRun> history;
  const RunReport run = RunWith({Op::kMul});
  EXPECT_TRUE(AddToHistory(AsPastRun(run, "2026-11-25"), history));
  EXPECT_FALSE(AddToHistory(AsPastRun(run, "2026-11-25"), history));
  EXPECT_TRUE(AddToHistory(AsPastRun(run, "2026-11-26"), history));
  EXPECT_TRUE(AddToHistory(AsPastRun(RunWith({}), "2026-11-26"), history));
  EXPECT_EQ(history.size(), 3u);
}

TEST(PastRuns, KnownGroupsDoNotCountInAHistory) {
  RunReport run = RunWith({Op::kMul, Op::kAdd});
  run.findings[0].known = "since June";
  EXPECT_EQ(AsPastRun(run, "2026-11-25").groups.size(), 1u);
}

TEST(PastRuns, PageShowsTheTrendAndTheSettings) {
  RunReport run = RunWith({Op::kMul});
  run.past.history_file = "h.jsonl";
  (void)AddToHistory(AsPastRun(RunWith({Op::kMul, Op::kAdd}), "2026-11-25"), run.past.history);
  (void)AddToHistory(AsPastRun(run, "2026-11-26"), run.past.history);
  run.facts = {{"seed", "<7>"}};
  const std::string page = RunToHtml(run);
  EXPECT_NE(page.find("2 runs in <code>h.jsonl</code>"), std::string::npos);
  // The runs stand at the ends of the chart: two vectors disagree at the first, and one at the
  // last.
  EXPECT_NE(page.find("<g class=\"line-bad\"><polyline points=\"44,10 590,73\"/>"),
            std::string::npos);
  EXPECT_NE(page.find("<td>1</td><td>0 / 1</td></tr>"), std::string::npos);
  EXPECT_NE(page.find("<td><code>&lt;7&gt;</code></td>"), std::string::npos);
}

// Minimizing moves findings to other operators. The cells that count their vectors link to them.
TEST(PastRuns, CellsLinkToGroupsThatMinimizingNamedAfterOtherOperators) {
  RunReport run = RunWith({Op::kSub});
  run.findings[0].first_blamed = {{Op::kAdd, DType::kFp16}};
  run.tally.by_operator[{Op::kAdd, DType::kFp16}][static_cast<size_t>(CaseState::kDisagrees)] = 3;
  const std::string page = RunToHtml(run);
  EXPECT_NE(page.find("title=\"SUB: wrong number\">✗ 3</a>"), std::string::npos);
}

}  // namespace
}  // namespace assay::past_runs_test

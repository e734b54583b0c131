// SPDX-License-Identifier: Apache-2.0
// Tests the comparison of several runs on the same vectors.
#include "run_comparison.h"

#include <gtest/gtest.h>

#include "json_lines.h"
#include "report.h"

namespace assay::run_comparison_test {
namespace {

struct Case {
  const char* vector;
  CaseState state;
  Op op = Op::kAdd;
};

std::string ReportOf(const std::string& title, std::initializer_list<Case> cases,
                     std::initializer_list<Op> findings = {}) {
  RunReport run;
  run.title = title;
  run.backend = title;
  run.command = "assay verify suite --backend " + title;
  for (const Case& each : cases) {
    CaseResult result;
    result.vector = each.vector;
    result.operators = {{each.op, DType::kInt32}};
    result.state = each.state;
    if (each.state == CaseState::kUnsupported) result.refused = result.operators[0];
    if (each.state == CaseState::kDisagrees) {
      Finding& finding = result.verdict.findings.emplace_back();
      finding.op = each.op;
      finding.type = DType::kInt32;
    }
    run.tally.Add(result);
    run.cases.push_back(std::move(result));
  }
  for (const Op op : findings) {
    ReportedFinding& reported = run.findings.emplace_back();
    reported.finding.op = op;
    reported.finding.type = DType::kInt32;
    reported.seen = 2;
  }
  return RunToJsonLines(run);
}

RunComparison Compared(const std::vector<std::string>& reports) {
  RunComparer comparer;
  for (size_t i = 0; i < reports.size(); ++i) {
    const Result<Done> added = comparer.Add(reports[i], std::to_string(i));
    EXPECT_TRUE(added) << added.error().message;
  }
  return std::move(comparer).Finish();
}

constexpr CaseState kAgrees = CaseState::kAgrees, kDisagrees = CaseState::kDisagrees,
                    kUndecided = CaseState::kUndecided, kUnsupported = CaseState::kUnsupported;

TEST(RunComparison, CountsVectorsByTheirStates) {
  const RunComparison comparison = Compared({ReportOf("left", {{"z", kAgrees},
                                                               {"b", kDisagrees},
                                                               {"c", kAgrees},
                                                               {"d", kUndecided},
                                                               {"e", kDisagrees}}),
                                             ReportOf("right", {{"z", kDisagrees},
                                                                {"b", kDisagrees},
                                                                {"c", kDisagrees},
                                                                {"e", kUnsupported},
                                                                {"f", kAgrees}})});
  EXPECT_EQ(comparison.same, 1);  // b
  ASSERT_EQ(comparison.parted.size(), 1u);
  EXPECT_EQ(comparison.parted[0].count, 2);
  EXPECT_EQ(comparison.parted[0].first, "z") << "the first in the order of the run";
  ASSERT_EQ(comparison.others.size(), 3u);  // d, e, f
  const std::string text = ComparisonToText(comparison);
  EXPECT_NE(text.find("same state on all: 1; the backends part on 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2        agrees  disagrees  z\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1        undecided  not run      d\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1        not run    agrees       f\n"), std::string::npos) << text;
}

TEST(RunComparison, KnownFailureOfOnePartsThem) {
  const RunComparison comparison =
      Compared({ReportOf("left", {{"a", kAgrees}}), ReportOf("right", {{"a", CaseState::kKnown}})});
  EXPECT_EQ(comparison.parted.size(), 1u);
}

TEST(RunComparison, ShowsOperatorsWhoseStatesDiffer) {
  const RunComparison comparison = Compared(
      {ReportOf("left", {{"a", kAgrees, Op::kAdd}, {"b", kAgrees, Op::kMul}, {"c", kAgrees}}),
       ReportOf("right",
                {{"a", kAgrees, Op::kAdd}, {"b", kUnsupported, Op::kMul}, {"c", kAgrees}})});
  const std::string text = ComparisonToText(comparison);
  EXPECT_NE(text.find("MUL       i32   1✓  1–\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("ADD"), std::string::npos) << text;
}

// Such a finding blames no operator, and its operator in report.jsonl is UNKNOWN.
TEST(RunComparison, HasNoRowForWholeGraphs) {
  const RunComparison comparison =
      Compared({ReportOf("left", {{"a", kAgrees}, {"b", kAgrees, Op::kMul}}),
                ReportOf("right", {{"a", kDisagrees, Op::kUnknown}, {"b", kDisagrees, Op::kMul}})});
  const std::string text = ComparisonToText(comparison);
  EXPECT_NE(text.find("MUL       i32"), std::string::npos) << text;
  EXPECT_EQ(text.find("whole graph"), std::string::npos) << text;
}

TEST(RunComparison, JoinsGroupsByName) {
  const RunComparison comparison =
      Compared({ReportOf("left", {{"a", kAgrees}}, {Op::kMul}),
                ReportOf("middle", {{"a", kAgrees}}, {Op::kSub, Op::kAdd}),
                ReportOf("right", {{"a", kAgrees}}, {Op::kSub})});
  ASSERT_EQ(comparison.groups.size(), 3u);
  EXPECT_TRUE(comparison.groups[0].name.starts_with("sub-")) << "two runs have it";
  EXPECT_EQ(comparison.groups[0].seen, (std::vector<int64_t>{0, 2, 2}));
  for (const auto form : {ComparisonToText, ComparisonToJson, ComparisonToHtml}) {
    const std::string text = form(comparison);
    for (const SharedGroup& group : comparison.groups) {
      EXPECT_NE(text.find(group.name), std::string::npos) << text;
    }
    for (const char* title : {"left", "middle", "right"}) {
      EXPECT_NE(text.find(title), std::string::npos) << text;
    }
  }
}

TEST(RunComparison, MarkupInNamesIsText) {
  const std::string html = ComparisonToHtml(Compared(
      {ReportOf("<script>", {{"<b>", kAgrees}}), ReportOf("right", {{"<b>", kDisagrees}})}));
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("&lt;b&gt;"), std::string::npos);
}

TEST(RunComparison, RefusesWhatCannotBeCompared) {
  const std::string left = ReportOf("left", {{"a", kAgrees}});
  const auto error_after_left = [&](const std::string& text) {
    RunComparer comparer;
    EXPECT_TRUE(comparer.Add(left, "left"));
    const Result<Done> added = comparer.Add(text, "right");
    return added ? "" : added.error().message;
  };
  EXPECT_EQ(error_after_left(ReportOf("right", {{"b", kAgrees}})),
            "right: shares no vector with left");
  EXPECT_EQ(error_after_left(ReportOf("right", {{"a", kAgrees}, {"a", kAgrees}})),
            "right:3: a is there twice");
  EXPECT_EQ(error_after_left("{}\n").substr(0, 7), "right:1");
  const std::string right = ReportOf("right", {{"a", kAgrees}});
  EXPECT_EQ(error_after_left(right), "");
  std::string edited = right;
  edited.replace(edited.find("agrees\",\"outcome"), 6, "suspect");
  for (const std::string& text :
       {edited, right + "{\"case\":1}\n", right.substr(0, right.size() / 2)}) {
    EXPECT_EQ(error_after_left(text),
              "right: is damaged or was edited: its last line is not the SHA-256 of the others");
  }
  // A report of an older version has no such line.
  std::string older = right.substr(0, right.find("{\"sha256\""));
  older.replace(older.find("\"schema\":2"), 10, "\"schema\":1");
  EXPECT_EQ(error_after_left(older), "");
  EXPECT_EQ(error_after_left(older + "{\"case\":1}\n").substr(0, 7), "right:3");
}

}  // namespace
}  // namespace assay::run_comparison_test

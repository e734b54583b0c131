// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>

#include "clean_text.h"
#include "console.h"
#include "coverage_report.h"
#include "finding_text.h"
#include "golden.h"
#include "gtest/gtest.h"
#include "html_findings.h"
#include "html_script.h"
#include "json_lines.h"
#include "report_forms.h"

namespace assay::report_test {
namespace {

Finding AddFinding() {
  Finding finding;
  finding.oracle = "values";
  finding.violation = Violation::kValue;
  finding.rule = "ADD";
  finding.op = Op::kAdd;
  finding.type = DType::kFp32;
  finding.tensor = "out";
  finding.position = "[0,2,1]";
  finding.expected = "17.5";
  finding.got = "0";
  finding.allowed = "within 9.5e-07 of 17.5";
  finding.wrong_elements = 3;
  return finding;
}

Finding HostileFinding() {
  Finding finding;
  finding.oracle = "outcome";
  finding.violation = Violation::kCrash;
  finding.op = Op::kConv2d;
  finding.type = DType::kInt8;
  finding.step = 2;
  finding.tensor = "</td><script>alert('\"&\")</script>";
  finding.message = "signal 11\n\x01\x7f bad utf-8: \xff\xc0\x80 good: \xc3\xa9";
  finding.pass = "canonicalize, \x1b[31mSliceOp<T>::fold";
  finding.rewrites = "canonicalize: <AddZero>\x1b";
  return finding;
}

ReportedFinding HostileRefusal(const char* message) {
  ReportedFinding reported;
  reported.finding = HostileFinding();
  reported.finding.message = message;
  return reported;
}

CaseResult Case(std::string vector, CaseState state, std::vector<OperatorUse> operators) {
  CaseResult result;
  result.vector = std::move(vector);
  result.name = "a name";
  result.kind = "operator";
  result.state = state;
  result.operators = std::move(operators);
  return result;
}

// Returns a report with one case in every state, and two findings, one of them with hostile texts.
RunReport SampleRun() {
  const OperatorUse add = {Op::kAdd, DType::kFp32}, conv = {Op::kConv2d, DType::kInt8};
  RunReport run;
  run.title = "toy (<1.0>)";
  run.backend = "exec:toy";
  run.command = "assay verify suite --backend exec:toy";
  CaseResult agrees = Case("suite/0.tvec", CaseState::kAgrees, {add, conv});
  agrees.outcome = OutcomeKind::kValid;
  agrees.verdict.kind = VerdictKind::kAgrees;
  agrees.verdict.judged_elements = 24;
  agrees.verdict.undecided_elements = 2;
  CaseResult wrong = Case("suite/1.tvec", CaseState::kDisagrees, {add});
  wrong.outcome = OutcomeKind::kValid;
  wrong.verdict.kind = VerdictKind::kDisagrees;
  wrong.verdict.judged_elements = 12;
  Finding consequence = AddFinding();
  consequence.op = Op::kSub;
  consequence.tensor = "later";
  consequence.follows = "out";
  wrong.verdict.findings = {AddFinding(), consequence};
  CaseResult crash = Case("suite/2<&>.tvec", CaseState::kDisagrees, {conv});
  crash.outcome = OutcomeKind::kCrashed;
  crash.verdict.kind = VerdictKind::kDisagrees;
  crash.verdict.findings = {HostileFinding()};
  CaseResult open = Case("suite/3.tvec", CaseState::kUndecided, {conv});
  open.note = open.verdict.reason = "no sound rule reaches the outputs";
  CaseResult unsupported = Case("suite/4.tvec", CaseState::kUnsupported, {{Op::kConst, {}}});
  unsupported.note = "needs state";
  CaseResult bad = Case("suite/5.tvec", CaseState::kBadInput, {});
  bad.note = "suite/5.tvec: no test vector";
  CaseResult defect = Case("suite/6.tvec", CaseState::kDefect, {conv});
  defect.note = "worker process: signal 11 (Segmentation fault)";
  run.cases = {agrees, wrong, crash, open, unsupported, bad, defect};
  for (const CaseResult& result : run.cases) run.tally.Add(result);
  ReportedFinding first;
  first.finding = AddFinding();
  first.seen = 4;
  first.vector = "report/findings/ADD-1.tvec";
  first.replay = "assay verify report/findings/ADD-1.tvec --backend exec:toy";
  first.graph_text = "%out:fp32[2] = ADD(%a, %b)\n";
  first.graph_svg = "<?xml version=\"1.0\"?>\n<svg><text>ADD</text></svg>\n";
  ReportedFinding second;
  second.finding = HostileFinding();
  second.vector = "report/findings/CONV2D-2.tvec";
  second.replay = "assay verify report/findings/CONV2D-2.tvec --backend exec:toy";
  ReportedFinding third = first;
  third.repeats = false;
  run.findings = {first, second, third};
  run.counts = {{"flaky", 1}};
  run.suites = {"suite/"};
  run.folder = "report";
  run.replays["suite/1.tvec"] = "assay verify suite/1.tvec --backend exec:toy";
  return run;
}

TEST(Report, ForATerminal) { ExpectGolden("report.txt", RunToText(SampleRun())); }
TEST(Report, AsJsonLines) { ExpectGolden("report.jsonl", RunToJsonLines(SampleRun())); }
TEST(Report, AsJunit) { ExpectGolden("report.xml", RunToJunit(SampleRun())); }
TEST(Report, AsMarkdown) { ExpectGolden("summary.md", RunToMarkdown(SampleRun())); }
TEST(Report, AsHtml) { ExpectGolden("report.html", RunToHtml(SampleRun())); }

// A suspect is shown where there is one, with its reason before other reasons. JUnit skips it.
TEST(Report, ShowsSuspects) {
  const OperatorUse add = {Op::kAdd, DType::kFp32};
  RunReport run;
  run.title = "toy";
  for (int i = 0; i < 3; ++i) {
    run.cases.push_back(Case("open.tvec", CaseState::kUndecided, {add}));
    run.cases.back().note = "no sound rule";
  }
  run.cases.push_back(Case("suspect.tvec", CaseState::kSuspect, {add}));
  CaseResult& suspect = run.cases.back();
  suspect.note = "a finding if the backend declared plain-sums: ADD fp32: wrong value";
  suspect.verdict.findings = {AddFinding()};
  suspect.verdict.findings[0].rests_on = "plain-sums";
  for (const CaseResult& result : run.cases) run.tally.Add(result);
  const std::string text = RunToText(run), xml = RunToJunit(run), html = RunToHtml(run);
  EXPECT_EQ(text.find("total: 4 vectors on toy: 0 agrees, 0 disagrees, 1 suspect, 3 undecided\n"),
            0u)
      << text;
  EXPECT_NE(text.find("  agrees  disagrees  suspect  undecided"), std::string::npos) << text;
  EXPECT_LT(text.find("1  suspect: a finding if"), text.find("3  undecided: no sound")) << text;
  EXPECT_NE(xml.find("skipped=\"4\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("<skipped message=\"suspect: a finding if the backend declared"),
            std::string::npos)
      << xml;
  EXPECT_NE(html.find("<b class=\"suspect\">1</b>⁈ suspect"), std::string::npos) << html;
  const Result<CaseResult> read = CaseFromJson(CaseToJson(suspect));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->state, CaseState::kSuspect);
  EXPECT_EQ(read->verdict.findings[0].rests_on, "plain-sums");
  EXPECT_NE(RunToJsonLines(run).find("\"suspect\":1"), std::string::npos);
  // If there is none, only JSON says so.
  EXPECT_EQ(RunToText(SampleRun()).find("suspect"), std::string::npos);
  EXPECT_NE(RunToJsonLines(SampleRun()).find("\"suspect\":0"), std::string::npos);
}

TEST(Report, SaysWhichDeclarationAFindingRestsOn) {
  RunReport run;
  ReportedFinding& reported = run.findings.emplace_back();
  reported.finding = AddFinding();
  const std::string before = reported.finding.Signature();
  EXPECT_EQ(FindingText(reported.finding).find("declares"), std::string::npos);
  reported.finding.rests_on = "plain-sums";
  EXPECT_NE(reported.finding.Signature(), before);
  EXPECT_NE(RunToText(run).find("\n  rests on what the backend declares: plain-sums\n"),
            std::string::npos)
      << RunToText(run);
  EXPECT_NE(RunToHtml(run).find("<th>declarations it rests on</th><td><code>plain-sums<"),
            std::string::npos);
  EXPECT_NE(RunToJsonLines(run).find("\"rests_on\":\"plain-sums\""), std::string::npos);
  CaseResult wrong = Case("wrong.tvec", CaseState::kDisagrees, {});
  wrong.verdict.findings = {reported.finding};
  run.cases = {wrong};
  EXPECT_NE(RunToJunit(run).find("rests on what the backend declares: plain-sums"),
            std::string::npos);
}

TEST(Report, OfNothingIsNotClean) {
  RunReport run;
  run.title = "toy";
  EXPECT_EQ(RunToText(run),
            "total: 0 vectors on toy: 0 agrees, 0 disagrees\n0 elements judged, 0 undecided\n");
}

TEST(Report, SaysFirstThatNothingWasAnswered) {
  const std::string note = "no vector was answered";
  RunReport run;
  run.findings = {HostileRefusal("exit status 1"), HostileRefusal("exit status 1")};
  EXPECT_NE(RunToText(run).find(note), std::string::npos) << RunToText(run);
  // One wrong value is enough, and so is one vector that could be judged.
  run.findings[1].finding.violation = Violation::kValue;
  EXPECT_EQ(RunToText(run).find(note), std::string::npos);
  run.findings[1] = run.findings[0];
  run.tally.Add(Case("0.tvec", CaseState::kAgrees, {}));
  EXPECT_EQ(RunToText(run).find(note), std::string::npos);
}

TEST(Report, HeadlinesSayWhatTheBackendDidAndInWhichPass) {
  Finding finding;
  finding.violation = Violation::kOutcome;
  finding.got = "error";
  finding.pass = "tosa-to-linalg, SomePattern on tosa.add";
  EXPECT_EQ(FindingHeadline(finding), "whole graph: refused a valid graph in tosa-to-linalg");
  EXPECT_NE(FindingText(finding).find("\npass: " + finding.pass), std::string::npos);
  finding.pass = "";
  finding.message = "the rewritten graph breaks CAST/ERROR_IF/types: no such row";
  EXPECT_EQ(FindingHeadline(finding), "whole graph: made an invalid graph");
  finding.got = "unpredictable";
  EXPECT_EQ(FindingHeadline(finding), "whole graph: found a valid graph unpredictable");
  finding.got = "valid";
  finding.pass = "";
  EXPECT_EQ(FindingHeadline(finding), "whole graph: accepted an invalid graph");
  finding.violation = Violation::kType;
  for (const auto& [got, what] :
       {std::pair("i8[2,1]", "shape"), std::pair("i16[2]", "type"),
        std::pair("i16[1]", "type and shape"), std::pair("no value", "type")}) {
    finding.expected = "i8[2]";
    finding.got = got;
    EXPECT_EQ(FindingHeadline(finding), "whole graph: wrong " + std::string(what));
  }
  finding.expected = "2 outputs";
  finding.got = "1 outputs";
  EXPECT_EQ(FindingHeadline(finding), "whole graph: wrong number of outputs");
  FindingCause cause;
  cause.looks_like = {"swapped-operands"};
  EXPECT_EQ(CauseText(cause),
            "the same results come from swapped-operands, one of Assay's own seeded faults (SUB "
            "computes input2 - input1), which is a hint at the cause");
}

TEST(Report, CountsWhatIsUnsupportedWhereItWasRefused) {
  const OperatorUse add = {Op::kAdd, DType::kInt32}, conv = {Op::kConv2d, DType::kInt8};
  const auto count = [](const Tally& tally, const OperatorUse& use) {
    const auto row = tally.by_operator.find(use);
    return row == tally.by_operator.end()
               ? 0
               : row->second[static_cast<size_t>(CaseState::kUnsupported)];
  };
  Tally tally;
  CaseResult refused = Case("graph.tvec", CaseState::kUnsupported, {add, conv});
  refused.refused = conv;
  const Result<CaseResult> read = CaseFromJson(CaseToJson(refused));
  ASSERT_TRUE(read) << read.error().message;
  tally.Add(*read);
  tally.Add(Case("state.tvec", CaseState::kUnsupported, {add, conv}));
  tally.Add(Case("no.tvec", CaseState::kUnsupported, {}));
  EXPECT_EQ(count(tally, conv), 1);
  EXPECT_EQ(count(tally, add), 0);
  EXPECT_EQ(count(tally, {}), 1) << "the whole graph";
}

TEST(Report, NamesEveryDefectAndSaysWhereAllReasonsAre) {
  RunReport run;
  for (int i = 0; i < 40; ++i) {
    CaseResult result = Case(std::to_string(i) + ".tvec", CaseState::kUnsupported, {});
    result.note = "reason " + std::to_string(i / 2);
    run.tally.Add(result);
  }
  for (int i = 0; i < 20; ++i) {
    CaseResult defect = Case("lost-" + std::to_string(i), CaseState::kDefect, {});
    defect.note = "the worker process ended: signal 11";
    run.tally.Add(defect);
  }
  const std::string text = RunToText(run), html = RunToHtml(run), all = NotJudgedToText(run);
  for (int i = 0; i < 20; ++i) {
    const std::string name = "lost-" + std::to_string(i) + ":";
    EXPECT_NE(text.find(name), std::string::npos) << text;
    EXPECT_NE(html.find(name), std::string::npos) << name;
    EXPECT_NE(all.find("unsupported: reason " + std::to_string(i) + " "), std::string::npos) << all;
  }
  EXPECT_NE(text.find("and 20 other reasons; --report DIR lists all\n"), std::string::npos) << text;
  run.folder = "r";
  EXPECT_NE(RunToText(run).find("and 20 other reasons: r/not-judged.txt\n"), std::string::npos);
}

TEST(Report, TablesSayWholeGraphWhereAFindingNamesNoOperator) {
  CaseResult refused = Case("graph.tvec", CaseState::kDisagrees, {});
  Finding finding;
  finding.violation = Violation::kOutcome;
  refused.verdict.findings = {finding};
  RunReport run;
  run.cases = {refused};
  run.tally.Add(refused);
  EXPECT_NE(RunToText(run).find("\nwhole graph             any "), std::string::npos)
      << RunToText(run);
  EXPECT_NE(RunToHtml(run).find("<th>whole graph</th><td"), std::string::npos) << RunToHtml(run);
  EXPECT_EQ(FindingHeadline(finding), "whole graph: wrong outcome");
  finding.graph = "PAD, AVG_POOL2D";
  finding.type = DType::kFp16;
  EXPECT_EQ(FindingHeadline(finding), "PAD, AVG_POOL2D fp16: wrong outcome");
}

TEST(Report, CasesSurviveTheirLine) {
  for (const CaseResult& result : SampleRun().cases) {
    const std::string line = CaseToJson(result);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 0);
    const Result<CaseResult> read = CaseFromJson(line);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(CaseToJson(*read), line);
  }
}

TEST(Report, LinesThatAreNoCaseAreRefused) {
  const std::string good = CaseToJson(SampleRun().cases[0]);
  std::string unknown = good;
  unknown.replace(unknown.find("agrees"), 6, "maybe!");
  for (const std::string& line : {std::string(), std::string("{"), std::string("[1]"), unknown,
                                  good.substr(0, good.size() / 2)}) {
    EXPECT_FALSE(CaseFromJson(line)) << line;
  }
  CaseResult forged = SampleRun().cases[0];
  forged.verdict.judged_elements = INT64_MAX;
  EXPECT_FALSE(CaseFromJson(CaseToJson(forged)));
  forged = SampleRun().cases[1];
  forged.verdict.findings.clear();
  EXPECT_FALSE(CaseFromJson(CaseToJson(forged)));
}

TEST(Report, HoldsNoForeignMarkup) {
  const std::string html = RunToHtml(SampleRun());
  const auto count = [&html](std::string_view words) {
    int64_t number = 0;
    for (size_t at = html.find(words); at != html.npos; at = html.find(words, at + 1)) ++number;
    return number;
  };
  EXPECT_EQ(count("<script"), 1) << "only our own";
  EXPECT_EQ(count("<script>" + std::string(kReportScript) + "</script>"), 1);
  EXPECT_EQ(count("://"), 0) << "the page needs no network";
  EXPECT_EQ(html, CleanText(html)) << "the page is valid UTF-8";
  // The digest of the script, from `openssl dgst -sha256 -binary | base64` on the same bytes.
  EXPECT_EQ(count("; script-src 'sha256-3LzRvQ6QtDDAMxPhnm7eg+LD6T+ZOkX20hp9cNPXa5U=';"), 1)
      << html.substr(0, 600);
}

TEST(Report, LinksToFindingsByTheNamesOfTheirVectors) {
  std::vector<ReportedFinding> findings(4);
  findings[0].vector = "r/findings/ADD-1.tvec";
  findings[1].vector = "arm/<b>&\"test/";
  findings[2].vector = "other/ADD-1.tvec";
  findings[3].vector = "ADD-1-2.tvec";
  EXPECT_EQ(FindingIds(findings),
            (std::vector<std::string>{"finding-ADD-1", "finding--b---test", "finding-ADD-1-2",
                                      "finding-ADD-1-2-2"}));
}

// Returns the part of the page that shows the group of the first finding.
std::string FirstGroup(const std::string& html) {
  const size_t start = html.find("<details class=\"group\"");
  return html.substr(start, html.find("<details class=\"group\"", start + 1) - start);
}

TEST(Report, ShowsTheSmallestVectorOfAGroupAndListsTheOthers) {
  const std::string html = RunToHtml(SampleRun()), group = FirstGroup(html);
  EXPECT_NE(group.find("<h3>ADD: wrong number</h3> <span class=\"soft\">8 vectors, 2 findings<"),
            std::string::npos)
      << group;
  EXPECT_NE(group.find("<section class=\"finding item\" id=\"finding-ADD-1\" "
                       "data-operators=\"ADD\" data-type=\"fp32\">"),
            std::string::npos)
      << group;
  EXPECT_NE(group.find("<details class=\"other item\" id=\"finding-ADD-1-2\""), std::string::npos)
      << group;
  // The table of operators leads to the group.
  const size_t id = html.find("id=\"group-add-");
  ASSERT_NE(id, std::string::npos) << html;
  const std::string name = html.substr(id + 4, html.find('"', id + 4) - id - 4);
  EXPECT_NE(html.find("<td class=\"heat-2\" title=\"1 agrees, 1 disagrees\">"
                      "<span class=\"agrees\">✓ 1</span><span class=\"disagrees\">"
                      "<a href=\"#" +
                      name + "\" title=\"ADD: wrong number\">✗ 1</a>"),
            std::string::npos)
      << html;
}

TEST(Report, NamesTestCasesOfJunitBelowTheirSuite) {
  const auto expect_name = [](const std::vector<std::string>& suites, const std::string& vector,
                              const std::string& name) {
    RunReport run;
    run.suites = suites;
    run.cases.emplace_back().vector = vector;
    const std::string xml = RunToJunit(run);
    EXPECT_NE(xml.find(" name=\"" + name + "\""), std::string::npos) << xml;
  };
  expect_name({"/a/suite/"}, "/a/suite/graph/1.tvec", "graph/1.tvec");
  expect_name({"/a/suite"}, "/a/suites/1.tvec", "/a/suites/1.tvec");
  expect_name({"/a/1.tvec"}, "/a/1.tvec", "1.tvec");
  // Two suites may have files of one name.
  expect_name({"/a/suite", "/b/other/"}, "/b/other/1.tvec", "other/1.tvec");
  expect_name({"/a/suite", "/a/suite/graph"}, "/a/suite/graph/1.tvec", "graph/1.tvec");
}

TEST(Report, MarksKnownGroups) {
  RunReport run = SampleRun();
  for (ReportedFinding& reported : run.findings) reported.known = "a <reason>";
  const std::string group = FirstGroup(RunToHtml(run));
  EXPECT_NE(group.find(" data-known "), std::string::npos) << group;
  EXPECT_NE(group.find("≈ known: a &lt;reason&gt;</span></summary>"), std::string::npos) << group;
  EXPECT_EQ(FirstGroup(RunToHtml(SampleRun())).find("data-known"), std::string::npos);
}

TEST(CleanText, KeepsWhatIsUtf8AndReplacesTheRest) {
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(CleanText("a\tb\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "a\tb\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  for (const char* bad : {"\x01", "\x7f", "\xff", "\xc3", "\x80"}) {
    EXPECT_EQ(CleanText(bad), replacement);
  }
  EXPECT_EQ(CleanText("\xc0\x80"), replacement + replacement);                    // overlong
  EXPECT_EQ(CleanText("\xed\xa0\x80"), replacement + replacement + replacement);  // surrogate
  EXPECT_EQ(CleanText("\xef\xbf\xbe"), replacement + replacement + replacement);  // not in XML
  EXPECT_EQ(CleanText(std::string_view("\0", 1)), replacement);
}

// U+0085, U+009B (which begins an escape sequence), U+202E (text from right to left), U+2066,
// U+2028.
TEST(CleanText, ReplacesWhatTerminalsTakeForOrders) {
  for (const char* bad : {"\xc2\x80", "\xc2\x85", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6",
                          "\xe2\x80\xa8", "\xe2\x80\x8f", "\xd8\x9c"}) {
    EXPECT_EQ(CleanText(std::string("a") + bad + "b"),
              "a\xef\xbf\xbd"
              "b");
    EXPECT_EQ(OneLine(std::string("a") + bad + "b"),
              "a\xef\xbf\xbd"
              "b");
  }
  EXPECT_EQ(CleanText("\xc2\xa0\xe2\x80\xa7"), "\xc2\xa0\xe2\x80\xa7");
}

TEST(OneLine, IsOneLineAndCutBetweenCharacters) {
  EXPECT_EQ(OneLine("a\nb\t"), "a b");
  EXPECT_EQ(OneLine("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xc3\xa9...");
  EXPECT_EQ(OneLine("abc", 3), "abc");
}

}  // namespace
}  // namespace assay::report_test

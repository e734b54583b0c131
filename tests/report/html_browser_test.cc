// SPDX-License-Identifier: Apache-2.0
#include "child_process.h"
#include "files.h"
#include "finding_groups.h"
#include "gtest/gtest.h"
#include "report_forms.h"

namespace assay::html_browser_test {
namespace {

constexpr char kBrowser[] = "/usr/bin/chromium";

// Returns a report with a group of ADD and a group of CONV2D, which is known.
RunReport TwoGroups() {
  RunReport run;
  for (const Op op : {Op::kAdd, Op::kConv2d}) {
    ReportedFinding& reported = run.findings.emplace_back();
    reported.finding.op = op;
    reported.finding.type = DType::kFp32;
    reported.finding.violation = Violation::kValue;
    reported.finding.message = op == Op::kAdd ? "a word <b>" : "another";
    reported.vector = op == Op::kAdd ? "ADD.tvec" : "CONV2D.tvec";
    reported.seen = op == Op::kAdd ? 1 : 2;
    reported.known = op == Op::kAdd ? "" : "since June";
    reported.replay = "assay verify";
  }
  return run;
}

// Returns the page as it is after its script and then `driver` have run; "" on failure. A page with
// a driver has no policy, which would forbid the driver to run.
std::string Rendered(std::string html, const std::string& driver) {
  if (!driver.empty()) {
    const size_t policy = html.find("<meta http-equiv");
    html.erase(policy, html.find('\n', policy) - policy);
    html.insert(html.find("</body>"), "<script>" + driver + "</script>");
  }
  const std::string folder = testing::TempDir() + "assay_browser_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
  EXPECT_TRUE(MakeDirectories(folder));
  EXPECT_TRUE(WriteFileAtomically(folder + "/report.html", std::string_view(html)));
  const Result<ChildReport> report =
      RunChild({{kBrowser, "--headless", "--no-sandbox", "--disable-gpu",
                 "--disable-background-networking", "--user-data-dir=" + folder + "/profile",
                 "--dump-dom", "file://" + folder + "/report.html"},
                "",
                {},
                60},
               "", {60, size_t{4} << 20});
  return report ? report->output : "";
}

// Returns the opening tag of the group whose name begins with these words.
std::string GroupTag(const std::string& page, const std::string& words) {
  const size_t id = page.find("id=\"group-" + words);
  if (id == std::string::npos) return "none";
  const size_t start = page.rfind('<', id);
  return page.substr(start, page.find('>', start) - start);
}

class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (!FileExists(kBrowser)) GTEST_SKIP() << "no " << kBrowser;
  }
};

TEST_F(Browser, RunsTheScriptThatThePolicyNames) {
  const std::string page = Rendered(RunToHtml(TwoGroups()), "");
  EXPECT_NE(page.find("aria-live=\"polite\">2 of 2 groups</output>"), std::string::npos) << page;
  EXPECT_NE(page.find(">Copy</button>"), std::string::npos);
  EXPECT_NE(page.find("<option value=\"CONV2D\">CONV2D</option>"), std::string::npos);
}

TEST_F(Browser, HidesTheGroupsThatASearchDoesNotFind) {
  const std::string page =
      Rendered(RunToHtml(TwoGroups()),
               "const at = document.getElementById('search'); at.value = 'WORD wrong';"
               "at.dispatchEvent(new Event('input', {bubbles: true}));");
  EXPECT_EQ(GroupTag(page, "add").find("hidden"), std::string::npos) << GroupTag(page, "add");
  EXPECT_NE(GroupTag(page, "conv2d").find("hidden"), std::string::npos);
  EXPECT_NE(page.find(">1 of 2 groups</output>"), std::string::npos);
}

TEST_F(Browser, ShowsOnlyKnownGroupsAndSortsByVectors) {
  const std::string page =
      Rendered(RunToHtml(TwoGroups()),
               "for (const [id, value] of [['known', 'known'], ['order', 'vectors']]) {"
               "  const at = document.getElementById(id); at.value = value;"
               "  for (const type of ['input', 'change']) at.dispatchEvent(new Event(type, "
               "{bubbles: true}));"
               "}");
  EXPECT_NE(GroupTag(page, "add").find("hidden"), std::string::npos) << GroupTag(page, "add");
  EXPECT_EQ(GroupTag(page, "conv2d").find("hidden"), std::string::npos);
  EXPECT_LT(page.find("id=\"group-conv2d"), page.find("id=\"group-add"));
}

TEST_F(Browser, ShowsOnlyNewGroupsIfThereIsAnEarlierReport) {
  const std::string driver =
      "const at = document.getElementById('fresh'); at.value = 'new';"
      "at.dispatchEvent(new Event('input', {bubbles: true}));"
      "document.title = 'hidden ' + at.hidden;";
  RunReport run = TwoGroups();
  EXPECT_NE(Rendered(RunToHtml(run), driver).find("<title>hidden true"), std::string::npos);
  run.past.since = EarlierReport{"old", "", "", "", {{"another", "another", 1, {}}}};
  for (const FindingGroup& group : GroupByCause(run.findings)) {
    if (group.name.starts_with("add")) run.past.since->groups.push_back({group.name, "ADD", 1, {}});
  }
  const std::string page = Rendered(RunToHtml(run), driver);
  EXPECT_NE(page.find("<title>hidden false"), std::string::npos);
  EXPECT_NE(GroupTag(page, "add").find("hidden"), std::string::npos) << GroupTag(page, "add");
  EXPECT_EQ(GroupTag(page, "conv2d").find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace assay::html_browser_test

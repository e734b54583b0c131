// SPDX-License-Identifier: Apache-2.0
#include "html_picture.h"

#include "gtest/gtest.h"
#include "json_lines.h"
#include "report_forms.h"

namespace assay::html_picture_test {
namespace {

using State = WrongElement::State;

// Returns two elements of which the second is wrong.
WrongElements Small() {
  WrongElements wrong;
  wrong.tensor = "<out>: fp32[1,2]";
  wrong.rows = 1;
  wrong.columns = wrong.width = 2;
  wrong.elements = {{"1", "1", State::kRight, 0}, {"2", "nan", State::kWrong, {}}};
  wrong.histogram = {1, 1};
  return wrong;
}

TEST(Picture, WritesOutTheValuesOfFewElements) {
  const std::string html = WrongElementsToHtml(Small());
  for (const char* part :
       {"&lt;out&gt;: fp32[1,2]", "<caption>expected</caption>", "<caption>got</caption>",
        "<caption>difference</caption>", ">nan</td>", ">no number</td>",
        "title=\"row 0, column 1: expected 2, got nan, no number\""}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << html;
  }
  EXPECT_EQ(html.find("histogram"), std::string::npos) << "two elements need none";
}

TEST(Picture, ShowsSignsAndAHistogramOfManyElements) {
  WrongElements wrong = Small();
  wrong.rows = 10;
  wrong.columns = 40;
  wrong.row = 3;
  wrong.column = 8;
  wrong.width = 32;
  wrong.elements.assign(size_t{32} * 2, {"1", "1", State::kRight, 0});
  wrong.elements[33] = {"1", "4", State::kWrong, 3};
  wrong.elements[34] = {"1", "-4", State::kWrong, -5};
  wrong.elements[35] = {"1", "2", State::kUndecided, 1};
  wrong.histogram = {0, 397, 2, 0, 1};
  const std::string html = WrongElementsToHtml(wrong);
  EXPECT_NE(html.find("title=\"row 4, column 9: expected 1, got 4, +3\">+</td>"), std::string::npos)
      << html;
  EXPECT_NE(html.find("got -4, -5\">−</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("class=\"open\" title=\"row 4, column 11: expected 1, got 2, +1\">?</td>"),
            std::string::npos)
      << html;
  EXPECT_NE(html.find("<th>1 to 9</th><td>2</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("<th>100 to 999</th><td>1</td>"), std::string::npos) << html;
  EXPECT_EQ(html.find("<th>10 to 99</th>"), std::string::npos) << "there are none";
  EXPECT_NE(html.find("only the part around the first wrong element"), std::string::npos);
}

TEST(Picture, SurvivesItsLine) {
  EXPECT_EQ(WrongElementsFromJson(WrongElementsToJson(Small())), Small());
  EXPECT_EQ(WrongElementsFromJson(WrongElementsToJson(std::nullopt)), std::nullopt);
  for (const char* line : {"", "{", "{}", "[1]"}) {
    EXPECT_EQ(WrongElementsFromJson(line), std::nullopt) << line;
  }
}

TEST(Picture, IsInTheReportAndSurvivesResuming) {
  RunProgress progress;
  ReportedFinding& reported = progress.findings["key"];
  reported.wrong = Small();
  const Result<RunProgress> read = ProgressFromJson(ProgressToJson(progress));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->findings.at("key").wrong, Small());
  RunReport run;
  run.findings = {reported};
  EXPECT_NE(RunToHtml(run).find(WrongElementsToHtml(Small())), std::string::npos);
}

}  // namespace
}  // namespace assay::html_picture_test

// SPDX-License-Identifier: Apache-2.0
// Tests `verify --since` and `--history` on the command line.
#include "run_assay.h"

namespace assay::past_cli_test {
namespace {

class PastCli : public Cli {
 protected:
  void SetUp() override {
    const Ran ran =
        Run("gen --out s --kind operator --op SUB,INTDIV,GREATER,POW --seed 5 --count 40");
    ASSERT_EQ(ran.status, 0) << ran.errors;
  }

  // Returns the arguments that verify the suite; `report` is its folder and further options.
  static std::string Verify(const std::string& report) {
    return "verify s --backend canary:truncated-broadcast --report " + report;
  }
};

TEST_F(PastCli, SinceMarksNewGroupsAndListsThoseThatAreGone) {
  ASSERT_EQ(Run(Verify("sub --match SUB")).status, 1);
  ASSERT_EQ(Run(Verify("div --match INTDIV")).status, 1);
  const Ran same = ExpectStatus(1, Verify("same --match SUB --since sub"), "0 new groups");
  EXPECT_EQ(same.output.find("], new\n"), std::string::npos) << same.output;
  const Ran other = ExpectStatus(1, Verify("r --match INTDIV --since sub/report.jsonl"),
                                 "since sub/report.jsonl: 1 new group, 1 no longer found");
  EXPECT_NE(other.output.find("no longer found: SUB"), std::string::npos) << other.output;
  EXPECT_NE(other.output.find("], new\n"), std::string::npos) << other.output;
  EXPECT_NE(ReadTextFile(Path("r/report.html"))->find("id=\"gone\""), std::string::npos);
}

TEST_F(PastCli, BadEarlierReportsAreOneLine) {
  ASSERT_EQ(Run(Verify("r --match SUB")).status, 1);
  ExpectStatus(2, Verify("x --since none"), "none");
  ExpectStatus(2, Verify("r --since r"), "is the report that this run writes");
  ExpectStatus(2, "verify s --backend reference --since r",
               "r/report.jsonl: is a report on another backend: canary:truncated-broadcast");
  ASSERT_TRUE(WriteFileAtomically(Path("bad.jsonl"), std::string_view("{\"run\":1}\n")));
  ExpectStatus(2, Verify("x --since bad.jsonl"), "bad.jsonl:1: is no line of a report");
}

TEST_F(PastCli, HistoryGetsALineForEachDay) {
  const std::string history = "r --history h.jsonl --today ";
  const auto lines = [this] {
    const std::string text = *ReadTextFile(Path("h.jsonl"));
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const char* day : {"2026-11-25", "2026-11-25", "2026-11-26"}) {
    ASSERT_EQ(Run(Verify(history + day)).status, 1);
  }
  EXPECT_EQ(lines(), 2);
  EXPECT_NE(ReadTextFile(Path("h.jsonl"))->find("\"date\":\"2026-11-25\""), std::string::npos);
  EXPECT_NE(ReadTextFile(Path("r/report.html"))->find("2 runs in <code>h.jsonl</code>"),
            std::string::npos);
  // A kill may leave half a line, which the next run replaces.
  std::ofstream(Path("h.jsonl"), std::ios::app) << "{\"format\":\"assay hi";
  ASSERT_EQ(Run(Verify(history + "2026-11-27")).status, 1);
  EXPECT_EQ(lines(), 3);
  std::ofstream(Path("h.jsonl"), std::ios::app) << "{}\n";
  ExpectStatus(2, Verify(history + "2026-11-28"), "h.jsonl:4: is no line of a history");
  EXPECT_EQ(lines(), 4);
}

TEST_F(PastCli, HistoryHasADateWithoutToday) {
  ASSERT_EQ(Run(Verify("r --history h.jsonl")).status, 1);
  const std::string line = *ReadTextFile(Path("h.jsonl"));
  EXPECT_NE(line.find("\"date\":\"2"), std::string::npos) << line;
}

}  // namespace
}  // namespace assay::past_cli_test

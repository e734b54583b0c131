// SPDX-License-Identifier: Apache-2.0
// Tests the time of a run, which reports keep apart from its results.
#include "run_timing.h"

#include "files.h"
#include "gtest/gtest.h"
#include "json_lines.h"
#include "report.h"
#include "report_forms.h"

namespace assay::run_timing_test {
namespace {

RunTiming SampleTiming() {
  RunTiming timing;
  timing.start = "2026-11-26T08:00:00Z";
  timing.seconds = 75.5;
  timing.processes = 2;
  timing.cases = 3;
  timing.case_seconds = 1.25;
  timing.longest = {{"s/operator/a.tvec", 1.005}, {"s/operator/b.tvec", 0.02}};
  timing.machine = {"AMD EPYC", 2, int64_t{1} << 30, "Linux 6.1 x86_64"};
  timing.backend = "mlir (LLVM 22.1.8)";
  return timing;
}

RunReport SampleRun() {
  RunReport run;
  run.title = "toy";
  run.suites = {"s"};
  for (const char* name : {"s/operator/a.tvec", "s/operator/b.tvec", "s/operator/c.tvec"}) {
    CaseResult result;
    result.vector = name;
    result.state = CaseState::kAgrees;
    run.cases.push_back(result);
    run.tally.Add(result);
  }
  return run;
}

TEST(RunTiming, IsReadAsItWasWritten) {
  const std::string text = TimingToJson(SampleTiming());
  const Result<RunTiming> read = TimingFromJson(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, SampleTiming());
  EXPECT_NE(text.find("\"assay\": \""), std::string::npos) << text;
  for (const char* bad : {"", "[]", "{}", R"({"format": "assay timing", "version": 2})"}) {
    EXPECT_FALSE(TimingFromJson(bad)) << bad;
  }
}

TEST(RunTiming, KeepsTheLongestCasesAndCountsAll) {
  RunClock clock("toy");
  const auto cases = static_cast<int64_t>(RunClock::kLongestMax) + 500;
  for (int64_t i = 0; i < cases; ++i) {
    clock.Add("case " + std::to_string(i), static_cast<double>(i * 7 % cases));
  }
  const RunTiming timing = clock.Timing();
  EXPECT_EQ(timing.cases, cases);
  ASSERT_EQ(timing.longest.size(), RunClock::kLongestMax);
  EXPECT_EQ(timing.longest.front().seconds, static_cast<double>(cases - 1));
  EXPECT_EQ(timing.longest.back().seconds, 500);
}

TEST(RunTiming, AddsUpOverProcesses) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  ASSERT_TRUE(folder);
  RunClock first("toy");
  first.Add("a", 2);
  first.Save(folder->path());
  RunClock second("toy");
  second.GoOn(folder->path());
  second.Add("b", 3);
  const RunTiming timing = second.Timing();
  EXPECT_EQ(timing.processes, 2);
  EXPECT_EQ(timing.cases, 2);
  EXPECT_EQ(timing.case_seconds, 5);
  EXPECT_EQ(timing.longest, (std::vector<CaseTime>{{"b", 3}, {"a", 2}}));
  EXPECT_EQ(timing.start, first.Timing().start);
}

TEST(RunTiming, RepliesCarrySeconds) {
  std::string reply = WithSeconds(R"({"case":"a"})", std::chrono::steady_clock::now());
  EXPECT_TRUE(TakeSeconds(reply));
  EXPECT_EQ(reply, R"({"case":"a"})");
  EXPECT_FALSE(TakeSeconds(reply));
  std::string odd = "a\nb";
  EXPECT_FALSE(TakeSeconds(odd));
}

TEST(RunTiming, IsInJunitAndHtmlOnlyIfItIsThere) {
  RunReport run = SampleRun();
  const std::string lines = RunToJsonLines(run);
  const std::string junit = RunToJunit(run);
  EXPECT_EQ(junit.find("time"), std::string::npos) << junit;
  EXPECT_EQ(RunToHtml(run).find("75.5"), std::string::npos);
  run.timing = SampleTiming();
  EXPECT_EQ(RunToJsonLines(run), lines);
  const std::string timed = RunToJunit(run);
  for (const char* part :
       {"timestamp=\"2026-11-26T08:00:00\" time=\"75.500\"",
        "name=\"operator/a.tvec\" time=\"1.005\" />", "name=\"operator/b.tvec\" time=\"0.020\" />",
        "name=\"operator/c.tvec\" />"}) {
    EXPECT_NE(timed.find(part), std::string::npos) << part << "\n" << timed;
  }
  EXPECT_NE(RunToHtml(run).find("1 min 15 s for 3 vectors, started 2026-11-26T08:00:00Z, in 2 "
                                "processes one after the other; 2 cores of AMD EPYC, 1024 MiB"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::run_timing_test

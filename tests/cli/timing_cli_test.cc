// SPDX-License-Identifier: Apache-2.0
// Tests where the clock is in reports of verify and fuzz, and where it is not.
#include "run_assay.h"
#include "run_timing.h"

namespace assay::timing_cli_test {
namespace {

class TimingCli : public Cli {
 protected:
  RunTiming Timing(const std::string& folder) {
    const Result<RunTiming> timing = TimingFromJson(*ReadTextFile(Path(folder + "/timing.json")));
    EXPECT_TRUE(timing) << timing.error().message;
    return timing ? *timing : RunTiming{};
  }
};

TEST_F(TimingCli, IsInItsOwnFileInJunitAndInHtml) {
  ASSERT_EQ(Run("gen --out s --count 12 --kind operator").status, 0);
  WriteScript("slow", "sleep 0.1; echo no >$1/step-0-refused.txt");
  for (const char* command : {"verify s --backend exec:./slow --report r",
                              "fuzz --kind operator --budget 4 --backend exec:./slow --out r"}) {
    EXPECT_EQ(Run(command).status, 1);
    const RunTiming timing = Timing("r");
    EXPECT_GE(timing.cases, 4);
    EXPECT_GE(timing.case_seconds, 0.4);
    EXPECT_GT(timing.seconds, 0.2);
    EXPECT_GT(timing.machine.cores, 0);
    auto files = Content("r");
    EXPECT_NE(files.at("report.html").find("started " + timing.start), std::string::npos);
    if (files.contains("report.xml")) {
      EXPECT_NE(files.at("report.xml").find("timestamp="), std::string::npos);
    }
    for (const char* name : {"report.jsonl", "report.txt", "summary.md"}) {
      EXPECT_EQ(files.at(name).find(timing.start.substr(0, 16)), std::string::npos) << name;
    }
    // The same run without the clock removes the file.
    fs::remove(Path("r/progress.json"));
    EXPECT_EQ(Run(std::string(command) + " --reproducible").status, 1);
    files = Content("r");
    EXPECT_FALSE(files.contains("timing.json"));
    EXPECT_EQ(files.at("report.html").find("started "), std::string::npos);
    fs::remove_all(Path("r"));
  }
}

TEST_F(TimingCli, AddsUpOverAResumedRun) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6 --profile INT --ext none").status, 0);
  WriteScript("backend",
              "echo >>runs.txt; [ -e calm ] || [ $(wc -l <runs.txt) -lt 5 ] || exec sleep 1000\n"
              "echo no >$1/step-0-refused.txt");
  const std::string verify = "verify s --backend exec:./backend --jobs 1 --report r";
  const pid_t pid = Start(verify);
  EXPECT_TRUE(WaitFor([&] {
    const auto text = ReadTextFile(Path("runs.txt"));
    return text && std::count(text->begin(), text->end(), '\n') > 4;
  }));
  kill(-pid, SIGKILL);
  Status(pid);
  const RunTiming before = Timing("r");
  std::ofstream(Path("calm")) << "";
  EXPECT_EQ(Run(verify + " --resume").status, 1);
  const RunTiming timing = Timing("r");
  EXPECT_EQ(timing.processes, 2);
  EXPECT_EQ(timing.start, before.start);
  EXPECT_GT(timing.seconds, before.seconds);
  EXPECT_GT(timing.cases, before.cases);
  // A new run starts its time again.
  EXPECT_EQ(Run(verify).status, 1);
  EXPECT_EQ(Timing("r").processes, 1);
  EXPECT_EQ(Timing("r").cases, 6);
}

}  // namespace
}  // namespace assay::timing_cli_test

// SPDX-License-Identifier: Apache-2.0
// Tests runs that end early, by a signal or a full disk, and go on.
#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>
#include <random>

#include "rounds.h"
#include "run_assay.h"

namespace assay::resume_cli_test {
namespace {

// The number of kills for each command. By hand, set ASSAY_KILLS to more.
int KillCount() {
  const char* kills = std::getenv("ASSAY_KILLS");
  return kills == nullptr ? Rounds(10) : std::atoi(kills);
}

class ResumeCli : public Cli {
 protected:
  using Files = std::map<std::string, std::string>;

  // Kills runs of a command at random moments and lets them go on, until there were enough kills
  // and the last run has finished. Compares the folder `out` with `whole` whenever one finishes.
  void KillAndResume(const std::string& command, const std::string& out, const Files& whole,
                     double seconds) {
    std::mt19937 random(20261126);
    int kills = 0, finished = 0, launches = 0;
    while (kills < KillCount() || !finished) {
      const pid_t pid = Start(command + " --resume");
      ++launches;
      const double part = static_cast<double>(random()) / static_cast<double>(random.max());
      std::this_thread::sleep_for(std::chrono::duration<double>(part * seconds));
      int status = 0;
      const bool is_last = kills >= KillCount();
      const bool ended = waitpid(pid, &status, is_last ? 0 : WNOHANG) != 0;
      if (!ended) {
        kill(-pid, SIGKILL);
        Status(pid);
        ++kills;
        continue;
      }
      ASSERT_TRUE(WIFEXITED(status));
      ASSERT_EQ(WEXITSTATUS(status), 1) << *ReadTextFile(Path("err.txt"));
      ExpectSame(Content(out), whole);
      ++finished;
      if (kills < KillCount()) fs::remove_all(Path(out));
    }
    std::printf("%d kills, %d launches, %d finished runs compared\n", kills, launches, finished);
  }

  // Runs a command without disturbance. Returns the seconds that it takes.
  double Time(const std::string& command) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(Run(command).status, 1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  // Starts a run on a backend that refuses vectors and hangs at the fifth run, which is of the
  // third vector. Kills it there.
  void KillAtTheThird(const std::string& command) {
    WriteScript("backend",
                "echo >>runs.txt; [ -e hang ] && [ $(wc -l <runs.txt) -gt 4 ] && exec sleep 1000\n"
                "echo no >$1/step-0-refused.txt");
    std::ofstream(Path("hang")) << "";
    const pid_t pid = Start(command);
    EXPECT_TRUE(WaitFor([&] { return Runs() > 4; }));
    kill(-pid, SIGKILL);
    Status(pid);
    fs::remove(Path("hang"));
    fs::remove(Path("runs.txt"));
  }

  int64_t Runs() const {
    const auto text = ReadTextFile(Path("runs.txt"));
    return text ? std::count(text->begin(), text->end(), '\n') : 0;
  }
};

TEST_F(ResumeCli, KilledVerifyGoesOnToTheSameReport) {
  const std::string count = std::to_string(Rounds(400));
  ASSERT_EQ(Run("gen --out s --kind graph --kind operator --count " + count).status, 0);
  ASSERT_TRUE(WriteFileAtomically(
      Path("known.json"), std::string_view(R"({"format": "assay known failures", "version": 1,
        "known": [{"operator": "SUB", "type": "fp32", "reason": "swapped"}]})")));
  const std::string verify =
      "verify s --backend canary:swapped-operands --known known.json --today 2026-11-26 "
      "--minimize --shard 0/2 --reproducible --report r";
  const double seconds = Time(verify + " --jobs 2");
  const Files whole = Content("r");
  EXPECT_FALSE(whole.contains("unfinished.jsonl"));
  fs::remove_all(Path("r"));
  KillAndResume(verify + " --jobs 2", "r", whole, seconds);
}

TEST_F(ResumeCli, KilledFuzzGoesOnToTheSameReport) {
  const std::string fuzz =
      "fuzz --backend canary:swapped-operands --seed 4 --out f --reproducible --budget " +
      std::to_string(Rounds(600));
  const double seconds = Time(fuzz + " --jobs 2");
  const Files whole = Content("f");
  EXPECT_FALSE(whole.contains("unfinished.jsonl"));
  fs::remove_all(Path("f"));
  KillAndResume(fuzz + " --jobs 2", "f", whole, seconds);
}

TEST_F(ResumeCli, KilledVerifyKeepsWhatIsFinished) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6 --profile INT --ext none").status, 0);
  const std::string verify = "verify s --backend exec:./backend --jobs 1 --reproducible --report r";
  KillAtTheThird(verify);
  const std::string journal = *ReadTextFile(Path("r/unfinished.jsonl"));
  EXPECT_EQ(std::count(journal.begin(), journal.end(), '\n'), 3) << journal;
  ExpectStatus(2, verify,
               "r: holds an unfinished run; --resume goes on with it, or remove "
               "r/unfinished.jsonl to start again");
  ExpectStatus(2, verify + " --resume --match ADD", "r: holds another run: assay verify s ");
  ExpectStatus(2, verify + " --resume --cpu-seconds 7 --repeat 2", "r: holds another run: ");
  ASSERT_EQ(Run("gen --out t --kind graph --count 6 --seed 2").status, 0);
  fs::rename(Path("s"), Path("kept"));
  fs::rename(Path("t"), Path("s"));
  ExpectStatus(2, verify + " --resume", "r: holds a run on other vectors: the files have changed");
  fs::remove_all(Path("s"));
  fs::rename(Path("kept"), Path("s"));
  EXPECT_EQ(Runs(), 0);
  // The last line is left from a kill.
  std::ofstream(Path("r/unfinished.jsonl"), std::ios::app) << "{\"sha256\":\"12";
  const Ran ran = Run(verify + " --resume");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.errors.find("r: goes on behind 2 vectors"), std::string::npos) << ran.errors;
  EXPECT_EQ(Runs(), 8);
  const Files resumed = Content("r");
  EXPECT_FALSE(resumed.contains("unfinished.jsonl"));
  EXPECT_EQ(Run(verify).status, 1);
  ExpectSame(Content("r"), resumed);
  ExpectStatus(2, "verify s --backend reference --resume", "--resume: needs --report DIR");
}

TEST_F(ResumeCli, RefusesAJournalThatWasEdited) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6 --profile INT --ext none").status, 0);
  const std::string verify = "verify s --backend exec:./backend --jobs 1 --reproducible --report r";
  KillAtTheThird(verify);
  std::string journal = *ReadTextFile(Path("r/unfinished.jsonl"));
  const size_t at = journal.find("\"disagrees\"");
  ASSERT_NE(at, std::string::npos);
  journal.replace(at, 11, "\"agrees\"   ");
  ASSERT_TRUE(WriteFileAtomically(Path("r/unfinished.jsonl"), journal));
  ExpectStatus(2, verify + " --resume", "r/unfinished.jsonl:2: is damaged or was edited");
}

// The first line is that of the run, the others are of another one.
TEST_F(ResumeCli, RefusesTheResultsOfAnotherRun) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6 --profile INT --ext none").status, 0);
  const std::string verify = "verify s --backend exec:./backend --jobs 1 --reproducible --report r";
  KillAtTheThird(verify);
  std::string journal = *ReadTextFile(Path("r/unfinished.jsonl"));
  const size_t at = journal.find("exec:./backend\"");
  ASSERT_NE(at, std::string::npos) << journal;
  journal.insert(at + 14, " --repeat 2");
  ASSERT_TRUE(WriteFileAtomically(Path("r/unfinished.jsonl"), journal));
  ExpectStatus(2, verify + " --resume --repeat 2",
               "r/unfinished.jsonl:2: is damaged or was edited");
}

// Several processes may record into one folder.
TEST_F(ResumeCli, RecordingRemovesWhatKilledRunsLeftUnlessSomebodyWrites) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6").status, 0);
  const std::string verify = "verify s --backend reference --record k --report r --resume";
  ASSERT_EQ(Run(verify).status, 0);
  const Files whole = Content("k");
  const std::string left = "." + std::to_string(getpid()) + ".tmp/answer.json";
  const std::string first = AnyFile("k/vectors", "answer.json");
  const std::string keys[] = {Path(FolderOf(first) + left),
                              Path(FolderOf(first) + "/again-1" + left),
                              Path("k/vectors/" + std::string(64, '0') + left)};
  const auto plant = [&keys] {
    for (const std::string& key : keys) {
      fs::create_directories(FolderOf(key));
      std::ofstream(key) << "half";
    }
  };
  plant();
  {
    const Descriptor other(open(Path("k").c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_EQ(flock(other, LOCK_SH), 0);
    ASSERT_EQ(Run(verify).status, 0);
    for (const std::string& key : keys) EXPECT_TRUE(fs::exists(key)) << key;
    ExpectStatus(0, "verify s --backend recorded:k", "6 agrees");
  }
  ASSERT_EQ(Run(verify).status, 0);
  ExpectSame(Content("k"), whole);
  for (const std::string& key : keys) EXPECT_FALSE(fs::exists(FolderOf(key))) << key;
  // Vectors of another round are written in the same way.
  fs::remove_all(Path(FolderOf(first)));
  fs::create_directory(Path("n"));
  fs::create_directories(Path("n/vectors/" + std::string(64, '0') + left));
  EXPECT_EQ(Run("verify s --backend recorded:k --next n").status, 3);
  const std::string asked = std::string(FileNameOf(FolderOf(first)));
  EXPECT_EQ(*ListDirectory(Path("n/vectors")), std::vector<std::string>{asked});
}

TEST_F(ResumeCli, KilledRecordingsGoOnToTheSameAnswers) {
  ASSERT_EQ(Run("gen --out s --kind graph --kind operator --count 200").status, 0);
  const std::string verify =
      "verify s --backend canary:swapped-operands --reproducible --jobs 2 --report ";
  const double seconds = Time(verify + "whole --record recorded");
  std::mt19937 random(20261126);
  for (int kills = 0; kills < KillCount();) {
    const pid_t pid = Start(verify + "r --record k --resume");
    const double part = static_cast<double>(random()) / static_cast<double>(random.max());
    std::this_thread::sleep_for(std::chrono::duration<double>(part * seconds));
    const bool ended = waitpid(pid, nullptr, WNOHANG) != 0;
    if (!ended && kill(-pid, SIGKILL) == 0) ++kills;
    if (!ended) Status(pid);
    if (ended) fs::remove_all(Path("r"));
  }
  EXPECT_EQ(Run(verify + "r --record k --resume").status, 1);
  ExpectSame(Content("k"), Content("recorded"));
}

// A backend that never answers must not leave its failures to the next run.
TEST_F(ResumeCli, ForgetsABackendThatNeverAnswered) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 30 --profile INT --ext none").status, 0);
  WriteScript("backend", "exit 3");
  for (const char* command : {"verify s --backend exec:./backend --report r",
                              "fuzz --backend exec:./backend --budget 30 "
                              "--out r"}) {
    EXPECT_EQ(Run(command).status, 1);
    EXPECT_FALSE(fs::exists(Path("r/unfinished.jsonl"))) << command;
  }
}

TEST_F(ResumeCli, InterruptedFuzzReportsWhatItHasAndGoesOn) {
  WriteScript("slow", "[ -e fast ] || sleep 0.05; echo no >$1/step-0-refused.txt");
  const std::string fuzz =
      "fuzz --backend exec:./slow --profile INT --kind operator --budget 60 --reproducible --out ";
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove_all(Path("f"));
    fs::remove(Path("fast"));
    const pid_t pid = Start(fuzz + "f --jobs 2");
    const auto cases = [&] {
      const auto text = ReadTextFile(Path("f/unfinished.jsonl"));
      return text ? std::count(text->begin(), text->end(), '\n') : 0;
    };
    EXPECT_TRUE(WaitFor([&] { return cases() > 5; }));
    kill(signal == SIGINT ? -pid : pid, signal);
    const int status = Status(pid);
    ASSERT_TRUE(WIFEXITED(status)) << *ReadTextFile(Path("err.txt"));
    EXPECT_EQ(WEXITSTATUS(status), 1) << *ReadTextFile(Path("err.txt"));
    for (const char* report : {"f/report.txt", "f/report.html", "f/report.jsonl"}) {
      EXPECT_NE(ReadTextFile(Path(report))->find("interrupted: the findings of the last "),
                std::string::npos)
          << *ReadTextFile(Path(report));
    }
    ExpectStatus(2, fuzz + "f", "f: holds an unfinished run; --resume goes on with it");
    ExpectStatus(2, fuzz + "f --resume --seed 9", "f: holds another run: assay fuzz ");
    std::ofstream(Path("fast")) << "";
    EXPECT_EQ(Run(fuzz + "f --jobs 1 --resume").status, 1);
    const Files resumed = Content("f");
    fs::remove_all(Path("f"));
    EXPECT_EQ(Run(fuzz + "f --jobs 2").status, 1);
    ExpectSame(Content("f"), resumed);
  }
}

// Returns the number of operators and types that all vectors of a run agree on.
int64_t AgreedRows(const std::string& report) {
  const std::string words = "besides ";
  const size_t at = report.find(words);
  return at == report.npos ? 0 : std::stoll(report.substr(at + words.size()));
}

TEST_F(ResumeCli, GuidedFuzzReachesMoreAndGoesOn) {
  const std::string fuzz =
      "fuzz --backend canary:swapped-operands --profile INT --kind operator --kind graph "
      "--reproducible --out ";
  EXPECT_EQ(Run(fuzz + "in-order --budget 60").status, 1);
  EXPECT_EQ(Run(fuzz + "whole --budget 60 --guided --jobs 2").status, 1);
  EXPECT_GT(AgreedRows(*ReadTextFile(Path("whole/report.txt"))),
            AgreedRows(*ReadTextFile(Path("in-order/report.txt"))) * 5 / 4);
  // The choice of a round does not change when the run goes on, even if its file is lost.
  EXPECT_EQ(Run(fuzz + "parts --budget 20 --guided").status, 1);
  fs::remove(Path("parts/guide.json"));
  EXPECT_EQ(Run(fuzz + "parts --budget 60 --guided --resume").status, 1);
  EXPECT_EQ(*ReadTextFile(Path("parts/guide.json")), *ReadTextFile(Path("whole/guide.json")));
  const auto head = [](const std::string& report) {
    return report.substr(0, report.find("\nFAIL"));
  };
  EXPECT_EQ(head(*ReadTextFile(Path("parts/report.txt"))),
            head(*ReadTextFile(Path("whole/report.txt"))));
  ExpectStatus(2, fuzz + "whole --budget 80 --resume", "whole: holds another run: assay fuzz ");
  std::ofstream(Path("whole/guide.json")) << R"({"rounds": [{"cases": [1024], "items": []}]})";
  ExpectStatus(2, fuzz + "whole --budget 80 --guided --resume",
               "whole/guide.json: /rounds/0/cases/0: 1024 is more than 1023");
}

// The signal comes while findings are minimized, when all cases are there.
TEST_F(ResumeCli, FuzzThatIsInterruptedWhileItMinimizesGoesOn) {
  WriteScript("backend",
              "[ -e fast ] || [ $(wc -l <f/unfinished.jsonl) -le 12 ] || { echo >>runs.txt; sleep "
              "0.2; }; echo no >$1/step-0-refused.txt");
  const std::string fuzz =
      "fuzz --backend exec:./backend --profile INT --kind operator --budget 12 --reproducible "
      "--out f";
  const pid_t pid = Start(fuzz + " --jobs 2");
  EXPECT_TRUE(WaitFor([&] { return Runs() > 4; }));
  kill(pid, SIGTERM);
  const int status = Status(pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const std::string report = *ReadTextFile(Path("f/report.txt"));
  EXPECT_NE(report.find("interrupted: the findings of the last 12 cases"), std::string::npos);
  EXPECT_NE(report.find("total: 12 vectors"), std::string::npos) << report;
  std::ofstream(Path("fast")) << "";
  EXPECT_EQ(Run(fuzz + " --resume").status, 1);
  const Files resumed = Content("f");
  fs::remove_all(Path("f"));
  EXPECT_EQ(Run(fuzz).status, 1);
  ExpectSame(Content("f"), resumed);
}

// The kill comes when the first round has written its findings, and not yet its progress.
TEST_F(ResumeCli, RoundThatWasKilledAtItsEndComesAgain) {
  WriteScript("backend", "echo why >&2; echo no >$1/step-0-refused.txt");
  const std::string fuzz =
      "fuzz --backend exec:./backend --profile INT --kind operator --op ADD,ABS --budget 12 "
      "--reproducible --out f";
  EXPECT_EQ(Run(fuzz).status, 1);
  const Files whole = Content("f");
  EXPECT_NE(AnyFile("f/findings", ".log"), "");
  fs::remove(Path("f/progress.json"));
  EXPECT_EQ(Run(fuzz + " --resume").status, 1);
  ExpectSame(Content("f"), whole);
}

// The findings of a partial report are not minimized, so that their names are not those at the end.
TEST_F(ResumeCli, InterruptedVerifyLeavesNoFileOfItsOwn) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 12 --profile INT --ext none").status, 0);
  WriteScript("slow", "[ -e fast ] || sleep 0.05; echo why >&2; echo no >$1/step-0-refused.txt");
  const std::string verify = "verify s --backend exec:./slow --minimize --reproducible --report r";
  const pid_t pid = Start(verify);
  const auto cases = [&] {
    const auto text = ReadTextFile(Path("r/unfinished.jsonl"));
    return text ? std::count(text->begin(), text->end(), '\n') : 0;
  };
  EXPECT_TRUE(WaitFor([&] { return cases() > 4; }));
  kill(pid, SIGTERM);
  Status(pid);
  EXPECT_NE(ReadTextFile(Path("r/report.txt"))->find("partial: "), std::string::npos);
  std::ofstream(Path("fast")) << "";
  EXPECT_EQ(Run(verify + " --resume").status, 1);
  const Files resumed = Content("r");
  fs::remove_all(Path("r"));
  EXPECT_EQ(Run(verify).status, 1);
  ExpectSame(Content("r"), resumed);
}

// The signal comes while the first finding is minimized. Its vector is written as small as it has
// become, and the run that goes on leaves no trace of it.
TEST_F(ResumeCli, InterruptedVerifyWritesTheSmallestVectorsThatItHas) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 4 --seed 3 --profile INT --ext none").status, 0);
  WriteScript("backend",
              "[ -e fast ] || [ $(wc -l <r/unfinished.jsonl) -le 4 ] || { echo >>runs.txt; sleep "
              "0.1; }; echo no >$1/step-0-refused.txt");
  const std::string verify =
      "verify s --backend exec:./backend --minimize --reproducible --report r";
  const pid_t pid = Start(verify);
  EXPECT_TRUE(WaitFor([&] { return Runs() > 7; }));
  kill(pid, SIGINT);
  const int status = Status(pid);
  ASSERT_TRUE(WIFEXITED(status)) << *ReadTextFile(Path("err.txt"));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const std::string report = *ReadTextFile(Path("r/report.txt"));
  EXPECT_NE(report.find("partial: interrupted: findings are as small as the run has made them"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("the worker that minimized the vector ended: interrupted after "),
            std::string::npos)
      << report;
  const std::string smaller = AnyFile("r/findings", ".tvec");
  EXPECT_TRUE(smaller.starts_with("r/findings/not-minimized-")) << smaller;
  std::ofstream(Path("fast")) << "";
  ExpectStatus(1, "verify " + smaller + " --backend exec:./backend", "FAIL");
  EXPECT_EQ(Run(verify + " --resume").status, 1);
  const Files resumed = Content("r");
  fs::remove_all(Path("r"));
  EXPECT_EQ(Run(verify).status, 1);
  ExpectSame(Content("r"), resumed);
}

// A vector that is lost, because somebody killed its worker twice, gets another chance.
TEST_F(ResumeCli, RunsLostVectorsAgain) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6 --profile INT --ext none").status, 0);
  WriteScript("backend",
              "[ -e calm ] || echo >>runs.txt\n[ -e calm ] || [ $(wc -l <runs.txt) -gt 2 ] || kill "
              "-9 $PPID\n[ -e calm ] || [ $(wc -l <runs.txt) -lt 6 ] || exec sleep 1000\n"
              "echo no >$1/step-0-refused.txt");
  const std::string verify = "verify s --backend exec:./backend --jobs 1 --reproducible --report r";
  const pid_t pid = Start(verify);
  EXPECT_TRUE(WaitFor([&] { return Runs() > 5; }));
  kill(-pid, SIGKILL);
  Status(pid);
  const std::string journal = *ReadTextFile(Path("r/unfinished.jsonl"));
  EXPECT_EQ(journal.find("\"index\":0"), std::string::npos) << journal;
  EXPECT_NE(journal.find("\"index\":1"), std::string::npos) << journal;
  std::ofstream(Path("calm")) << "";
  EXPECT_EQ(Run(verify + " --resume").status, 1);
  EXPECT_EQ(ReadTextFile(Path("r/report.txt"))->find("lost"), std::string::npos);
  const Files resumed = Content("r");
  EXPECT_EQ(Run(verify).status, 1);
  ExpectSame(Content("r"), resumed);
}

// A limit of the file size stands for a full disk: the journal ends in the middle of a line.
TEST_F(ResumeCli, GoesOnAfterAFullDisk) {
  ASSERT_EQ(Run("gen --out s --kind graph --kind operator --count 400").status, 0);
  const std::string verify = "verify s --backend canary:swapped-operands --reproducible --report r";
  ASSERT_EQ(Run(verify).status, 1);
  const Files whole = Content("r");
  fs::remove_all(Path("r"));
  const Ran full = RunShell("ulimit -f 20; $ASSAY " + verify);
  EXPECT_EQ(full.status, 3) << full.errors;
  EXPECT_EQ(full.errors, "assay: r/unfinished.jsonl: cannot write: File too large\n");
  EXPECT_GT(fs::file_size(Path("r/unfinished.jsonl")), 10000u);
  EXPECT_EQ(Run(verify + " --resume").status, 1);
  ExpectSame(Content("r"), whole);
}

}  // namespace
}  // namespace assay::resume_cli_test

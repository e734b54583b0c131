// SPDX-License-Identifier: Apache-2.0
// Tests suites and runs on the command line: folders, missing files, two runs at a time,
// interrupts.
#include "json_text.h"
#include "run_assay.h"

namespace assay::suite_cli_test {
namespace {

class SuiteCli : public Cli {
 protected:
  static constexpr char kGen[] = "gen --out s --kind graph --kind operator --count 40 --jobs 2";

  // Makes the suite that a run leaves if it is killed after its first vectors. Its suite.json is
  // incomplete, and the file `removed` is missing.
  void MakeIncomplete(const std::string& removed) {
    ASSERT_EQ(Run("gen --out begun --kind graph --kind operator --count 40 --jobs 1").status, 0);
    const std::string text = *ReadTextFile(Path("begun/suite.json"));
    const pid_t pid = Start("gen --out s --kind graph --kind operator --count 40 --jobs 1");
    ASSERT_TRUE(WaitFor([&] { return fs::exists(Path("s/suite.json")); }));
    kill(-pid, SIGKILL);
    Status(pid);
    fs::remove_all(Path("s/graph"));
    fs::remove_all(Path("s/operator"));
    fs::copy(Path("begun/graph"), Path("s/graph"));
    fs::copy(Path("begun/operator"), Path("s/operator"));
    fs::remove(Path(removed));
    ASSERT_NE(ReadTextFile(Path("s/suite.json"))->find("\"incomplete\""), std::string::npos);
  }
};

TEST_F(SuiteCli, RefusesAFolderThatIsNotEmpty) {
  fs::create_directories(Path("s"));
  std::ofstream(Path("s/notes.txt")) << "mine";
  ExpectStatus(2, kGen, "s: is not empty, and holds no suite: there is notes.txt");
  ExpectStatus(2, std::string(kGen) + " --force", "there is notes.txt");
  EXPECT_EQ(Content("s").size(), 1u);
  fs::remove(Path("s/notes.txt"));
  ExpectStatus(0, kGen, "40 vectors in s");
  ExpectStatus(2, kGen, "s: holds a suite already; --force replaces it");
}

TEST_F(SuiteCli, SaysHowManyTypeRowsASmallCountReaches) {
  const std::string gen = "gen --kind operator --op ADD,SUB,MUL,ABS --out ";
  ExpectStatus(0, gen + "few --count 3", "type rows asked for: ");
  const Ran few = Run(gen + "less --count 2");
  EXPECT_NE(few.output.find(" reached, no vector of "), std::string::npos) << few.output;
  EXPECT_NE(few.output.find("; a larger --count reaches more, and no --count makes "),
            std::string::npos)
      << few.output;
  const Ran all = Run("gen --kind operator --op ABS --type i32 --count 10 --out all");
  EXPECT_NE(all.output.find("type rows asked for: 1 of 1 reached\n"), std::string::npos)
      << all.output;
  // Without --count, and without an operator that is asked for, there is nothing to say.
  for (const char* words : {"--op ABS --type i32", "--count 3"}) {
    const Ran ran = Run(std::string("gen --kind operator --force --out all ") + words);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(ran.output.find("type rows"), std::string::npos) << ran.output;
  }
}

TEST_F(SuiteCli, WritesAReportToNoFolderOfOtherFiles) {
  ASSERT_EQ(Run(kGen).status, 0);
  const std::string verify = "verify s --backend reference --report r";
  fs::create_directories(Path("r/photos"));
  std::ofstream(Path("r/letter.txt")) << "mine";
  for (const std::string more : {"", " --resume", " --minimize", " --backend reference:template"}) {
    ExpectStatus(2, verify + more, "r: is not empty, and holds no report: there is letter.txt");
    EXPECT_EQ(Content("r").size(), 1u);
  }
  ExpectStatus(0, verify + " --force", "0 disagrees");
  EXPECT_EQ(*ReadTextFile(Path("r/letter.txt")), "mine");
  // It is a report now, and an empty folder may become one.
  ExpectStatus(0, verify, "0 disagrees");
  ExpectStatus(0, verify + " --resume --minimize", "0 disagrees");
  fs::create_directories(Path("empty"));
  const std::string two =
      "verify s --backend reference --backend reference:template --report empty";
  ExpectStatus(0, two, "0 disagrees");
  fs::remove(Path("empty/comparison.json"));
  fs::remove(Path("empty/comparison.html"));
  fs::remove(Path("empty/comparison.txt"));
  ExpectStatus(0, two, "0 disagrees");
  // A run that was killed at once has left a folder.
  fs::create_directories(Path("begun/findings"));
  ExpectStatus(0, "verify s --backend reference --report begun", "0 disagrees");
}

TEST_F(SuiteCli, NoCommandWritesAReportToAFolderOfOtherFiles) {
  ASSERT_EQ(Run(kGen).status, 0);
  for (const std::string shard : {"0", "1"}) {
    ASSERT_EQ(
        Run("verify s --backend reference --report s" + shard + " --shard " + shard + "/2").status,
        0);
  }
  ASSERT_EQ(Run("verify s --backend reference --report whole").status, 0);
  ASSERT_EQ(Run("verify s --backend reference:template --report other").status, 0);
  fs::create_directories(Path("r"));
  std::ofstream(Path("r/letter.txt")) << "mine";
  const std::string graph = AnyFile("s/operator", ".tvec");
  for (const std::string& command :
       {std::string("fuzz --backend reference --budget 1 --out r"),
        std::string("merge s0 s1 --report r"), std::string("compare whole other --report r"),
        "model " + graph + " --backend reference --report r",
        std::string("backend traits reference --report r")}) {
    ExpectStatus(2, command,
                 "r: is not empty, and holds no report: there is letter.txt; choose another\n");
    EXPECT_EQ(Content("r").size(), 1u) << command;
  }
  // The reports of all commands may be replaced.
  fs::remove(Path("r/letter.txt"));
  for (const char* command :
       {"backend traits reference --report r", "compare whole other --report r",
        "merge s0 s1 --report r", "fuzz --backend reference --budget 1 --out r"}) {
    EXPECT_NE(Run(command).status, 2) << command;
  }
}

TEST_F(SuiteCli, MakesTheNetworkThatIsAskedFor) {
  ASSERT_EQ(Run("gen --out s --network gru@4,bf16,lattice --count 2").status, 0);
  const Ran shown = Run("show s/network/network-000001.tvec");
  EXPECT_NE(shown.output.find("gru@4,bf16,lattice"), std::string::npos) << shown.output;
  EXPECT_EQ(Run("gen --out t --network gru@x").status, 2);
  const Ran other = Run("gen --out t --network gru --kind graph");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.errors.find("--network: is for kind network"), std::string::npos);
}

TEST_F(SuiteCli, ReplacesTheFilesOfASuiteAndNoOthers) {
  ASSERT_EQ(Run(kGen).status, 0);
  const auto first = Content("s");
  const std::string other = "gen --out s --kind stateful --count 5 --force";
  std::ofstream(Path("s/graph/mine.txt")) << "mine";
  ExpectStatus(2, other, "there is also graph/mine.txt");
  EXPECT_EQ(Content("s").size(), first.size() + 1);
  fs::remove(Path("s/graph/mine.txt"));
  ExpectStatus(0, other, "5 vectors in s");
  EXPECT_EQ(Content("s").size(), 6u);
  EXPECT_FALSE(fs::exists(Path("s/graph")));
  ExpectStatus(0, std::string(kGen) + " --force", "40 vectors in s");
  ExpectSame(Content("s"), first);
}

TEST_F(SuiteCli, SaysWhichVectorsNoManifestLists) {
  ASSERT_EQ(Run("gen --out s/inner --kind graph --count 7").status, 0);
  ASSERT_EQ(Run("gen --out t --kind operator --count 3").status, 0);
  fs::rename(Path("t/suite.json"), Path("s/suite.json"));
  fs::rename(Path("t/operator"), Path("s/operator"));
  for (const char* command : {"verify s --backend reference", "coverage s"}) {
    const Ran ran = Run(command);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_NE(ran.errors.find("s: 7 vectors in this folder that s/suite.json does not list, the "
                              "first is inner/graph/graph-000000.tvec"),
              std::string::npos)
        << ran.errors;
  }
}

TEST_F(SuiteCli, IncompleteSaysWhatIsMissingAndIsCompletedWithTheSameBytes) {
  MakeIncomplete("s/operator/operator-000007.tvec");
  std::ofstream(Path("s/graph/graph-000003.tvec.99999999.tmp")) << "half";
  const std::string missing =
      "s: the suite is incomplete: 39 vectors of 40 cases are there, the first without one is "
      "operator/operator-000007.tvec; `assay gen --seed 1 --kind graph --kind operator --level 8K "
      "--count 40 --out s --resume` completes it";
  const Ran verified = ExpectStatus(3, "verify s --backend reference --report r", missing);
  EXPECT_NE(verified.output.find("total: 39 vectors"), std::string::npos) << verified.output;
  for (const char* report : {"r/report.txt", "r/report.html", "r/report.jsonl", "r/report.xml"}) {
    EXPECT_NE(ReadTextFile(Path(report))->find("the suite is incomplete"), std::string::npos);
  }
  ExpectStatus(1, "verify s --backend canary:swapped-operands", missing);
  ExpectStatus(3, "coverage s", missing);
  ExpectStatus(2, kGen, "s: holds an incomplete suite; --resume completes it");
  ExpectStatus(2, "gen --out s --kind graph --count 40 --resume", "s: holds a part of another");
  // A file that was cut off is written again.
  fs::resize_file(Path("s/graph/graph-000005.tvec"), 100);
  // So is one that is whole, but not what the command makes.
  std::ofstream(Path("s/graph/graph-000006.tvec"), std::ios::app) << "x";
  ExpectStatus(0, std::string(kGen) + " --resume", "40 vectors in s");
  ExpectSame(Content("s"), Content("begun"));
  ExpectStatus(0, "verify s --backend reference", "total: 40 vectors");
  const auto complete = Content("s");
  ExpectStatus(0, std::string(kGen) + " --resume", "s: is complete: 40 vectors; nothing is left");
  ExpectSame(Content("s"), complete);
}

TEST_F(SuiteCli, CompleteIsResumedWithoutAChange) {
  // Removes what is there, makes a suite and resumes it with these options, and with other ones.
  const auto expect = [this](const std::string& options, const std::string& other) {
    fs::remove_all(Path("s"));
    ASSERT_EQ(Run("gen --out s " + options).status, 0);
    const auto made = Content("s");
    const auto time = fs::last_write_time(Path("s/suite.json"));
    const std::string resume = "gen --out s --resume ";
    ExpectStatus(0, resume + options, "s: is complete: ");
    ExpectStatus(2, resume + other, "s: holds a complete suite of other options; ");
    EXPECT_EQ(fs::last_write_time(Path("s/suite.json")), time) << options;
    ExpectSame(Content("s"), made);
  };
  const std::string some = "--kind operator --op ADD,ABS,SUB --count ";
  expect(some + "40", some + "41");
  expect(some + "40", some + "40 --seed 2");
  expect(some + "40", "--kind operator --op ADD,ABS --count 40");
  expect(some + "40", "--kind graph --op ADD,ABS,SUB --count 40");
  expect(some + "40", some + "40 --packed");
  expect(some + "40 --packed", some + "41 --packed");
  expect(some + "40 --match ADD", some + "40 --match SUB");
  expect(some + "40 --shard 1/2", some + "40 --shard 0/2");
  expect(some + "40 --shard 1/2 --packed", some + "40 --shard 1/3 --packed");
  expect(some + "300 --smoke", some + "300");
  // A suite with a file that was changed or is missing is not complete.
  fs::remove(Path(AnyFile("s", ".tvec")));
  ExpectStatus(2, "gen --out s --resume " + some + "300 --smoke", ": cannot ");
}

TEST_F(SuiteCli, OfLostVectorsIsIncomplete) {
  ASSERT_EQ(Run(kGen).status, 0);
  std::string text = *ReadTextFile(Path("s/suite.json"));
  // This is the text that gen writes if both workers of a case were killed.
  text.insert(text.rfind('}'),
              ", \"incomplete\": {\"command\": \"assay gen\", \"kinds\": [\"graph\", "
              "\"operator\"], \"cases\": 41, \"lost\": [\"graph/graph-000020.tvec\"]}");
  ASSERT_TRUE(WriteFileAtomically(Path("s/suite.json"), text));
  ExpectStatus(
      3, "verify s --backend reference",
      "s: the suite is incomplete: 1 vector is lost, the first is graph/graph-000020.tvec");
}

// A number of a file that no type of ours holds is named as the file's fault.
TEST_F(SuiteCli, NumbersThatDoNotFitAreBadInput) {
  ExpectStatus(0, "gen --out s --kind operator --op ADD --count 1", "");
  ExpectStatus(0, "verify s --backend reference --record r", "");
  const Json suite = JsonFrom(*ReadTextFile(Path("s/suite.json")));
  const uint64_t vast = std::numeric_limits<uint64_t>::max();
  const std::pair<const char*, Json> fields[] = {
      {"format", vast},
      {"seed", -1},
      {"spec", {int64_t{1} << 32, 0, 2}},
      {"counts", {{"operator", vast}}},
      {"shard", {{"index", vast}, {"count", vast}}},
      {"packs", {{{"file", "a.tvecs"}, {"sha256", "0"}, {"vectors", vast}}}}};
  for (const auto& [name, value] : fields) {
    Json edited = suite;
    edited[name] = value;
    ASSERT_TRUE(WriteFileAtomically(Path("s/suite.json"), JsonText(edited)));
    ExpectStatus(2, "verify s --backend reference", "assay: s/suite.json: ");
  }
  ASSERT_TRUE(WriteFileAtomically(Path("s/suite.json"), JsonText(suite)));
  const std::string answer = AnyFile("r", "answer.json");
  std::string text = *ReadTextFile(Path(answer));
  text.insert(text.find('[', text.find("\"shape\"")) + 1, std::to_string(vast) + ",");
  ASSERT_TRUE(WriteFileAtomically(Path(answer), text));
  ExpectStatus(2, "verify s --backend recorded:r", ": bad shape");
}

// Workers are killed one after the other. The lost vectors are named, and the suite is not reported
// as complete.
TEST_F(SuiteCli, NamesWhatKilledWorkersLose) {
  // The leak check at the end of a sanitized program is a child process, too.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  const std::string many = " --kind graph --kind operator --count 400 --jobs 1";
  ASSERT_EQ(Run("gen --out whole" + many).status, 0);
  const auto run_and_kill = [&](const std::string& arguments, const std::string& words) {
    const pid_t pid = Start(arguments);
    const std::string process = std::to_string(pid);
    const std::string children = "/proc/" + process + "/task/" + process + "/children";
    int status = 0;
    bool killing = true;
    while (waitpid(pid, &status, WNOHANG) == 0) {
      if (!killing) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      // The first process may be the guardian, which ends the children of killed processes.
      pid_t worker = 0;
      std::ifstream pids(children);
      while (killing && pids >> worker) {
      }
      if (worker != 0) kill(worker, SIGKILL);
      const auto errors = ReadTextFile(Path("err.txt"));
      killing = killing && (!errors || errors->find(words) == std::string::npos);
    }
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3) << *ReadTextFile(Path("err.txt"));
  };
  run_and_kill("gen --out s" + many, "the worker process ended: signal 9");
  const std::string said = *ReadTextFile(Path("err.txt"));
  EXPECT_NE(said.find("assay: generating "), std::string::npos) << said;
  EXPECT_EQ(said.find("defect"), std::string::npos) << said;
  ExpectStatus(3, "verify s --backend reference", "s: the suite is incomplete: ");
  ExpectStatus(0, "gen --out s --resume" + many, "400 vectors in s");
  ExpectSame(Content("s"), Content("whole"));
  WriteScript("hang", "exec sleep 1000");
  run_and_kill("verify s --backend exec:./hang --jobs 1 --shard 0/100", "never said");
  const std::string verified = *ReadTextFile(Path("out.txt"));
  EXPECT_NE(verified.find("lost: the worker process ended: signal 9 (Killed) (first: s/"),
            std::string::npos)
      << verified;
}

TEST_F(SuiteCli, PrintsNumberAndSizeBeforeItWritesThemAll) {
  const pid_t pid = Start("gen --out s --kind graph --kind operator");
  const auto said = [&] { return *ReadTextFile(Path("out.txt")); };
  EXPECT_TRUE(WaitFor([&] { return fs::exists(Path("s/suite.json")); }));
  kill(-pid, SIGKILL);
  Status(pid);
  EXPECT_NE(said().find(" cases of graph operator, about "), std::string::npos) << said();
  EXPECT_NE(said().find(" MB in s (--count N"), std::string::npos) << said();
}

// The folder is locked exactly as long as a process writes to it.
TEST_F(SuiteCli, TwoRunsDoNotShareAFolder) {
  for (const char* command :
       {"gen --out s --count 1000000", "fuzz --out s --backend reference --budget 1h"}) {
    fs::remove_all(Path("s"));
    const pid_t pid = Start(command);
    const bool gen = std::string(command).starts_with("gen");
    ASSERT_TRUE(
        WaitFor([&] { return fs::exists(Path(gen ? "s/suite.json" : "s/progress.json")); }));
    const std::string other =
        gen ? "gen --out s --count 3" : "fuzz --out s --backend reference --budget 3 --resume";
    ExpectStatus(2, other, "s: process " + std::to_string(pid) + " writes into this folder");
    kill(-pid, SIGKILL);
    Status(pid);
    EXPECT_TRUE(WaitFor([&] { return Run(other).errors.find("process") == std::string::npos; }));
  }
  ASSERT_EQ(Run("gen --out t --count 2 --kind graph").status, 0);
  fs::create_directory(Path("r"));
  const Result<FolderLock> lock = FolderLock::Take(Path("r"));
  for (const char* command : {"verify t --backend reference --report r", "plan generate --out r"}) {
    ExpectStatus(2, command, "r: process " + std::to_string(getpid()) + " writes into this folder");
  }
}

// The workers of a killed process hold its lock a little longer. Its parent may not have waited for
// it.
TEST_F(SuiteCli, WaitsForTheWorkersOfAKilledRun) {
  ASSERT_EQ(Run("gen --out s --count 2 --kind graph").status, 0);
  fs::create_directory(Path("r"));
  for (const bool is_waited_for : {true, false}) {
    const pid_t pid = fork();
    if (pid == 0) {
      const Result<FolderLock> lock = FolderLock::Take(Path("r"));
      if (fork() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        _exit(0);
      }
      _exit(lock ? 0 : 1);
    }
    siginfo_t info;
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
    if (is_waited_for) Status(pid);
    ExpectStatus(0, "verify s --backend reference --report r", "total: 2 vectors");
    if (!is_waited_for) Status(pid);
  }
}

// A killed process may not be waited for yet, and another one may have its number by now: that of
// this process, which runs. The files that the command does not write stay.
TEST_F(SuiteCli, RemovesWhatKilledProcessesLeftBehindWhoeverHasTheirNumbers) {
  const std::string mine = "." + std::to_string(getpid()) + ".tmp", dead = ".99999999.tmp";
  ASSERT_EQ(Run("gen --out s --count 2 --kind graph").status, 0);
  const struct {
    std::string command, out, file;
  } cases[] = {
      {"verify s --backend reference --report r --force", "r/", "report.txt"},
      {"verify s --backend reference --report r --force", "r/",
       "findings/add-fp32-value-1a2b3c4d.log"},
      {"fuzz --out f --backend reference --budget 2", "f/", "progress.json"},
      {"fuzz --out f --backend reference --budget 2 --resume", "f/",
       "findings/crash-1a2b3c4d.tvec"},
      {"plan generate --out p --count 1", "p/", "plans.json"},
      {"gen --out s --count 2 --kind graph --force", "s/", "suite.json"},
  };
  for (const auto& [command, out, file] : cases) {
    const std::string path = Path(out + file);
    fs::create_directories(FolderOf(path));
    const bool foreign = !command.starts_with("gen");
    if (foreign) std::ofstream(Path(out + "notes" + mine)) << "theirs";
    std::ofstream(path + dead) << "half";
    std::ofstream(path + mine) << "half";
    EXPECT_EQ(Run(command).status, 0) << command;
    EXPECT_FALSE(fs::exists(path + dead)) << command;
    EXPECT_FALSE(fs::exists(path + mine)) << command;
    EXPECT_EQ(fs::exists(Path(out + "notes" + mine)), foreign) << command;
  }
}

TEST_F(SuiteCli, InterruptedVerifyReportsWhatItHas) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 12 --profile INT --ext none").status, 0);
  // The script refuses the first vectors, which is a finding, or declines them. Then it hangs.
  WriteScript("backend",
              "echo >>runs.txt; [ $(wc -l <runs.txt) -gt 4 ] && exec sleep 1000\n[ -e good ] "
              "&& exit 77; echo no >$1/step-0-refused.txt");
  for (const bool good : {false, true}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      fs::remove(Path("runs.txt"));
      fs::remove_all(Path("r"));
      if (good) std::ofstream(Path("good")) << "";
      const pid_t pid = Start("verify s --backend exec:./backend --jobs 1 --report r --minimize");
      const auto runs = [&] {
        const auto text = ReadTextFile(Path("runs.txt"));
        return text ? std::count(text->begin(), text->end(), '\n') : 0;
      };
      EXPECT_TRUE(WaitFor([&] { return runs() > 4; }));
      // The workers get SIGINT as well, like from a terminal.
      kill(signal == SIGINT ? -pid : pid, signal);
      const int status = Status(pid);
      ASSERT_TRUE(WIFEXITED(status)) << *ReadTextFile(Path("err.txt"));
      EXPECT_EQ(WEXITSTATUS(status), good ? 3 : 1) << *ReadTextFile(Path("err.txt"));
      const std::string said = *ReadTextFile(Path("out.txt"));
      // A finding counts only after it has occurred twice.
      const std::string words = good ? "partial: interrupted after 4 of 12 vectors, the next is "
                                       "s/graph/graph-000004.tvec; the same command with --resume"
                                     : "partial: interrupted after 2 of 12 vectors, the next is "
                                       "s/graph/graph-000002.tvec; the same command with --resume";
      EXPECT_NE(said.find(words), std::string::npos) << said;
      EXPECT_EQ(said.find("FAIL ") != std::string::npos, !good) << said;
      // Only what is printed names the program as it was called.
      const std::string report = *ReadTextFile(Path("r/report.txt"));
      EXPECT_EQ(report.substr(0, report.find("replay: ")), said.substr(0, said.find("replay: ")));
    }
  }
}

TEST_F(SuiteCli, FuzzRefusesAStateThatItDidNotWrite) {
  const std::string fuzz = "fuzz --backend canary:swapped-operands --seed 4 --out f";
  ASSERT_EQ(Run(fuzz + " --budget 60").status, 1);
  const std::string text = *ReadTextFile(Path("f/progress.json"));
  const auto expect_refused = [&](const std::string& from, const std::string& to) {
    std::string edited = text;
    const size_t at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    edited.replace(at, from.size(), to);
    ASSERT_TRUE(WriteFileAtomically(Path("f/progress.json"), edited));
    ExpectStatus(2, fuzz + " --budget 90 --resume", "f/progress.json: is damaged or was edited");
  };
  expect_refused("\"next\":60", "\"next\":-60");
  expect_refused("\"next\":60", "\"next\":9223372036854775800");
  expect_refused("\"cases\":60", "\"cases\":61");
  expect_refused("\"sha256\":\"", "\"sha256\":\"0");
  ASSERT_TRUE(WriteFileAtomically(Path("f/progress.json"), "{}"));
  ExpectStatus(2, fuzz + " --budget 90 --resume", "f/progress.json: ");
  ASSERT_TRUE(WriteFileAtomically(Path("f/progress.json"), text));
  ExpectStatus(1, fuzz + " --budget 90 --resume", "from case 60");
  ExpectStatus(2, "fuzz --backend reference --out g --budget 9223372036854775807", "--budget");
  ExpectStatus(2, "fuzz --backend reference --out g --budget 9 --shard 1/9223372036854775807",
               "--shard");
}

TEST_F(SuiteCli, NamesTheNearestOfWhatItDoesNotKnow) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 1").status, 0);
  ExpectStatus(2, "verfy", "no command is named 'verfy'; the nearest is verify");
  ExpectStatus(2, "backend tset x", "no command is named 'tset'; the nearest is test");
  ExpectStatus(2, "verify s --bakend reference",
               "no option is named '--bakend'; the nearest is --backend");
  ExpectStatus(2, "verify s --bakend=reference",
               "no option is named '--bakend'; the nearest is --backend");
  ExpectStatus(2, "verify s --backend refrence",
               "no backend is named 'refrence'; the nearest is reference");
  ExpectStatus(2, "verify s --backend canary:swaped-operands", "swapped-operands");
  ExpectStatus(2, "gen --out a --ext BF61",
               "--ext: no extension is named 'BF61'; the nearest is EXT-BF16");
  ExpectStatus(2, "gen --out a --profile INTT", "the nearest is PRO-INT");
  ExpectStatus(2, "gen --out a --kind grpah", "the nearest is graph");
  ExpectStatus(2, "gen --out a --level 9K", "no level is named '9K'; the nearest is 8K");
  ExpectStatus(2, "spec CONV", "the nearest are CONV2D, CONV3D, ");
  ExpectStatus(2, "run x.tosa --kernels fsat", "fast");
  ExpectStatus(2, "plan s --algorithm exatc",
               "--algorithm: no algorithm is named 'exatc'; the nearest is exact");
  ExpectStatus(2, "plan run s --algorithm exatc", "the nearest is exact");
  ExpectStatus(2, "plan run s --fault end-early", "the nearest is ends-early");
  for (const char* command :
       {"verify s --backend mlir:canonicalise", "verify s --backend mlir-rewrite:canonicalise",
        "fold verify s --folder mlir:canonicalise"}) {
    ExpectStatus(2, command,
                 "mlir: no rewrite is named 'canonicalise'; the nearest is canonicalize");
  }
  ExpectStatus(2, "mutants s --only con2d/", "--only: no mutant is named 'con2d/'; the nearest");
  ExpectStatus(2, "verify s --backend mutant:add/truncate", "the nearest are add/truncates");
  ExpectStatus(2, "verify s --backend canary:crahses", "the nearest is crashes");
  ExpectStatus(2, "verify s --backend reference --match AD", "the nearest are ADD");
  ExpectStatus(0, "Verify s --backend Reference --kernels Fast", "1 agrees");
  ExpectStatus(1, "VERIFY s --backend canary:Crashes", "crash");
  ExpectStatus(0, "Backend Show REFERENCE", "the reference executor");
  const std::string conv2d = Run("spec CONV2D").output;
  EXPECT_NE(conv2d.find("CONV2D (tensor, since 1.0)"), std::string::npos) << conv2d;
  EXPECT_NE(conv2d.find("[PRO-INT] since 1.0  signed 8x8"), std::string::npos) << conv2d;
  EXPECT_EQ(Run("spec conv2d").output, conv2d);
  EXPECT_EQ(Run("spec conv2d/error_if/3").output, Run("spec CONV2D/ERROR_IF/3").output);
  ASSERT_EQ(Run("gen --out a --kind Graph --count 5 --ext bf16 --profile fp --level 8k").status, 0);
  ASSERT_EQ(Run("gen --out b --kind graph --count 5 --ext EXT-BF16 --profile PRO-FP").status, 0);
  ExpectSame(Content("a"), Content("b"));
}

// A smoke suite kills what the whole kills, and reaches its type rows.
TEST_F(SuiteCli, SmokeSuitesDoWhatTheWholeDoes) {
  const std::string what = " --kind operator --op ADD,RESCALE --count 400";
  ASSERT_EQ(Run("gen --out all" + what).status, 0);
  const Ran smoke = ExpectStatus(0, "gen --smoke --out smoke" + what, "of them do the same");
  ASSERT_EQ(Run("gen --smoke --out again --jobs 2" + what).status, 0);
  EXPECT_EQ(Content("smoke"), Content("again"));
  EXPECT_LT(Content("smoke").size(), Content("all").size() / 4);
  for (const char* only : {"add/", "rescale/"}) {
    const auto killed = [&](const std::string& suite) {
      const std::string text = Run("mutants " + suite + " --only " + only).output;
      return text.substr(text.find("\ntotal"));
    };
    EXPECT_EQ(killed("smoke"), killed("all"));
  }
  const auto rows = [&](const std::string& suite) {
    const std::string text = Run("coverage " + suite).output;
    const size_t at = text.find("type_rows");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(rows("smoke"), rows("all"));
}

}  // namespace
}  // namespace assay::suite_cli_test

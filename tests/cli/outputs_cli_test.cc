// SPDX-License-Identifier: Apache-2.0
// Tests the files that the user names: what each command does with an output that is a device, a
// pipe, a link or its own input, and with an input that is none of these.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <vector>

#include "run_assay.h"

namespace assay::outputs_cli_test {
namespace {

// A command whose last word is its output, without the ending.
struct Writer {
  std::string words, ending;
  int status;
};

class OutputsCli : public Cli {
 protected:
  void SetUp() override {
    static const Result<TemporaryDirectory> made = TemporaryDirectory::Make();
    const fs::path shared = made->path() + "/all";
    if (!fs::exists(shared)) {
      Prepare();
      fs::copy(Path(""), shared, fs::copy_options::recursive);
    } else {
      fs::copy(shared, Path(""), fs::copy_options::recursive);
    }
  }
  void Prepare() {
    ExpectStatus(0, "gen --conformance INT --ext none --op SUB --count 60 --out p", "is in p");
    ExpectStatus(0, "verify p/vectors --backend reference --report good", "");
    ExpectStatus(0, "gen --out s --kind operator --op SUB --count 3", "");
    fs::copy(Path(AnyFile("s", ".tvec")), Path("sub.tvec"));
    ExpectStatus(0, "gen --out t --kind operator --op BITWISE_AND --type i32 --count 3", "");
    ExpectStatus(0, "convert " + AnyFile("t", ".tvec") + " a.json", "");
    std::string graph = *ReadTextFile(Path("a.json"));
    for (const auto& [from, to] :
         {std::pair("BITWISE_AND", "BITWISE_OR"), std::pair("BitwiseAnd", "BitwiseOr")}) {
      for (size_t at; (at = graph.find(from)) != std::string::npos;) {
        graph.replace(at, std::string_view(from).size(), to);
      }
    }
    ASSERT_TRUE(WriteFileAtomically(Path("b.json"), graph));
    ExpectStatus(0, "plan a.json --out p.json", "");
  }
  static std::vector<Writer> Writers() {
    return {{"convert a.json ", ".tosa", 0},
            {"plan a.json --out ", ".json", 0},
            {"plan check p.json --svg ", ".svg", 0},
            {"fold a.json --out ", ".tvec", 0},
            {"fold check a.json b.json --out ", ".tvec", 1},
            {"reduce sub.tvec --backend canary:swapped-operands --out ", ".tvec", 1},
            {"target make --profile PRO-INT --out ", ".json", 0},
            {"submit good --package p --out ", ".json", 0},
            {"target learn --backend plugin:" ASSAY_BINARY_DIR "/example_backend.so --out ",
             ".json", 0}};
  }
  bool MakeDevice(const std::string& name, unsigned number) {
    return mknod(Path(name).c_str(), S_IFCHR | 0666, makedev(1, number)) == 0;
  }
  // Runs `command >printed` within 20 seconds, which no command here needs.
  Ran RunShort(const std::string& command) { return RunShell("timeout 20 " + command); }
};

TEST_F(OutputsCli, EveryCommandWritesThroughLinksAndPipes) {
  for (const Writer& writer : Writers()) {
    SCOPED_TRACE(writer.words);
    const std::string command = kAssay + " " + writer.words, ending = writer.ending;
    ASSERT_EQ(RunShell(command + "plain" + ending).status, writer.status);
    const std::string content = *ReadTextFile(Path("plain" + ending));
    const auto same = [&](const std::string& name) {
      const std::string text = *ReadTextFile(Path(name));
      // The text that the command prints may follow, and the name of the file may be in it.
      return text.size() >= content.size() && text.find(content) != std::string::npos;
    };
    std::ofstream(Path("real")) << "old";
    fs::create_symlink("real", Path("link" + ending));
    fs::create_symlink("fresh", Path("dangling" + ending));
    fs::create_symlink("loop" + ending, Path("loop" + ending));
    fs::create_symlink("/proc/self/fd/1", Path("printed" + ending));
    ASSERT_EQ(mkfifo(Path("pipe" + ending).c_str(), 0600), 0);
    EXPECT_EQ(RunShell(command + "link" + ending).status, writer.status);
    EXPECT_TRUE(same("real"));
    EXPECT_EQ(RunShell(command + "dangling" + ending).status, writer.status);
    EXPECT_TRUE(same("fresh"));
    EXPECT_TRUE(fs::is_symlink(Path("link" + ending)) && fs::is_symlink(Path("dangling" + ending)));
    ExpectStatus(2, writer.words + "loop" + ending, "is a loop of symbolic links");
    EXPECT_EQ(RunShell(command + "printed" + ending + " >log").status, writer.status);
    EXPECT_TRUE(same("log"));
    EXPECT_EQ(RunShell("timeout 20 cat pipe" + ending + " >got & " + command + "pipe" + ending +
                       " >printed; s=$?; wait; exit $s")
                  .status,
              writer.status);
    EXPECT_TRUE(same("got"));
    EXPECT_TRUE(fs::is_fifo(Path("pipe" + ending)));
    for (const char* name : {"link", "dangling", "loop", "printed", "pipe"}) {
      fs::remove(Path(name + ending));
    }
    fs::remove(Path("fresh"));
  }
}

TEST_F(OutputsCli, EveryCommandLeavesDevicesAsTheyAre) {
  if (!MakeDevice("null", 3)) GTEST_SKIP() << "this user may not make devices";
  ASSERT_TRUE(MakeDevice("full", 7));
  for (const Writer& writer : Writers()) {
    SCOPED_TRACE(writer.words);
    for (const char* name : {"null", "full"}) {
      fs::create_symlink(name, Path(name + writer.ending));
    }
    EXPECT_EQ(Run(writer.words + "null" + writer.ending).status, writer.status);
    const Ran full = Run(writer.words + "full" + writer.ending);
    EXPECT_EQ(full.status, 3);
    EXPECT_EQ(full.errors,
              "assay: full" + writer.ending + ": cannot write: No space left on device\n");
    for (const char* name : {"null", "full"}) {
      EXPECT_TRUE(fs::is_character_file(Path(name)));
      fs::remove(Path(name + writer.ending));
    }
  }
}

TEST_F(OutputsCli, NoCommandWritesOverItsInput) {
  WriteScript("w.sh", "exit 1");
  ExpectStatus(0, "fold a.json --out f.tvec", "");
  ExpectStatus(0, "convert a.json a.tosa", "");
  ExpectStatus(0, "run a.json --out o", "");
  const auto before = Content("");
  for (const char* command : {"convert a.json ./a.json", "convert a.tosa a.tosa",
                              "plan p.json --out p.json", "plan check p.json --svg p.json",
                              "fold f.tvec --out f.tvec", "fold check a.json b.json --out b.json",
                              "reduce sub.tvec --backend canary:swapped-operands --out sub.tvec",
                              "target learn --backend exec:./w.sh --out w.sh",
                              "submit good --package p --out good/report.jsonl"}) {
    ExpectStatus(2, command, "is an input of this command; choose another file for the output");
  }
  ExpectStatus(2, "run a.json --out o --input t0=o/t2.npy --input t1=o/t2.npy",
               "assay: o/t2.npy: is an input of this command; choose another folder");
  for (const char* file : {"package.json", "new.json", "vectors/new.json", "manifest.sha256"}) {
    ExpectStatus(2, std::string("submit good --package p --out p/") + file,
                 "is in the folder of the package");
  }
  fs::create_symlink("p/new.json", Path("to-package"));
  ExpectStatus(2, "submit good --package p --out to-package", "is in the folder of the package");
  fs::remove(Path("to-package"));
  ExpectSame(Content(""), before);
}

TEST_F(OutputsCli, HistoryAndKnownFailuresAreRegularFilesBehindLinks) {
  const std::string verify = "verify s --backend canary:swapped-operands --today 2026-11-26 ";
  const std::string known = verify + "--update-known --known ", history = verify + "--history ";
  fs::create_directories(Path("shared"));
  fs::create_symlink("shared/k.json", Path("k.json"));
  fs::create_symlink("shared/h.jsonl", Path("h.jsonl"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Run(known + "k.json").status, round == 0 ? 1 : 0);
    EXPECT_EQ(Run(history + "h.jsonl").status, 1);
    EXPECT_TRUE(fs::is_symlink(Path("k.json")) && fs::is_regular_file(Path("shared/k.json")));
    EXPECT_TRUE(fs::is_symlink(Path("h.jsonl")) && fs::is_regular_file(Path("shared/h.jsonl")));
  }
  std::vector<std::string> others = {"pipe"};
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const auto& [name, number] : {std::pair("null", 3u), {"full", 7u}, {"zero", 5u}}) {
    if (MakeDevice(name, number)) others.emplace_back(name);
  }
  for (const std::string& name : others) {
    for (const std::string& command : {known, history}) {
      ExpectStatus(2, command + name, "assay: " + name + ": is no regular file; choose another");
    }
    EXPECT_FALSE(fs::is_regular_file(Path(name)));
  }
  fs::create_symlink("loop", Path("loop"));
  ExpectStatus(2, known + "loop", "assay: loop: is a loop of symbolic links");
  ExpectStatus(2, history + "loop", "assay: loop: is a loop of symbolic links");
}

TEST_F(OutputsCli, KnownFailuresTargetsAndReportsMayBePipes) {
  std::ofstream(Path("k.json")) << R"({"format": "assay known failures", "version": 1,
      "known": [{"operator": "SUB", "reason": "operands are swapped"}]})";
  ExpectStatus(0, "target make --op SUB --out t.json", "");
  EXPECT_EQ(Run("verify s --backend canary:swapped-operands --report r").status, 1);
  for (const char* name : {"k", "t", "r"})
    ASSERT_EQ(mkfifo(Path(name + std::string(".p")).c_str(), 0600), 0);
  const std::string several = "$ASSAY verify s --backend canary:swapped-operands ";
  Ran ran = RunShort("sh -c 'cat k.json >k.p & cat t.json >t.p & " + several +
                     "--backend canary:swapped-operands --known k.p --target t.p'");
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
  ran = RunShort("sh -c 'cat r/report.jsonl >r.p & " + several + "--since r.p'");
  EXPECT_EQ(ran.status, 1) << ran.output << ran.errors;
  EXPECT_NE(ran.output.find("0 new groups"), std::string::npos) << ran.output;
  for (const char* option : {"--known", "--target"}) {
    ExpectStatus(3, std::string("verify s --backend reference ") + option + " /dev/zero",
                 "assay: /dev/zero: is larger than 67108864 bytes");
  }
}

// A file of Assay's own is never a link, a device or a pipe.
TEST_F(OutputsCli, OwnFilesAreRegularFilesWithoutLinks) {
  const std::string verify = "verify s --backend reference --report r";
  struct Own {
    std::string file, command;
  };
  ExpectStatus(0, "verify s --backend reference --shard 0/1 --report shard", "");
  ExpectStatus(0, "fuzz --backend reference --budget 20 --guided --out f", "");
  ExpectStatus(0, "verify s --backend reference --record answers", "");
  fs::create_directories(Path("r"));
  const Own files[] = {
      {"r/unfinished.jsonl", verify},
      {"r/unfinished.jsonl", verify + " --resume"},
      {"shard/shard.json", "merge shard --report m"},
      {"shard/shard.jsonl", "merge shard --report m"},
      {"shard/shard.tvecs", "merge shard --report m --minimize"},
      {"s/suite.json", "verify s --backend reference"},
      {"f/progress.json", "fuzz --backend reference --budget 40 --guided --out f --resume"},
      {"f/guide.json", "fuzz --backend reference --budget 40 --guided --out f --resume"},
      {"answers/backend.json", "verify s --backend recorded:answers"},
      {"p/manifest.sha256", "submit good --package p --out st.txt"},
      {"p/package.json", "submit good --package p --out st.txt"}};
  for (const Own& own : files) {
    const std::string &file = own.file, &command = own.command;
    SCOPED_TRACE(command);
    const std::string kept = Path("kept");
    const bool is_there = fs::exists(Path(file));
    if (is_there) fs::rename(Path(file), kept);
    std::ofstream(Path("outside")) << (is_there ? *ReadTextFile(kept) : "outside\n");
    const std::string outside = *ReadTextFile(Path("outside"));
    const auto expect_refused = [&](const std::string& words) {
      const Ran ran = RunShort("$ASSAY " + command);
      EXPECT_EQ(ran.status, 2) << ran.output << ran.errors;
      EXPECT_EQ(ran.errors, "assay: " + file + words + "\n");
      EXPECT_FALSE(fs::is_regular_file(fs::symlink_status(Path(file))));
      fs::remove(Path(file));
    };
    for (const char* target : {"outside", "/dev/zero", "/no/where"}) {
      // For these, a file that is not there is another error.
      const bool is_missed = file == "shard/shard.json" || file.starts_with("p/");
      if (is_missed && *(target + 1) == 'n') continue;
      fs::create_symlink(*target == '/' ? target : Path(target), Path(file));
      expect_refused(": is a symbolic link; put the file itself there, or remove the link");
      EXPECT_EQ(*ReadTextFile(Path("outside")), outside);
    }
    ASSERT_EQ(mkfifo(Path(file).c_str(), 0600), 0);
    expect_refused(": is no regular file; remove it");
    if (MakeDevice(file, 5)) expect_refused(": is no regular file; remove it");
    if (file != "p/package.json") {  // the folder is a file that the manifest does not find
      fs::create_directories(Path(file));
      expect_refused(": is no regular file; remove it");
    }
    if (is_there) fs::rename(kept, Path(file));
  }
}

}  // namespace
}  // namespace assay::outputs_cli_test

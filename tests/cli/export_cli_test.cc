// SPDX-License-Identifier: Apache-2.0
// Tests vectors that run elsewhere: `assay export`, `--backend recorded:`, `--record` and `--next`.

#include "json_output.h"
#include "run_assay.h"
#include "zip_archive.h"

namespace assay::export_cli_test {
namespace {

const std::string kSource = ASSAY_SOURCE_DIR;
const std::string kPython = ASSAY_PYTHON;
const std::string kNumpy = kPython + " " + kSource + "/tests/backend/folder_backend.py";

class ExportCli : public Cli {
 protected:
  void Make(const std::string& words) {
    const Ran made = Run("gen --out s -j1 " + words);
    ASSERT_EQ(made.status, 0) << made.errors;
  }

  // Runs a line of a shell in the test's folder, which must succeed.
  void Shell(const std::string& line) {
    const Ran ran =
        Run(ChildCommand{{"sh", "-c", line},
                         Path(""),
                         {{"ASSAY", kAssay}, {"PYTHONPATH", ASSAY_BINARY_DIR "/python"}},
                         0});
    ASSERT_EQ(ran.status, 0) << line << "\n" << ran.output << ran.errors;
  }

  // Runs a command with --json, and returns what it prints.
  std::string JsonOf(const std::string& line) {
    const Ran ran =
        Run(ChildCommand{{"sh", "-c", line + " --json"},
                         Path(""),
                         {{"ASSAY", kAssay}, {"PYTHONPATH", ASSAY_BINARY_DIR "/python"}},
                         0});
    EXPECT_LE(ran.status, 3) << ran.errors;
    EXPECT_FALSE(ran.output.empty()) << ran.errors;
    return ran.output;
  }

  // Returns the JSON of a case by a part of its path.
  static Json CaseOf(const std::string& lines, const std::string& name) {
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) {
      const Json json = JsonFrom(line);
      if (json.contains("case") && json["case"].get<std::string>().find(name) != std::string::npos)
        return json;
    }
    ADD_FAILURE() << "no case " << name;
    return {};
  }

  // Repeats rounds until nothing is asked for any more. Returns the last JSON.
  std::string RunRounds(const std::string& verify, const std::string& run) {
    std::string lines;
    for (int round = 0; round < 100; ++round) {
      lines = JsonOf(verify);
      if (lines.find("further vector") == std::string::npos) return lines;
      Shell(run);
    }
    ADD_FAILURE() << "no end of rounds";
    return lines;
  }

  // Exports one-step vectors of ADD on i32, and answers each with the expected values.
  void AnswerAll() {
    Make("--kind operator --op ADD --type i32 --count 12");
    Shell("$ASSAY verify s --backend reference --record r");
    Shell("$ASSAY export s --out x --as folders");
    for (const auto& entry : fs::directory_iterator(Path("x/vectors"))) {
      const fs::path kept = Path("r/vectors") / entry.path().filename();
      for (const auto& file : fs::directory_iterator(kept)) {
        if (file.path().extension() == ".npy") {
          fs::copy(file.path(), entry.path() / file.path().filename());
        }
      }
      if (!fs::exists(entry.path() / "step-0-output-0.npy")) {
        std::ofstream(entry.path() / "step-0-refused.txt") << "refused";
      }
    }
  }

  // Returns the output of the first exported vector that agrees.
  fs::path AnOutput() {
    const std::string lines = JsonOf("$ASSAY verify s --backend recorded:x");
    const Json manifest = JsonFrom(*ReadTextFile(Path("x/manifest.json")));
    for (const Json& vector : manifest["vectors"]) {
      const std::string path = vector["path"].Text();
      const fs::path output =
          Path("x/vectors/" + vector["key"].get<std::string>() + "/step-0-output-0.npy");
      if (!fs::exists(output) || CaseOf(lines, path)["state"] != "agrees") continue;
      name_ = path;
      return output;
    }
    ADD_FAILURE() << "nothing agrees";
    return {};
  }

  // Expects that the vector of AnOutput() is judged with this status, state and note, in one line.
  void ExpectState(const std::string& state, const std::string& note) {
    const std::string lines = JsonOf("$ASSAY verify s --backend recorded:x");
    const Json judged = CaseOf(lines, name_);
    EXPECT_EQ(judged["state"], state) << judged;
    const std::string said = judged["note"].Text();
    EXPECT_NE(said.find(note), std::string::npos) << judged;
    EXPECT_EQ(said.find('\n'), std::string::npos);
    // The others are judged as before.
    const Json head = JsonFrom(lines.substr(0, lines.find('\n')));
    EXPECT_EQ(head["cases"]["agrees"].get<int>(), agree_) << head;
  }

  std::string name_;
  int agree_ = 0;
};

TEST_F(ExportCli, JudgesAProgramElsewhereAsIfItWereHere) {
  Make("--kind operator --kind graph --kind stateful --kind invalid --count 40");
  const std::string program =
      kPython + " " + kSource + "/src/backend/examples/adapter.py " + kAssay;
  const std::string live =
      JsonOf("$ASSAY verify s --backend 'exec:" + program + " {dir}' --wall-seconds 600");
  Shell("$ASSAY export s --out x");
  Shell(kPython + " " + kSource + "/src/backend/examples/run_export.py --seconds 600 x " + program +
        " {dir}");
  std::ofstream(Path("x/backend.json")) << Json{{"format", "assay backend"},
                                                {"version", 1},
                                                {"specification", "exec:" + program + " {dir}"},
                                                {"description", "exec:" + program + " {dir}"}};
  const std::string recorded = RunRounds(
      "$ASSAY verify s --backend recorded:x --next n",
      kPython + " " + kSource + "/src/backend/examples/run_export.py n " + program + " {dir}");
  EXPECT_EQ(live, recorded);
  EXPECT_NE(live.find("\"refused\""), std::string::npos);
  EXPECT_NE(live.find("more than one step"), std::string::npos);
}

TEST_F(ExportCli, NumpyHasOneVerdictLiveAndInFolders) {
  Make("--kind operator --kind graph --kind stateful --kind invalid --count 120");
  const std::string live =
      JsonOf("$ASSAY verify s --backend 'worker:" + kNumpy + " serve forward'");
  for (const std::string layout : {"folders", "npz"}) {
    Shell("rm -rf x n && $ASSAY export s --out x --as " + layout);
    Shell(kNumpy + " run x forward");
    EXPECT_EQ(live,
              RunRounds("$ASSAY verify s --backend recorded:x --next n", kNumpy + " run n forward"))
        << layout;
  }
  EXPECT_NE(live.find("windows judged"), std::string::npos);
}

TEST_F(ExportCli, MinimizesInRounds) {
  ASSERT_TRUE(WriteFileAtomically(Path("m.graph"),
                                  std::string("block main (%x:fp32[2,4], %y:fp32[2,1]) -> (%e)\n"
                                              "  %a:fp32[2,4] = ABS(%x)\n"
                                              "  %b:fp32[2,4] = MUL(%a, %y, i8[1]{0})\n"
                                              "  %c:fp32[2,4] = SUB(%b, %x)\n"
                                              "  %e:fp32[2,4] = ADD(%c, %a)\n")));
  const std::string live =
      JsonOf("$ASSAY verify m.graph --minimize --report r --backend 'worker:" + kNumpy +
             " serve forward MUL'");
  ASSERT_NE(live.find("\"finding\""), std::string::npos) << live;
  Shell("rm -r r && $ASSAY export m.graph --out x && " + kNumpy + " run x forward MUL");
  const std::string alone = "$ASSAY verify m.graph --backend recorded:x --minimize --report q";
  EXPECT_NE(RunShell(alone).errors.find("1 finding is not at the smallest: recorded:x has no "
                                        "answers to smaller vectors; --next DIR"),
            std::string::npos);
  const std::string first =
      JsonOf("$ASSAY verify m.graph --backend recorded:x --minimize --report r --next n");
  EXPECT_NE(first.find("to be run there; then the same command goes on"), std::string::npos);
  EXPECT_EQ(live,
            RunRounds("$ASSAY verify m.graph --backend recorded:x --minimize --report r --next n",
                      kNumpy + " run n forward MUL"));
}

// A runner that executes graphs without checking them: every output is zero. It starts faster than
// one with numpy.
constexpr char kUnchecked[] = R"(import pathlib, sys
TYPES = {"bool": ("|b1", 1), "i4": ("|i1", 1), "i8": ("|i1", 1), "i16": ("<i2", 2), "i32": ("<i4", 4),
         "i48": ("<i8", 8), "shape": ("<i8", 8), "fp16": ("<f2", 2), "fp32": ("<f4", 4),
         "bf16": ("<V2", 2), "fp8e4m3": ("<V1", 1), "fp8e5m2": ("|u1", 1)}
folder = pathlib.Path(sys.argv[1])
for line in (folder / "steps.txt").read_text().splitlines():
    words = line.split()
    if words[0] == "output":
        name, dims = words[2].rstrip("]").split("[")
        (descr, count), shape = TYPES[name], tuple(int(dim) for dim in dims.split(",") if dim)
        for dim in shape:
            count *= dim
        head = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}".ljust(117) + "\n"
        (folder / words[1]).write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + head.encode() + bytes(count))
)";

TEST_F(ExportCli, ARunnerThatDeclaresNoChecksIsNotBlamed) {
  Make("--kind invalid --count 24");
  std::ofstream(Path("run.py")) << kUnchecked;
  const std::string run = kPython + " -S run.py";
  const std::string live = "$ASSAY verify s --json --wall-seconds 600 --backend 'exec:" + run + "'";
  const auto count = [](const std::string& text, const std::string& words) {
    int64_t found = 0;
    for (size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  const std::string accepted = "accepted an invalid graph", hint = "--declare no-checks";
  const std::string unsupported = R"("note":"declares no checks")";
  const Ran blamed = RunShell(live);
  EXPECT_EQ(blamed.status, 1);
  EXPECT_GT(count(blamed.output, accepted), 0) << blamed.output;
  EXPECT_EQ(count(blamed.errors, hint), 1) << blamed.errors;
  const auto expect_unsupported = [&](const std::string& verify) {
    const Ran ran = RunShell(verify);
    EXPECT_EQ(count(ran.output, accepted), 0) << ran.output;
    EXPECT_EQ(count(ran.output, unsupported), 11) << ran.output;
    EXPECT_EQ(count(ran.output, "no answer"), 0) << ran.output;
    EXPECT_EQ(count(ran.errors, hint), 0) << ran.errors;
  };
  // A record says it as well.
  expect_unsupported(live + " --declare no-checks --record z");
  expect_unsupported("$ASSAY verify s --json --backend recorded:z");
  // Exported with the declaration, these vectors stay here.
  const Ran exported = Run("export s --out x --declare no-checks");
  EXPECT_EQ(exported.status, 0) << exported.errors;
  EXPECT_NE(exported.output.find("left out: 11: declares no checks\n"), std::string::npos)
      << exported.output;
  const std::string runner = kPython + " " + kSource + "/src/backend/examples/run_export.py ";
  Shell(runner + "x " + run);
  expect_unsupported("$ASSAY verify s --json --backend recorded:x");
  // Exported without it, the runner may declare it afterwards.
  Shell("$ASSAY export s --out y && " + runner + "y " + run);
  const std::string judged = "$ASSAY verify s --json --backend recorded:y";
  EXPECT_EQ(count(RunShell(judged).output, accepted), count(blamed.output, accepted));
  expect_unsupported(judged + " --declare no-checks");
  std::ofstream(Path("y/backend.json"))
      << R"({"format": "assay backend", "version": 1, "declarations": ["no-checks"]})";
  expect_unsupported(judged);
  Shell("$ASSAY export s --out c --as c --declare no-checks");
  EXPECT_NE(ReadTextFile(Path("c/assay_run.h"))->find("#define ASSAY_DECLARES \"no-checks\"\n"),
            std::string::npos);
  ExpectStatus(2, "export s --out d --declare no-check", "the nearest is no-checks");
}

TEST_F(ExportCli, ArmsModelRunsItsDirectories) {
  Make("--kind operator --type i32 --count 30");
  Shell("$ASSAY export s --out x --as arm");
  Shell("for d in x/vectors/*/step-0; do mkdir $d/results; " ASSAY_BINARY_DIR
        "/arm_model_stand_in --test_desc=$d/desc.json --output_dir=$d/results "
        "--tosa_level=EIGHTK || echo refused > $d-refused.txt; done 2>&1");
  const Ran ran = Run("verify s --backend recorded:x");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_NE(ran.output.find("0 disagrees"), std::string::npos) << ran.output;
}

TEST_F(ExportCli, RecordsWhatABackendAnswersAndJudgesItAgain) {
  Make("--kind operator --kind graph --kind stateful --kind invalid --count 60");
  for (const std::string backend : {"reference", "canary:rounds-up", "canary:stale-variable"}) {
    Shell("rm -rf k r r2");
    const std::string options = " --minimize --reproducible --report r";
    const std::string live = JsonOf("$ASSAY verify s --record k --backend " + backend + options);
    Shell("mv r r2");
    const Ran again = RunShell("$ASSAY verify s --json --backend recorded:k -j1" + options);
    EXPECT_EQ(live, again.output) << backend;
    EXPECT_EQ(again.errors.find("not at the smallest"), std::string::npos) << backend;
    ExpectSame(Content("r"), Content("r2"));
  }
  ExpectStatus(2, "verify s --backend reference --record k",
               "--record k: has answers already; name a new folder");
  ExpectStatus(2, "verify s --backend recorded:k --record m", "has its answers already");
  ExpectStatus(2, "verify s --backend reference --next m", "--next: only the backend recorded");
}

TEST_F(ExportCli, RefusesAnswersOfAnotherSuite) {
  Make("--kind operator --count 20 --seed 1");
  Shell("$ASSAY gen --out t --kind graph --count 20 --seed 2 && $ASSAY export s --out x");
  ExpectStatus(2, "verify t --backend recorded:x", "has answers to other vectors: none to t/");
  ExpectStatus(2, "verify t --backend recorded:nowhere",
               "recorded:nowhere: no such file or folder");
  ExpectStatus(2, "verify t --backend recorded:t", "has neither a folder `vectors` nor files");
  ExpectStatus(3, "verify s --backend recorded:x", "20 of 20 vectors without an answer");
  ExpectStatus(2, "export s --out x", "x: is not empty: there is manifest.json");
}

TEST_F(ExportCli, SaysInOneLineWhatIsWrongWithAnAnswer) {
  AnswerAll();
  const fs::path output = AnOutput();
  const fs::path folder = output.parent_path();
  const std::string before = JsonOf("$ASSAY verify s --backend recorded:x");
  const Json head = JsonFrom(before.substr(0, before.find('\n')));
  ASSERT_FALSE(head.contains("partial")) << head;
  agree_ = head["cases"]["agrees"].get<int>() - 1;
  const std::string right = *ReadTextFile(output);
  const auto put = [&](const std::string& text) {
    fs::remove_all(output);
    std::ofstream(output, std::ios::binary) << text;
  };
  const auto header = [](const std::string& dictionary) {
    std::string text = dictionary + std::string(117 - dictionary.size(), ' ') + "\n";
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text;
  };
  put(right.substr(0, right.size() - 1));
  ExpectState("bad input", "unreadable answer: step-0-output-0.npy: ");
  put("");
  ExpectState("bad input", "unreadable answer: step-0-output-0.npy: ");
  put(header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + "\x80\x04N.");
  ExpectState("bad input", "unreadable answer: step-0-output-0.npy: ");
  put(right);
  fs::resize_file(output, uintmax_t{5} << 30);
  ExpectState("bad input", "unreadable answer: step-0-output-0.npy: ");
  fs::rename(output, folder / "hidden.npy");
  fs::create_symlink("/dev/zero", output);
  ExpectState("bad input", "unreadable answer: step-0-output-0.npy: a symbolic link");
  put(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }") + "abcd");
  ExpectState("bad input",
              "unreadable answer: step-0-output-0.npy: has float32 elements; i32 needs int32, and "
              "other types no longer pass");
  put(header("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1), }") + "abcd");
  ExpectState("disagrees", "");
  fs::remove(output);
  ExpectState("undecided", "no answer");
  // 32 MiB of zeros, which take 32 KiB.
  const std::string zeros =
      header("{'descr': '<i8', 'fortran_order': False, 'shape': (4194304,), }") +
      std::string(size_t{32} << 20, '\0');
  const std::vector<uint8_t> archive =
      ZipArchive().Add({"step-0-output-0.npy", {zeros.begin(), zeros.end()}, true}).Bytes();
  std::ofstream(folder / "outputs.npz")
      .write(reinterpret_cast<const char*>(archive.data()),
             static_cast<std::streamsize>(archive.size()));
  ExpectState("bad input",
              "unreadable answer: step-0-output-0.npy: has int64 elements; i32 needs int32");
  std::ofstream(folder / "outputs.npz") << "PK no archive";
  ExpectState("bad input", "unreadable answer: outputs.npz: ");
  fs::remove(folder / "outputs.npz");
  fs::create_symlink("/dev/zero", folder / "outputs.npz");
  ExpectState("bad input", "unreadable answer: outputs.npz: a symbolic link");
  fs::remove(folder / "outputs.npz");
  std::ofstream(folder / "timed-out.txt") << "60 seconds";
  ExpectState("disagrees", "");
  EXPECT_EQ(CaseOf(JsonOf("$ASSAY verify s --backend recorded:x"), name_)["outcome"], "timed-out");
  fs::remove(folder / "timed-out.txt");
  std::ofstream(folder / "crashed.txt") << "signal 11\nand more";
  ExpectState("disagrees", "");
  fs::remove(folder / "crashed.txt");
  std::ofstream(folder / "unsupported.txt") << "no ADD here";
  ExpectState("unsupported", "no ADD here");
  fs::remove(folder / "unsupported.txt");
  std::ofstream(folder / "answer.json")
      << R"({"format": "assay answer", "version": 1, "steps": [3]})";
  ExpectState("bad input", "answer.json: steps: no object");
  std::ofstream(folder / "answer.json")
      << R"({"format": "assay answer", "version": 1, "steps": []})";
  ExpectState("bad input", "answer.json: has another number of steps");
  std::ofstream(folder / "answer.json") << R"({"format": "other", "version": 1})";
  ExpectState("bad input", "answer.json: no answer that Assay has kept");
  fs::rename(folder, Path("away"));
  fs::create_symlink(Path("away"), folder);
  ExpectState("bad input", "unreadable answer: its folder is a symbolic link");
}

TEST_F(ExportCli, SaysInOneLineWhatIsWrongWithTheRun) {
  AnswerAll();
  const std::string run = "verify s --backend recorded:x";
  ExpectStatus(2, "verify s --backend recorded:", "recorded: a path is missing");
  ExpectStatus(2, run + " --report r --resume", "leave --resume out");
  const auto describe = [this](const std::string& text) {
    std::ofstream(Path("x/backend.json")) << text;
  };
  const std::string format = R"({"format": "assay backend", "version": )";
  describe("[]");
  ExpectStatus(2, run, R"(backend.json: does not say "format": "assay backend")");
  describe(format + "2}");
  ExpectStatus(2, run, "backend.json: another version than 1");
  describe(format + R"(1, "description": 3})");
  ExpectStatus(2, run, "backend.json: a field has the wrong type");
  describe(format + R"(1, "declarations": ["nonsense"]})");
  ExpectStatus(2, run, "backend.json: ");
  describe(format + R"(1, "description": "a board", "specification": "exec:board"})");
  const std::string json = JsonOf("$ASSAY " + run);
  EXPECT_NE(json.find(R"("run":"a board")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("backend":"exec:board")"), std::string::npos) << json;
}

// A program that stopped after its first step has not answered the vector.
TEST_F(ExportCli, StepsWithoutAnAnswerLeaveTheVectorOpen) {
  Make("--kind stateful --count 12");
  Shell("$ASSAY export s --out x");
  bool has_later = false;
  for (const auto& entry : fs::directory_iterator(Path("x/vectors"))) {
    std::ofstream(entry.path() / "step-0-refused.txt") << "no";
    has_later = has_later || fs::exists(entry.path() / "step-1-input-0.npy");
  }
  ASSERT_TRUE(has_later);
  EXPECT_NE(JsonOf("$ASSAY verify s --backend recorded:x").find("no answer to step 1"),
            std::string::npos);
}

TEST_F(ExportCli, CProgramPrintsItsAnswers) {
  Make("--kind operator --kind graph --kind stateful --kind invalid --count 60");
  Shell("$ASSAY gen --out t --kind operator --op ADD,SUB,EQUAL,IDENTITY,LOGICAL_AND --count 90");
  Shell("$ASSAY export s t --out c --as c --per-program 100");
  const std::string run = kSource + "/src/export/examples/assay_run.c";
  std::string printed;
  for (const std::string compiler : {"gcc", "clang"}) {
    if (RunShell("command -v " + compiler).status != 0) continue;
    Shell("for i in 0 1; do " + compiler +
          " -std=c99 -pedantic -Wall -Wextra -Werror -Wno-overlength-strings -I c c/program-$i.c " +
          run + " -o p && ./p > c/$i.answers || exit 1; done; cat c/*.answers > all.txt");
    const Ran ran = Run("verify s t --backend recorded:c");
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_NE(ran.output.find(" agrees, 0 disagrees"), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find("unsupported: ARGMAX"), std::string::npos) << ran.output;
    if (!printed.empty()) {
      EXPECT_EQ(printed, *ReadTextFile(Path("all.txt")));
    }
    printed = *ReadTextFile(Path("all.txt"));
  }
  if (printed.empty()) GTEST_SKIP() << "no C compiler is installed";
  const std::string same = JsonOf("$ASSAY verify s t --backend recorded:all.txt");
  // A serial line adds noise.
  std::string noisy = "U-Boot 2026\r\n";
  for (const char c : printed) noisy += c == '\n' ? std::string("\r\n") : std::string(1, c);
  std::ofstream(Path("all.txt"), std::ios::binary) << noisy;
  EXPECT_EQ(same, JsonOf("$ASSAY verify s t --backend recorded:all.txt"));
  Shell("cc -std=c99 -DASSAY_DECLARES='\"plain-sums\"' -I c c/program-0.c " + run +
        " -o p && ./p | head -1 > declared.txt");
  EXPECT_EQ(*ReadTextFile(Path("declared.txt")), "assay declares plain-sums\n");
  const size_t output = printed.find("assay output");
  ASSERT_NE(output, std::string::npos);
  std::string lost = printed;
  char& digit = lost[lost.find('\n', output) - 1];
  digit = digit == '0' ? '1' : '0';
  std::ofstream(Path("all.txt"), std::ios::binary) << lost;
  ExpectStatus(2, "verify s t --backend recorded:all.txt", "its checksum does not fit");
  const size_t second = printed.find("assay output", printed.size() / 2);
  std::ofstream(Path("all.txt"), std::ios::binary) << printed.substr(0, second + 20);
  ExpectStatus(3, "verify s t --backend recorded:all.txt", "vectors without an answer");
  EXPECT_NE(JsonOf("$ASSAY verify s t --backend recorded:all.txt")
                .find("no answer: the printed lines end within the vector"),
            std::string::npos);
  std::ofstream(Path("all.txt"), std::ios::binary) << "nothing";
  ExpectStatus(2, "verify s t --backend recorded:all.txt", "has no line \"assay vector KEY\"");
}

}  // namespace
}  // namespace assay::export_cli_test

// SPDX-License-Identifier: Apache-2.0
// Tests the built binary in the way that people and scripts use it: exit statuses, messages,
// determinism.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "backend_kind.h"
#include "canaries.h"
#include "run_assay.h"
#include "version.h"

namespace assay::cli_test {
namespace {

TEST_F(Cli, RefusesCustomOperatorsByName) {
  std::ofstream(Path("c.mlir")) << R"("builtin.module"() ({
  "func.func"() <{function_type = () -> (tensor<2xi32>), sym_name = "main"}> ({
    %1 = "tosa.custom"() <{domain_name = "a.b", implementation_attrs = "", operator_name = "dot"}> : () -> (tensor<2xi32>)
    "func.return"(%1) : (tensor<2xi32>) -> ()
  }) : () -> ()
}) : () -> ()
)";
  const std::string name = "CUSTOM \"dot\" of domain \"a.b\"";
  ExpectStatus(3, "run c.mlir", "step 0: unsupported, " + name + " is not executable");
  ExpectStatus(0, "check c.mlir", "not checked: " + name);
  ExpectStatus(0, "check c.mlir --json", R"("CUSTOM \"dot\" of domain \"a.b\"")");
}

TEST_F(Cli, ExplainsEveryCommandAndItsStatuses) {
  const Ran all = ExpectStatus(0, "--help", "Exit status");
  for (const char* command :
       {"check", "convert", "fuzz", "gen", "reduce", "run", "show", "spec", "verify"}) {
    EXPECT_NE(all.output.find(std::string("  ") + command + " "), std::string::npos) << command;
    const Ran help = ExpectStatus(0, std::string(command) + " --help", "Exit status");
    EXPECT_NE(help.output.find("Usage: assay " + std::string(command)), std::string::npos);
    EXPECT_EQ(help.errors, "");
  }
  ExpectStatus(0, "--version", "assay " + std::string(kToolkitVersion));
}

TEST_F(Cli, ListsEveryBackendAndCanary) {
  const std::string help = Run("help backends").output;
  for (const BackendKind* kind : AllBackendKinds()) {
    EXPECT_NE(help.find("\n  " + std::string(kind->name)), std::string::npos) << kind->name;
  }
  for (const Mutant& canary : AllCanaries()) {
    EXPECT_NE(help.find("canary:" + std::string(canary.id)), std::string::npos) << canary.id;
  }
}

// The proposal's VARIABLE does not set `seen` if the variable exists. So the second execution of a
// graph that declares and writes a variable breaks a rule.
TEST_F(Cli, RunsByTheSemanticsThatItIsTold) {
  std::ofstream(Path("count.mlir")) << R"("builtin.module"() ({
  "tosa.variable"() <{initial_value = dense<0.0> : tensor<1xf32>, sym_name = "v", type = f32, var_shape = dense<1> : tensor<1xindex>}> : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
    %0 = "tosa.const"() <{values = dense<2.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    "tosa.variable_write"(%0) <{name = "v"}> : (tensor<1xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
)";
  const std::string run = "run count.mlir --repeat 2";
  ExpectStatus(0, run, "step 1: valid");
  ExpectStatus(0, run + " --semantics nested-keeps-seen", "step 1: valid");
  ExpectStatus(1, run + " --semantics rfc", "step 1: unpredictable, VARIABLE_WRITE/REQUIRE/2");
  ExpectStatus(2, run + " --semantics 2.0",
               "--semantics: no choice is named '2.0'; the nearest is 1.0");
}

// Demands on a whole tensor survive as metadata of compliance.
TEST_F(Cli, ConvertsToArmDirectoriesAndBack) {
  ASSERT_EQ(Run("gen --out s --kind dot-product --count 6").status, 0);
  const std::string vector = "s/dot-product/dot-product-000005.tvec";
  EXPECT_NE(Run("show " + vector).output.find("together: test set 5, ABS_BOUND "),
            std::string::npos);
  ExpectStatus(0, "convert " + vector + " d/", "");
  const std::string description = *ReadTextFile(Path("d/desc.json"));
  for (const char* words : {"\"DOT_PRODUCT\"", "\"s\": 5", "\"bounds_file_required\": true"}) {
    EXPECT_NE(description.find(words), std::string::npos) << description;
  }
  const Ran both = ExpectStatus(0, "verify d --backend reference --json",
                                "reference executor: agrees; recorded: agrees");
  EXPECT_NE(both.output.find("\"undecided_elements\":0"), std::string::npos) << both.output;
  const Ran wrong =
      ExpectStatus(1, "verify d --backend canary:dropped-last-element", "recorded: disagrees");
  EXPECT_NE(wrong.output.find("recorded DOT_PRODUCT"), std::string::npos) << wrong.output;
  ExpectStatus(0, "convert d back.tvec", "");
  EXPECT_NE(Run("show back.tvec").output.find("together: test set 5, ABS_BOUND "),
            std::string::npos);
  ExpectStatus(0, "verify back.tvec --backend reference", "agree");
  ExpectStatus(2, "convert " + vector + " d/ --step 1", "--step 1");
}

TEST_F(Cli, ConvertsToJsonAndBack) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 1").status, 0);
  ExpectStatus(0, "convert s/graph/graph-000000.tvec a.tosa", "");
  ExpectStatus(0, "convert s/graph/graph-000000.tvec a.json", "");
  ExpectStatus(0, "convert a.tosa b.json", "");
  for (const char* command : {"convert a.tosa x.mlir", "plan a.tosa", "fold a.tosa"}) {
    ExpectStatus(2, command + std::string(" --graph 1"), "has 1 graphs");
  }
  for (const char* command : {"run", "check", "plan", "fold"}) {
    ExpectStatus(2, command + std::string(" s"), "s: a folder, not a graph or a vector");
  }
  EXPECT_EQ(*ReadTextFile(Path("a.json")), *ReadTextFile(Path("b.json")));
  ExpectStatus(0, "convert b.json b.tosa", "");
  EXPECT_EQ(Run("show b.tosa").output, Run("show a.tosa").output);
  EXPECT_EQ(Run("show b.json").output, Run("show a.tosa").output);
  ExpectStatus(0, "check b.json", "no static rule is broken");
  // A file whose graph cannot be read breaks a rule.
  std::string text = *ReadTextFile(Path("b.json"));
  text.replace(text.find("\"shape\": ["), 0, "\"is_unranked\": true, ");
  ASSERT_TRUE(WriteFileAtomically(Path("u.json"), text));
  ExpectStatus(1, "check u.json", "graph/ERROR_IF/unranked-tensor  tensor ");
  ExpectStatus(1, "check u.json", "not checked: the graph: u.json: block \"main\": ");
  ExpectStatus(1, "check u.json --json", "\"graph/ERROR_IF/unranked-tensor\"");
  const std::string bad = "{\"version\": {},\n \"weight\": 1}\n";
  ASSERT_TRUE(WriteFileAtomically(Path("bad.json"), bad));
  ExpectStatus(2, "convert bad.json c.tosa", "bad.json: line 2: unknown field: weight");
}

TEST_F(Cli, NamesTheCulpritOfBadUsage) {
  ExpectStatus(2, "", "subcommand");
  ExpectStatus(2, "bogus", "bogus");
  ExpectStatus(2, "verify", "SUITE");
  ExpectStatus(2, "verify --bogus x --backend reference", "--bogus");
  ExpectStatus(2, "verify nothing --backend reference", "nothing");
  ExpectStatus(2, "gen --out s --count few", "few");
  ExpectStatus(2, "gen --out s --count -1", "-1");
  ExpectStatus(2, "gen --out s --count 3 --jobs 0", "--jobs");
  ExpectStatus(2, "gen --out s --count 3 --kind bogus", "bogus");
  ExpectStatus(2, "gen --out s --count 3 --profile bogus", "bogus");
  ExpectStatus(2, "gen --out s --count 3 --ext bogus", "bogus");
  ExpectStatus(2, "gen --out s --count 3 --level 9K", "9K");
  ExpectStatus(2, "fuzz --backend reference --budget soon --out f", "soon");
  ExpectStatus(2, "fuzz --backend reference --budget 0 --out f", "--budget 0");
  ExpectStatus(2, "show nothing.tvec", "nothing.tvec");
  ExpectStatus(2, "convert nothing.tosa x.dot", "nothing.tosa");
  ExpectStatus(2, "check nothing.tosa", "nothing.tosa");
  ExpectStatus(2, "run nothing.tosa", "nothing.tosa");
  ExpectStatus(2, "reduce nothing.tvec --backend reference --out x.tvec", "nothing.tvec");
}

TEST_F(Cli, NamesBackendsThatAreNotThere) {
  ASSERT_EQ(Run("gen --out s --count 3 --kind operator").status, 0);
  ExpectStatus(2, "verify s --backend bogus", "bogus");
  ExpectStatus(2, "verify s --backend canary:bogus", "bogus");
  ExpectStatus(2, "verify s --backend reference:bogus", "bogus");
  ExpectStatus(2, "verify s --backend exec:", "exec");
  ExpectStatus(3, "verify s --backend mlir", "mlir: not installed: install libmlir-22-dev");
  ExpectStatus(3, "verify s --backend mlir", "; 0 vectors judged\n");
  for (const char* command : {"verify s", "fuzz --out f --budget 3"}) {
    const std::string backend = std::string(command) + " --backend ";
    ExpectStatus(2, backend + "exec:/no/such", "assay: exec:/no/such: no such program: /no/such");
    ExpectStatus(2, backend + "exec:no-such-program", "no such program in PATH: no-such-program");
    ExpectStatus(2, backend + "exec:.", "exec:.: ");
    ExpectStatus(2, backend + "worker:/no/such", "worker:/no/such: no such program: /no/such");
    ExpectStatus(2, backend + "plugin:/no/such.so", "plugin:/no/such.so: no such file");
    ExpectStatus(2, backend + "arm:/no/such", "arm: no such program: /no/such");
  }
  std::ofstream(Path("data")) << "no program";
  ExpectStatus(2, "verify s --backend exec:./data", "not an executable file: ./data");
  ExpectStatus(2, "backend test exec:/no/such", "no such program: /no/such");
  ExpectStatus(2, "verify s --backend reference --shard 2/2", "2/2");
  ExpectStatus(2, "verify s --backend reference --minimize", "--report");
  ExpectStatus(2, "verify s --backend mlir --kernels fast", "--kernels");
}

// After twenty vectors without an answer it is clear that the command is wrong, rather than its
// answers.
TEST_F(Cli, EndsARunOnABackendThatNeverAnswers) {
  ASSERT_EQ(Run("gen --out s --count 60 --kind graph --profile INT --ext none").status, 0);
  WriteScript("crash", "echo >>runs; echo no license >&2; kill -SEGV $$");
  std::ofstream(Path("odd")) << "#!/no/such/interpreter\n";
  fs::permissions(Path("odd"), fs::perms::owner_all);
  for (const char* command : {"verify s --report r", "fuzz --out f --budget 60 --kind graph"}) {
    const std::string run = std::string(command) + " --jobs 1 --backend exec:./";
    const Ran crash = ExpectStatus(1, run + "crash", "failed on 20 vectors and answered none: ");
    EXPECT_EQ(std::count(crash.errors.begin(), crash.errors.end(), '\n'), 1) << crash.errors;
    EXPECT_NE(crash.errors.find("no license"), std::string::npos) << crash.errors;
    const std::string runs = *ReadTextFile(Path("runs"));
    EXPECT_LE(std::count(runs.begin(), runs.end(), '\n'), 2 * 21);  // each is tried twice
    fs::remove(Path("runs"));
    ExpectStatus(3, run + "odd", "could not be started for 20 vectors and answered none: ");
    EXPECT_FALSE(fs::exists(Path("r/report.txt")));
  }
  // After one answer the other vectors are judged.
  WriteScript("answers",
              "echo >>answers.log; [ $(wc -l <answers.log) -gt 1 ] && kill -SEGV $$; "
              "echo no >$1/step-0-refused.txt");
  ExpectStatus(1, "verify s --jobs 1 --backend exec:./answers", "total: 60 vectors");
}

// A file replaces the temporary folder, which stops root as well.
TEST_F(Cli, EndsARunWhoseTemporaryFolderIsLost) {
  ASSERT_EQ(Run("gen --out s --count 6 --kind graph --profile INT --ext none").status, 0);
  fs::create_directory(Path("t"));
  const std::string lose = "{ rm -rf $(dirname $1); echo >$(dirname $1); kill -SEGV $$; }";
  const std::string count = "echo >>calls; calls=$(wc -l <calls); ";
  WriteScript("refuse", count + "[ $calls -gt 2 ] && " + lose + "; echo no >$1/step-0-refused.txt");
  WriteScript("crash", count + "[ $calls -gt 4 ] && " + lose + "; kill -SEGV $$");
  const std::string vector = AnyFile("s", ".tvec");
  const std::vector<std::string> commands = {
      "verify s --jobs 1 --backend exec:./refuse", "backend test exec:./refuse",
      "fuzz --out f --budget 40 --kind graph --jobs 1 --backend exec:./refuse",
      "verify " + vector + " --report r --minimize --backend exec:./crash",
      "reduce " + vector + " --out small.tvec --backend exec:./crash"};
  for (const std::string& command : commands) {
    fs::remove(Path("calls"));
    const Ran ran = RunShell("TMPDIR=$PWD/t $ASSAY " + command);
    EXPECT_EQ(ran.status, 3) << command << "\n" << ran.output << ran.errors;
    EXPECT_NE(ran.errors.find(Path("t/assay.")), std::string::npos) << command << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_EQ(ran.output.find("FAIL"), std::string::npos) << command << "\n" << ran.output;
  }
}

TEST_F(Cli, SaysWhatCannotBeWritten) {
  ExpectStatus(2, "gen --out /proc/s --count 3", "/proc/s");
  ASSERT_EQ(Run("gen --out s --count 3 --kind operator").status, 0);
  ExpectStatus(2, "gen --out s --count 3", "s: holds a suite already");
  ExpectStatus(2, "verify s --backend reference --report /proc/r", "/proc/r");
  const Ran full = RunShell("$ASSAY gen --out s2 --count 3 --json >/dev/full");
  EXPECT_EQ(full.status, 3);
  EXPECT_EQ(full.errors, "assay: standard output: cannot write: is the disk full?\n");
  // A reader that closes the pipe early is no error.
  const Ran head = RunShell("{ $ASSAY spec; echo $? >status; } | head -n 1; cat status");
  EXPECT_EQ(head.output.back(), '\n');
  EXPECT_EQ(head.output.substr(head.output.size() - 2), "0\n");
}

TEST_F(Cli, GeneratesAndVerifiesTheSameForAnyNumberOfJobs) {
  std::map<std::string, std::string> suites[2], reports[2];
  std::string texts[2];
  for (int i = 0; i < 2; ++i) {
    const std::string jobs = " --jobs " + std::to_string(i * 2 + 1);
    ASSERT_EQ(Run("gen --out s --count 240 --seed 5" + jobs).status, 0);
    const Ran ran =
        Run("verify s --backend canary:swapped-operands --report r --minimize "
            "--reproducible" +
            jobs);
    EXPECT_EQ(ran.status, 1) << ran.output << ran.errors;
    texts[i] = ran.output;
    suites[i] = Content("s");
    reports[i] = Content("r");
    fs::remove_all(Path("s"));
    fs::remove_all(Path("r"));
  }
  EXPECT_EQ(texts[0], texts[1]);
  ExpectSame(suites[0], suites[1]);
  ExpectSame(reports[0], reports[1]);
  for (const char* name : {"report.html", "report.xml", "report.jsonl", "report.txt"}) {
    EXPECT_TRUE(reports[0].contains(name)) << name;
  }
}

TEST_F(Cli, ShardsAreTheWhole) {
  ASSERT_EQ(Run("gen --out s --count 10 --kind operator").status, 0);
  std::vector<std::string> all, shards;
  const auto cases = [](const std::string& lines, std::vector<std::string>& into) {
    std::istringstream text(lines);
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("{\"case\"")) into.push_back(line);
    }
  };
  cases(Run("verify s --backend reference --json").output, all);
  for (int i = 0; i < 3; ++i) {
    cases(Run("verify s --backend reference --json --shard " + std::to_string(i) + "/3").output,
          shards);
  }
  std::sort(all.begin(), all.end());
  std::sort(shards.begin(), shards.end());
  EXPECT_EQ(all.size(), 10u);
  EXPECT_EQ(all, shards);
}

TEST_F(Cli, VerifiesTheReferenceClean) {
  ASSERT_EQ(Run("gen --out s --count 60 --seed 2").status, 0);
  ExpectStatus(0, "verify s --backend reference", "total: 60 vectors");
  ExpectStatus(0, "verify s --backend reference --kernels template", "reference:template");
}

// Printed text has the program as it was called. Files of reports have the same bytes for any
// place of the program.
TEST_F(Cli, PrintsReplayLinesWithTheProgramAsItWasCalled) {
  ASSERT_EQ(Run("gen --out s --count 40 --seed 2 --kind graph --op SUB,ABS").status, 0);
  fs::create_symlink(kAssay, Path("a b"));
  const std::string verify = " verify s --backend canary:swapped-operands --reproducible --report ";
  const Ran linked = RunShell("'./a b'" + verify + "r");
  EXPECT_EQ(linked.status, 1) << linked.errors;
  EXPECT_NE(linked.output.find("\n  replay: './a b' verify s/graph/graph-"), std::string::npos)
      << linked.output;
  EXPECT_EQ(linked.output.find("replay: assay "), std::string::npos) << linked.output;
  const auto report = Content("r");
  EXPECT_NE(report.at("report.txt").find("\n  replay: assay verify s/graph/graph-"),
            std::string::npos);
  ASSERT_EQ(Run(verify + "r").status, 1);
  ExpectSame(Content("r"), report);
  const std::string replay = ReplayIn(Run(verify + "r").output);  // "verify s/... --backend ..."
  const std::string vector = replay.substr(7, replay.find(' ', 7) - 7);
  const Ran reduced =
      RunShell("'./a b' reduce " + vector + " --backend canary:swapped-operands --out x.tvec");
  EXPECT_NE(reduced.output.find("\nreplay: './a b' verify x.tvec "), std::string::npos)
      << reduced.output << reduced.errors;
}

// A backend that crashes is started anew for each run, so that a reduction takes few of them. It
// crashes on large graphs only, so most of the runs make nothing smaller.
TEST_F(Cli, ReducesACrashInAsManyRunsAsATimeOut) {
  ASSERT_EQ(Run("gen --out s --count 1 --seed 7 --kind graph --profile INT --ext none").status, 0);
  const auto bytes = fs::file_size(Path("s/graph/graph-000000.tvec")) / 3;
  WriteScript("backend", "echo >>runs.txt; [ $(stat -c %s $1/graph-0.tosa) -lt " +
                             std::to_string(bytes) + " ] || kill -SEGV $$; exit 77");
  const std::string reduce =
      "reduce s/graph/graph-000000.tvec --backend exec:./backend --out x.tvec";
  ExpectStatus(1, reduce, " in 50 runs, stopped at --max-runs\n");
  const std::string runs = *ReadTextFile(Path("runs.txt"));
  EXPECT_LT(std::ranges::count(runs, '\n'), 60);
  ExpectStatus(1, reduce + " --max-runs 60", " in 60 runs, stopped at --max-runs\n");
  fs::remove(Path("runs.txt"));
  EXPECT_EQ(Run("verify s --backend exec:./backend --report r --minimize").status, 1);
  EXPECT_LT(std::ranges::count(*ReadTextFile(Path("runs.txt")), '\n'), 120);
}

// The vector that a signal ends with is written, and it still fails.
TEST_F(Cli, ReduceWritesWhatItHasWhenASignalEndsIt) {
  ASSERT_EQ(Run("gen --out s --count 1 --seed 3 --kind graph --profile INT --ext none").status, 0);
  WriteScript("backend", "echo >>runs.txt; sleep 0.05; echo no >$1/step-0-refused.txt");
  const pid_t pid = Start("reduce s/graph/graph-000000.tvec --backend exec:./backend --out x.tvec");
  EXPECT_TRUE(WaitFor([&] {
    const auto text = ReadTextFile(Path("runs.txt"));
    return text && std::ranges::count(*text, '\n') > 5;
  }));
  kill(pid, SIGTERM);
  kill(pid, SIGINT);
  const int status = Status(pid);
  ASSERT_TRUE(WIFEXITED(status)) << *ReadTextFile(Path("err.txt"));
  EXPECT_EQ(WEXITSTATUS(status), 1) << *ReadTextFile(Path("err.txt"));
  const std::string said = *ReadTextFile(Path("out.txt"));
  EXPECT_NE(said.find(", stopped by a signal\n"), std::string::npos) << said;
  EXPECT_LT(fs::file_size(Path("x.tvec")), fs::file_size(Path("s/graph/graph-000000.tvec")));
  ExpectStatus(1, ReplayIn(said), "FAIL");
}

// Standard error is a terminal, where progress is a bar.
TEST_F(Cli, VerifyShowsHowManyVectorsAreLeft) {
  ASSERT_EQ(Run("gen --out s --count 12 --kind graph").status, 0);
  for (const std::string options : {"", " --report r --minimize", " --target here.json"}) {
    if (options.ends_with("json")) {
      ASSERT_EQ(Run("target make --profile INT --profile FP --out here.json").status, 0);
    }
    const Ran ran = RunShell("script -qec \"$ASSAY verify s --backend reference" + options +
                             " >out.txt\" /dev/null");
    EXPECT_NE(ran.output.find("verify 12/12 [##############################]"), std::string::npos)
        << options << ran.output << ran.errors;
  }
}

TEST_F(Cli, FindsMinimizesAndReplaysACanary) {
  ASSERT_EQ(Run("gen --out s --count 60 --seed 2 --kind graph").status, 0);
  const Ran ran = Run("verify s --backend canary:swapped-operands --report r --minimize");
  EXPECT_EQ(ran.status, 1);
  const std::string replay = ReplayIn(ran.output);
  EXPECT_EQ(Run(replay).status, 1) << replay;
  // A wrong difference may also break a REQUIRE of a later operator; those findings name that one.
  std::string file;
  for (const auto& entry : fs::directory_iterator(Path("r/findings"))) {
    const std::string name = entry.path().filename();
    if (name.starts_with("sub-") && name.ends_with(".tvec")) file = "r/findings/" + name;
  }
  ASSERT_NE(file, "");
  ExpectStatus(0, "verify " + file + " --backend reference", "total: 1 vector on");
  ExpectStatus(1, "reduce " + file + " --backend canary:swapped-operands --out x.tvec", "SUB");
  ExpectStatus(3, "reduce " + file + " --backend reference --out y.tvec", "nothing to reduce");
  EXPECT_FALSE(fs::exists(Path("y.tvec")));
  // Findings of an earlier run stay where they are, but are not reported as those of a later run.
  EXPECT_EQ(ran.errors.find("another run"), std::string::npos) << ran.errors;
  const Ran clean = Run("verify s --backend reference --report r --minimize");
  EXPECT_EQ(clean.status, 0);
  EXPECT_NE(clean.errors.find("r/findings: "), std::string::npos) << clean.errors;
  EXPECT_NE(clean.errors.find(" of another run"), std::string::npos) << clean.errors;
}

TEST_F(Cli, RefusesADamagedSuite) {
  ASSERT_EQ(Run("gen --out s --count 3 --kind operator").status, 0);
  const std::string file = AnyFile("s/operator", ".tvec");
  fs::resize_file(Path(file), 100);
  ExpectStatus(2, "verify s --backend reference", file.substr(2));
  // Alone, the file is reported as bad input, not as the end of the run.
  const Ran ran = Run("verify " + file + " --backend reference");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.output.find("1 bad input"), std::string::npos) << ran.output;
}

TEST_F(Cli, ShowsChecksRunsAndConverts) {
  ASSERT_EQ(Run("gen --out s --count 1 --kind operator").status, 0);
  const std::string vector = AnyFile("s/operator", ".tvec");
  ExpectStatus(0, "show " + vector, "step 0");
  ExpectStatus(0, "show " + vector + " --json", "\"operators\"");
  ExpectStatus(0, "show " + vector + " --dot", "digraph");
  ExpectStatus(0, "show s", vector);
  ExpectStatus(0, "check " + vector, "no static rule is broken");
  ExpectStatus(0, "run " + vector + " --out o", "step 0: valid");
  EXPECT_FALSE(Content("o").empty());
  ExpectStatus(0, "run " + vector + " --json", "\"outcome\": \"valid\"");
  ExpectStatus(0, "convert " + vector + " g.tosa", "");
  ExpectStatus(0, "show g.tosa", "main");
  ExpectStatus(0, "check g.tosa --json", "\"broken\"");
  ExpectStatus(0, "convert g.tosa g.dot", "");
  EXPECT_NE(ReadTextFile(Path("g.dot"))->find("digraph"), std::string::npos);
  ExpectStatus(2, "convert g.tosa g.bogus", "g.bogus");
  ExpectStatus(2, "convert " + vector + " g.tosa --graph 7", "--graph 7");
  ExpectStatus(2, "mutants g.tosa", "g.tosa: a graph without inputs");
}

// A module with one ADD of two i32 inputs.
constexpr char kAddModule[] = R"(
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>):
    %0 = "tosa.add"(%arg0, %arg1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    "func.return"(%0) : (tensor<2xi32>) -> ()
  }) : () -> ()
}) : () -> ()
)";

TEST_F(Cli, RunsAGraphOnItsInputs) {
  std::ofstream(Path("add.mlir")) << kAddModule;
  ExpectStatus(0, "convert add.mlir add.tosa", "");
  ExpectStatus(0, "run add.tosa", "inputs drawn with seed 1: i32 from");
  ExpectStatus(2, "run add.tosa --input bogus", "bogus");
  // The inputs come from another run: they are the numbers of a vector.
  RunShell(
      "printf '\\223NUMPY\\001\\000v\\000%-117s\\n' "
      "\"{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\" >x.npy; "
      "printf '\\001\\000\\000\\000\\376\\377\\377\\377' >>x.npy");
  const std::string show = Run("show add.tosa").output;
  const size_t first = show.find("(%") + 2;
  const std::string a = show.substr(first, show.find(':', first) - first);
  const size_t second = show.find(",%", first) + 2;
  const std::string b = show.substr(second, show.find(':', second) - second);
  const std::string inputs = " --input " + a + "=x.npy --input " + b + "=x.npy";
  ExpectStatus(2, "run add.tosa --input " + a + "=x.npy",
               "add.tosa: input \"" + b + "\" of type i32[2] is not given");
  ExpectStatus(0, "run add.tosa" + inputs, "i32[2]{2,-4}");
  ExpectStatus(0, "run add.tosa --repeat 2" + inputs, "step 1: valid");
  ExpectStatus(2, "run add.tosa --input nobody=x.npy" + inputs, "nobody");
  ExpectStatus(3, "run add.tosa --max-bytes 8" + inputs, "unsupported");
  ExpectStatus(0, "convert add.tosa add.tvec" + inputs, "");
  ExpectStatus(0, "verify add.tvec --backend reference", "1 agrees");
}

TEST_F(Cli, JudgesAProgram) {
  ASSERT_EQ(Run("gen --out s --count 4 --kind operator").status, 0);
  const std::string adapter =
      "exec:python3\\ " ASSAY_SOURCE_DIR "/src/backend/examples/adapter.py\\ " + kAssay;
  const Ran good = RunShell("$ASSAY verify s --backend " + adapter);
  EXPECT_EQ(good.status, 0) << good.output << good.errors;
  EXPECT_NE(good.output.find("4 agrees"), std::string::npos) << good.output;

  WriteScript("decline", "echo no thanks >&2; exit 77");
  ExpectStatus(3, "verify s --backend exec:./decline", "unsupported: no thanks");
  WriteScript("crash", "kill -SEGV $$");
  ExpectStatus(1, "verify s --backend exec:./crash", "signal 11");
  WriteScript("silent", "exit 0");
  ExpectStatus(1, "verify s --backend exec:./silent", "but no answer");
  WriteScript("refuse", "echo I will not >$1/step-0-refused.txt");
  ExpectStatus(1, "verify s --backend exec:./refuse", "I will not");
  WriteScript("garbage", "echo garbage >$1/step-0-output-0.npy");
  ExpectStatus(1, "verify s --backend exec:./garbage", "step-0-output-0.npy");
  WriteScript("hang", "sleep 100");
  ExpectStatus(1, "verify s/operator --backend exec:./hang --wall-seconds 0.2 --shard 0/4",
               "time-out");
  WriteScript("flaky", "[ -e seen ] && exit 77; touch seen; kill -SEGV $$");
  ExpectStatus(3, "verify s --backend exec:./flaky --jobs 1", "undecided: not repeatable");
  // The crash occurs twice, and then never again. It is a finding, reported as one that no replay
  // shows.
  WriteScript("rare", "echo >>runs; [ $(wc -l <runs) -gt 2 ] && exit 77; kill -SEGV $$");
  ExpectStatus(1,
               "verify " + AnyFile("s", ".tvec") + " --backend exec:./rare --minimize --report r",
               ", not repeatable");
  EXPECT_TRUE(
      fs::path(AnyFile("r/findings", ".tvec")).filename().string().starts_with("not-repeatable-"));
  // The crash occurs five times in a row. This is not enough if more repetitions are required.
  WriteScript("fading", "echo >>fades; [ $(wc -l <fades) -gt 5 ] && exit 77; kill -SEGV $$");
  ExpectStatus(3, "verify " + AnyFile("s", ".tvec") + " --backend exec:./fading --repeat 5",
               "undecided: not repeatable");
}

// This helper answers an IDENTITY rightly only in a process that has run no other vector.
TEST_F(Cli, BlamesNoBackendForWhatGoesWrongInASharedProcess) {
  ASSERT_EQ(RunShell("$ASSAY gen --out s --kind operator --op IDENTITY --type i32").status, 0);
  WriteScript("helper", R"(exec python3 -c '
import struct, sys
def number(n): return struct.pack("<Q", n)
def take(n):
    global request
    taken, request = request[:n], request[n:]
    return taken
def took(): return struct.unpack("<Q", take(8))[0]
while head := sys.stdin.buffer.read(4):
    request = sys.stdin.buffer.read(struct.unpack("<I", head)[0])
    take(took()), take(took()), took(), took(), took(), take(took()), took(), take(took()), take(took()), took()
    alone = took()
    for _ in range(4): took()
    reply = number(0) * 10 + number(calls := took())
    for _ in range(calls):
        took()
        value = take(took())
        value = value if alone else bytes(byte ^ 1 for byte in value)
        reply += number(1) + number(len(value)) + value
    sys.stdout.buffer.write(struct.pack("<I", len(reply)) + reply)
    sys.stdout.buffer.flush()
')");
  const Ran ran = RunShell(
      "ASSAY_MLIR_HELPER=./helper $ASSAY verify $(ls s/operator/*.tvec | head -1) --backend mlir");
  EXPECT_EQ(ran.status, 3) << ran.output << ran.errors;
  EXPECT_NE(ran.output.find("undecided: not repeatable"), std::string::npos) << ran.output;
}

// The backend refuses two operators in the same words. In graphs of many operators nobody can tell
// which one it means.
TEST_F(Cli, FindsBothReasonsOfOneComplaint) {
  ASSERT_EQ(Run("gen --out s --count 40 --kind graph --profile INT").status, 0);
  WriteScript("refuse", kAssay +
                            " show $1/graph-0.tosa | grep -q 'NEGATE\\|REVERSE' || exit 77\n"
                            "for i in 0 1 2 3; do echo no >$1/step-$i-refused.txt; done");
  const Ran ran = Run("verify s --backend exec:./refuse --minimize --report r");
  EXPECT_EQ(ran.status, 1) << ran.errors;
  EXPECT_NE(ran.output.find("likewise NEGATE "), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("FAIL  REVERSE "), std::string::npos) << ran.output;
}

TEST_F(Cli, FuzzesResumesAndReplays) {
  const std::string fuzz = "fuzz --backend canary:swapped-operands --seed 4 --reproducible --out f";
  const Ran first = ExpectStatus(1, fuzz + " --budget 300 --jobs 2", "seed 4");
  EXPECT_TRUE(first.output.starts_with("seed 4, backend canary:swapped-operands")) << first.output;
  const auto whole = Content("f");
  ExpectStatus(2, fuzz + " --budget 300", "--resume");
  ExpectStatus(2, "fuzz --backend reference --seed 4 --out f --budget 300 --resume", "another run");
  fs::remove_all(Path("f"));
  ExpectStatus(1, fuzz + " --budget 200", "total: 200 vectors");
  ExpectStatus(1, fuzz + " --budget 300 --resume --jobs 1", "from case 200");
  ExpectSame(Content("f"), whole);
  const std::string finding = AnyFile("f/findings", ".tvec");
  ExpectStatus(1, "verify " + finding + " --backend canary:swapped-operands", "SUB");
  ExpectStatus(0, "fuzz --backend reference --budget 1s --out g", "0 disagrees");
}

TEST_F(Cli, CountsTheMutantsThatASuiteKills) {
  ASSERT_EQ(Run("gen --out s --kind operator --op ABS,CLAMP").status, 0);
  const Ran one = ExpectStatus(0, "mutants s --only abs/ --json --jobs 1", "\"state\":\"killed\"");
  EXPECT_EQ(Run("mutants s --only abs/ --json --jobs 2").output, one.output);
  ExpectStatus(0, "mutants s --only clamp/operand-in-fp32", "equivalent");
  ExpectStatus(3, "mutants s --only while_loop/", "not reached");
  ASSERT_EQ(Run("gen --out few --kind operator --count 20").status, 0);
  ExpectStatus(1, "mutants few", "survived");
  ExpectStatus(0, "mutants --list --only abs/", "abs/negated");
  ExpectStatus(2, "mutants", "SUITE");
  ExpectStatus(2, "mutants nothing", "nothing");
  ExpectStatus(2, "mutants s --only bogus", "bogus");
  ExpectStatus(1, "verify s --backend mutant:abs/negated", "ABS");
  ExpectStatus(2, "verify s --backend mutant:bogus", "bogus");
}

TEST_F(Cli, PlanCheckNamesWhatCollides) {
  const auto write = [&](const std::string& name, const std::string& rows) {
    std::ofstream(Path(name)) << "id,lower,upper,size,offset\n" << rows;
  };
  write("sound.csv", "a,0,3,4,0\nb,3,9,4,0\nc,0,9,4,4\n");
  ExpectStatus(0, "plan check sound.csv --prove", "the plan is sound");
  ExpectStatus(0, "plan check sound.csv --capacity 8 --json", "\"gap\": 0");
  ExpectStatus(1, "plan check sound.csv --capacity 7", "bounds: \"c\" lies at 4 with 4 bytes");
  // Eight bytes are live at once. The plan leaves bytes 4 to 8 free, so it uses 12.
  write("loose.csv", "a,0,3,4,0\nb,0,9,4,8\n");
  ExpectStatus(0, "plan check loose.csv --prove", "proved: the smallest peak is 8");
  ExpectStatus(1, "plan check loose.csv --prove --capacity 7", "proved: no plan has these buffers");
  write("broken.csv", "a,0,4,4,0\nb,3,9,4,2\n");
  for (const std::string prove : {"", " --prove"}) {
    ExpectStatus(1, "plan check broken.csv" + prove,
                 "\"a\" and \"b\" share bytes 2 to 4 of pool \"memory\" at tick 3");
  }
  std::ofstream(Path("problem.csv")) << "id,lower,upper,size\na,0,1,1\n";
  ExpectStatus(3, "plan check problem.csv", "problem.csv: holds a problem, but no plan");
  write("bad.csv", "a,0,4,4,x\n");
  ExpectStatus(2, "plan check bad.csv", "bad.csv: line 2, column 9: offset: \"x\" is not");
  ExpectStatus(2, "plan check sound.csv --format xla", "there is none");
  ExpectStatus(2, "plan check none.csv", "none.csv");
  ExpectStatus(2, "plan check", "PLAN is required");
  ExpectStatus(2, "plan", "FILE is required");
}

TEST_F(Cli, PlansInPoolsInTheirOrder) {
  std::ofstream(Path("p.csv")) << "id,lower,upper,size\na,0,4,500\nb,1,4,300\nc,2,4,200\n";
  ExpectStatus(0, "plan p.csv",
               "1000 bytes for buffers of 1000; at least 1000 are needed, so none");
  ExpectStatus(0, "plan p.csv --pool fast:rw:size=900 --pool slow:rw",
               "pool \"slow\": 200 bytes, 1 buffer\n");
  for (const std::string algorithm : {"auto", "exact", "greedy_by_size", "hill_climb"}) {
    ExpectStatus(2, "plan p.csv --pool fast:rw:size=900 --algorithm " + algorithm,
                 "3 buffers of 1000 bytes that can go nowhere else are live at once, at 2");
  }
  const std::string files = ASSAY_SOURCE_DIR "/corpus/planning/minimalloc/";
  const std::string full = "plan " + files + "A.1048576.csv --pool memory:rw:size=1048576";
  ExpectStatus(3, full + " --algorithm greedy_by_size", "no plan found: no pool has room left for");
  ExpectStatus(3, full + " --max-steps 1000", "no plan found");
  ExpectStatus(0, full, "1048576 bytes for buffers of");
  ExpectStatus(2, "plan p.csv --pool fast:ro", "no workspace for \"a\"");
  ExpectStatus(2, "plan p.csv --pool fast", "says neither rw nor ro");
  ExpectStatus(2, "plan p.csv --pool fast:rw:size=-1", "\"-1\" is no number of bytes");
  ExpectStatus(2, "plan p.csv --pool fast:rw:colour=red", "\"colour\" is none of");
  ExpectStatus(2, "plan p.csv --algorithm none", "no algorithm is named 'none'");
  ExpectStatus(2, "plan none.csv", "none.csv");
}

TEST_F(Cli, PlansGraphs) {
  ASSERT_EQ(Run("gen --out s --kind control-flow --count 3").status, 0);
  const std::string graph = AnyFile("s/control-flow", ".tvec") + " --graph 0";
  ExpectStatus(0, "plan " + graph, "pool \"workspace\"");
  ExpectStatus(0, "plan " + graph + " --workspace-io --share --json", "\"kind\": \"input\"");
  ExpectStatus(2, "plan " + graph + " --pool dtcm:rw:target=npu", "no pool for");
  ExpectStatus(0, "plan " + graph + " --pool dtcm:rw:target=npu --target npu", "pool \"dtcm\"");
  ExpectStatus(2, "plan " + graph + " --target npu:CONV9D", "\"CONV9D\" is no operator");
  ExpectStatus(2, "plan " + AnyFile("s/control-flow", ".tvec") + " --graph 99", "--graph takes");
}

TEST_F(Cli, PlanCheckTakesWhatPlanPrints) {
  std::ofstream(Path("p.csv")) << "id,lower,upper,size\na,0,3,4\nb,2,9,4\nc,5,9,8\n";
  ASSERT_EQ(RunShell("$ASSAY plan p.csv --json > p.json").status, 0);
  ExpectStatus(0, "plan check p.json --prove", "the plan is sound");
}

// Executes a graph of three sums in a row in its memory: by our plan, and by a plan with one offset
// for all buffers.
TEST_F(Cli, PlanRunExecutesInsideAPlan) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 4").status, 0);
  ExpectStatus(0, "plan run s", "4 steps executed in their memory, 0 wrong");
  ExpectStatus(0, "plan run s --share --workspace-io --json", "\"differences\": 0");
  const std::string vector = "s/graph/graph-000001.tvec";
  const std::string text = ExpectStatus(0, "plan " + vector + " --json", "\"plan\"").output;
  std::ofstream(Path("plan.json")) << text;
  ExpectStatus(0, "plan run " + vector + " --plan plan.json", "0 wrong");
  std::ofstream(Path("zero.json"))
      << std::regex_replace(text, std::regex("\"offset\": [0-9]+"), "\"offset\": 0");
  const Ran wrong = ExpectStatus(1, "plan run " + vector + " --plan zero.json", ", and finds ");
  EXPECT_NE(wrong.output.find("1 wrong"), std::string::npos);
  ExpectStatus(2, "plan run s --algorithm none", "no algorithm is named 'none'");
  ExpectStatus(2, "plan run s --plan nothing.json", "nothing.json");
  ExpectStatus(2, "plan run nothing", "nothing");
}

TEST_F(Cli, GeneratedPlansAreBrokenAsTheySay) {
  ExpectStatus(0, "plan generate --out plans --seed 7", "plans in plans");
  const std::string list = *ReadTextFile(Path("plans/plans.json"));
  EXPECT_NE(list.find("\"broken\": \"alignment\""), std::string::npos);
  ExpectStatus(0, "plan check plans/0000000-sound.json", "the plan is sound");
  ExpectStatus(1, "plan check plans/0000012-second-call.json", "overlap: ");
  ExpectStatus(1, "plan check plans/0000037-placed-twice.json", "twice: ");
  ExpectStatus(0, "plan generate --out again --seed 7", "again");
  ExpectSame(Content("plans"), Content("again"));
}

}  // namespace
}  // namespace assay::cli_test

// SPDX-License-Identifier: Apache-2.0
// Tests conformance packages and statements about runs on them.
#include <filesystem>

#include "conformance_package.h"
#include "json_text.h"
#include "run_assay.h"

namespace assay::conformance_cli_test {
namespace {

class ConformanceCli : public Cli {
 protected:
  static constexpr char kGen[] =
      "gen --conformance INT --ext none --op SUB,ADD,RESCALE,MATMUL --count 3000 ";

  // All tests have a copy of one package, which takes seconds to make.
  void SetUp() override {
    static const Result<TemporaryDirectory> made = TemporaryDirectory::Make();
    const std::filesystem::path shared = made->path() + "/p";
    if (std::filesystem::exists(shared)) {
      std::filesystem::copy(shared, Path("p"), std::filesystem::copy_options::recursive);
    } else {
      ExpectStatus(0, std::string(kGen) + "--out p", "package is in p");
      std::filesystem::copy(Path("p"), shared, std::filesystem::copy_options::recursive);
    }
  }

  void Verify(const std::string& report, const std::string& options) {
    Run("verify p/vectors --report " + report + " --backend " + options);
  }

  Json Statement(int status, const std::string& arguments) {
    const Ran ran = Run("submit " + arguments + " --package p --out st.json");
    EXPECT_EQ(ran.status, status) << ran.output << ran.errors;
    return JsonFrom(*ReadTextFile(Path("st.json")));
  }
};

TEST_F(ConformanceCli, PackageIsTheSameForAnyNumberOfJobsAndHasAllItsParts) {
  ExpectStatus(0, std::string(kGen) + "--out q --jobs 3", "package is in q");
  const auto files = Content("p");
  ExpectSame(files, Content("q"));
  for (const char* name :
       {"README.md", "package.json", "must-pass.json", "must-pass.txt", "coverage.txt",
        "coverage.json", "READINGS.md", "manifest.sha256", "vectors/suite.json"}) {
    EXPECT_TRUE(files.contains(name)) << name;
  }
  const Ran sums = RunShell("cd p && sha256sum --quiet -c manifest.sha256");
  EXPECT_EQ(sums.status, 0) << sums.output << sums.errors;
  const std::string& manifest = files.at("manifest.sha256");
  EXPECT_EQ(std::count(manifest.begin(), manifest.end(), '\n') + 1, std::ssize(files));
}

// All that vectors of the same campaign reach, few vectors reach.
TEST_F(ConformanceCli, PackageReachesWhatTheWholeCampaignReaches) {
  ExpectStatus(0,
               "gen --profile INT --ext none --op SUB,ADD,RESCALE,MATMUL --count 3000 --out all "
               "--kind operator --kind control-flow --kind stateful --kind dot-product --kind "
               "invalid",
               "vectors in all");
  const std::string target = " --op SUB,ADD,RESCALE,MATMUL --json";
  const auto all = JsonFrom(Run("coverage all" + target).output);
  const auto few = JsonFrom(Run("coverage p/vectors" + target).output);
  for (const char* group : {"operators", "type_rows", "rules_broken", "rules_held",
                            "attribute_classes", "shape_classes", "numeric_classes"}) {
    EXPECT_EQ(few[group]["reached"], all[group]["reached"]) << group;
  }
  EXPECT_LT(Content("p").size() * 2, Content("all").size());
}

TEST_F(ConformanceCli, ArmDirectoriesHoldEachStep) {
  ExpectStatus(0, std::string(kGen) + "--arm --out q", "package is in q");
  const auto files = Content("q");
  int64_t vectors = 0, directories = 0;
  for (const auto& [name, text] : files) {
    vectors += name.starts_with("vectors/") && name.ends_with(".tvec") ? 1 : 0;
    directories += name.starts_with("arm/") && name.ends_with("/desc.json") ? 1 : 0;
  }
  EXPECT_EQ(directories, vectors);
  EXPECT_GT(vectors, 50);
  ExpectStatus(2, "gen --arm --out x", "--arm: needs --conformance");
}

TEST_F(ConformanceCli, OptionsThatMakeNoPackageAreRefused) {
  ExpectStatus(2, std::string(kGen) + "--out p", "p: is not empty: there is ");
  ExpectStatus(2, std::string(kGen) + "--out p --force", "--conformance: goes without --force");
  ExpectStatus(2, "gen --conformance NONE --out x", "--profile: no profile is named 'NONE'");
  for (const char* option : {"--smoke --out x", "--packed --out x", "--shard 0/2 --out x"}) {
    EXPECT_EQ(Run(std::string("gen --conformance INT ") + option).status, 2) << option;
  }
  ExpectStatus(2, "gen --conformance INT --out -", "--conformance: needs a folder for --out");
}

TEST_F(ConformanceCli, CompletePackageIsResumedWithoutAChange) {
  const auto made = Content("p");
  const auto time = fs::last_write_time(Path("p/manifest.sha256"));
  ExpectStatus(0, std::string(kGen) + "--out p --resume", "p: is complete: ");
  ExpectStatus(2, std::string(kGen) + "--out p --resume --arm", "p: holds another package: assay");
  ExpectStatus(2, std::string(kGen) + "--out p --resume --seed 2",
               "holds a complete suite of other");
  EXPECT_EQ(fs::last_write_time(Path("p/manifest.sha256")), time);
  ExpectSame(Content("p"), made);
  fs::remove(Path("p/README.md"));
  ExpectStatus(2, std::string(kGen) + "--out p --resume", "p/README.md: is missing");
}

// Turns a package into what a kill before its end leaves. This process, which runs, has the number
// of the killed one by now.
TEST_F(ConformanceCli, ManifestHasNoFileThatAKilledRunLeft) {
  const std::string gen = "gen --conformance INT --ext none --op SUB --count 100 --arm --out q";
  ExpectStatus(0, gen, "package is in q");
  const auto whole = Content("q");
  auto suite = JsonFrom(whole.at("vectors/suite.json"));
  const auto package = JsonFrom(whole.at("package.json"));
  suite["vectors"] = Json::array();
  suite["incomplete"] = {
      {"command", package["command"]},
      {"kinds", {"operator", "control-flow", "stateful", "dot-product", "invalid"}},
      {"cases", 100},
      {"lost", Json::array()}};
  const std::string arm = AnyFile("q/arm", "desc.json"), npy = AnyFile("q/arm", ".npy");
  const auto make_partial = [&] {
    ASSERT_TRUE(WriteFileAtomically(Path("q/vectors/suite.json"), JsonText(suite)));
    for (const std::string& file : {AnyFile("q", ".tvec"), std::string("q/vectors/suite.json"), arm,
                                    npy, std::string("q/arm/left-out.txt"),
                                    std::string("q/README.md"), std::string("q/manifest.sha256")}) {
      std::ofstream(Path(file + "." + std::to_string(getpid()) + ".tmp")) << "half";
    }
  };
  make_partial();
  ExpectStatus(0, gen + " --resume", "package is in q");
  ExpectSame(Content("q"), whole);
  // Files of others stay, and no manifest lists them.
  for (const std::string foreign : {"q/arm/notes.txt.1.tmp", "q/vectors/operator/notes.txt"}) {
    make_partial();
    std::ofstream(Path(foreign)) << "theirs";
    ExpectStatus(2, gen + " --resume", foreign + ": does not belong to the package; remove it");
    EXPECT_EQ(*ReadTextFile(Path(foreign)), "theirs");
    ExpectStatus(3, "verify q/vectors --backend reference", "the suite is incomplete");
    fs::remove(Path(foreign));
  }
  ExpectStatus(0, gen + " --resume", "package is in q");
  ExpectSame(Content("q"), whole);
}

// A kill at any moment: while vectors are chosen, are written, and while the package is completed.
TEST_F(ConformanceCli, ResumedPackageIsTheSame) {
  const std::string gen = "gen --conformance INT --ext none --op SUB --count 300 --arm --out ";
  ExpectStatus(0, gen + "whole", "package is in whole");
  const auto is_complete = [this] {
    const auto suite = ReadTextFile(Path("q/vectors/suite.json"));
    return suite && suite->find("\"incomplete\"") == std::string::npos;
  };
  int kills = 0;
  for (const std::string last :
       {"vectors/suite.json", "vectors/operator", "arm/operator", "README.md", "manifest.sha256"}) {
    const fs::path path = Path("q/" + last);
    const pid_t pid = Start(gen + "q --resume");
    while ((!fs::exists(path) || fs::is_empty(path)) && waitpid(pid, nullptr, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (kill(-pid, SIGKILL) != 0) kill(pid, SIGKILL);
    Status(pid);
    if (is_complete()) break;
    ++kills;
    ExpectStatus(3, "verify q/vectors --backend reference", " --out q --resume` completes it");
    std::ofstream(Path("q/notes.txt")) << "x";
    ExpectStatus(2, gen + "q --resume", "q: is not empty: there is notes.txt");
    fs::remove(Path("q/notes.txt"));
    ExpectStatus(2, gen + "q --resume --seed 2", "holds a part of another suite");
  }
  EXPECT_GE(kills, 1);
  if (!is_complete()) ExpectStatus(0, gen + "q --resume", "package is in q");
  ExpectSame(Content("whole"), Content("q"));
}

TEST_F(ConformanceCli, RunOnArmDirectoriesIsARunOnTheirVectors) {
  ExpectStatus(0, std::string(kGen) + "--arm --out q", "package is in q");
  Run("verify q/arm --report r --backend reference");
  const std::string submit = "submit r --package q --out st.json";
  ExpectStatus(0, submit, "every claimed list is complete: ");
  Run("verify q/arm --report c --backend canary:swapped-operands");
  EXPECT_EQ(Run("submit c --package q --out st.json").status, 1);
  const auto failed = JsonFrom(*ReadTextFile(Path("st.json")))["lists"][0];
  Run("verify q/vectors --report v --backend canary:swapped-operands");
  EXPECT_EQ(Run("submit v --package q --out st.json").status, 1);
  EXPECT_EQ(JsonFrom(*ReadTextFile(Path("st.json")))["lists"][0], failed);
  // A step without a result, and a report on the directories of another package.
  Run("verify q/arm --report h --backend reference --shard 0/2");
  EXPECT_EQ(Run("submit h --package q --out st.json").status, 3);
  EXPECT_EQ(Run("submit r --package p --out st.json").status, 2);
}

TEST_F(ConformanceCli, GoodRunIsComplete) {
  Verify("r", "reference");
  const Json statement = Statement(0, "r");
  ASSERT_EQ(statement["lists"].size(), 1u);
  const Json& list = statement["lists"][0];
  EXPECT_EQ(list["list"], "PRO-INT");
  EXPECT_TRUE(list["complete"].Bool());
  EXPECT_EQ(list["passed"], list["vectors"]);
  EXPECT_EQ(statement["package"]["sha256"].get<std::string>().size(), 64u);
  for (const Json& open : statement["not_passed"]) EXPECT_EQ(open["list"], "");
  const Ran text =
      ExpectStatus(0, "submit r --package p --out st.txt", "every claimed list is complete: ");
  EXPECT_TRUE(text.output.ends_with("\nthe statement is in st.txt\n")) << text.output;
  EXPECT_NE(ReadTextFile(Path("st.txt"))->find("\nevery claimed list is complete: "),
            std::string::npos);
}

TEST_F(ConformanceCli, CanaryFailsUnlessItsFailuresAreKnown) {
  Verify("r", "canary:swapped-operands");
  const Json statement = Statement(1, "r");
  EXPECT_FALSE(statement["lists"][0]["complete"].Bool());
  EXPECT_GT(statement["lists"][0]["failed"].get<int>(), 0);
  std::ofstream(Path("k.json")) << R"({"format": "assay known failures", "version": 1,
      "known": [{"operator": "SUB", "reason": "operands are swapped"}]})";
  Verify("k", "canary:swapped-operands --known k.json --today 2026-11-26");
  const Json known = Statement(0, "k");
  EXPECT_TRUE(known["lists"][0]["complete"].Bool());
  EXPECT_EQ(known["lists"][0]["known failure"], statement["lists"][0]["failed"]);
  EXPECT_EQ(known["known_failures"][0], "k.json, on 2026-11-26");
  EXPECT_EQ(known["not_passed"].back()["why"].is_string(), true);
  ASSERT_EQ(Run("submit k --package p --out st.txt").status, 0);
  EXPECT_NE(ReadTextFile(Path("st.txt"))->find("  operands are swapped\n"), std::string::npos);
}

TEST_F(ConformanceCli, PartialRunsAreNotJudgedAndShardsAreTheWhole) {
  Verify("a", "reference --shard 0/2");
  Verify("b", "reference --shard 1/2");
  EXPECT_GT(Statement(3, "a")["lists"][0]["missing"].get<int>(), 0);
  EXPECT_EQ(Statement(0, "a b")["lists"][0]["missing"], 0);
  ExpectStatus(0, "merge a b --report m", "0 disagrees");
  EXPECT_EQ(Statement(0, "m")["lists"][0]["missing"], 0);
  // The worst result of a vector counts.
  Verify("c", "reference");
  Verify("d", "reference:template");
  ExpectStatus(2, "submit c d --package p --out st.txt", "d: is of reference:template");
}

TEST_F(ConformanceCli, BackendThatRefusesIsNotJudgedUnlessTheListIsNotClaimed) {
  WriteScript("refuse", "echo unsupported >$1/step-0-unsupported.txt");
  Verify("r", "exec:./refuse");
  EXPECT_NE(Run("submit r --package p --out st.txt").status, 0);
  ExpectStatus(2, "submit r --package p --out st.txt --ext FFT", "EXT-FFT: is not in the package");
  ExpectStatus(2, "submit r --package p --out st.txt --profile FP",
               "PRO-FP: is not in the package");
}

TEST_F(ConformanceCli, ReportsOfOtherPackagesAndChangedFilesAreRefused) {
  ExpectStatus(0, std::string(kGen) + "--seed 2 --out q", "package is in q");
  EXPECT_EQ(Run("verify q/vectors --report r --backend reference").status, 0);
  ExpectStatus(2, "submit r --package p --out st.txt",
               "r/report.jsonl: is not about this package: q/vectors has other vectors");
  EXPECT_EQ(Run("verify p --report s --backend reference").status, 0);
  ExpectStatus(2, "submit s --package p --out st.txt", "it names no suite");
  ExpectStatus(2, "submit none --package p --out st.txt", "none/report.jsonl: cannot open");
  ExpectStatus(2, "submit r --package r --out st.txt", "r: is no conformance package");
  Verify("t", "reference");
  ExpectStatus(0, "submit t --package p --out st.txt", "complete");
  const std::string vector = AnyFile("p", ".tvec"), whole = *ReadTextFile(Path(vector));
  std::ofstream(Path(vector), std::ios::app) << "x";
  ExpectStatus(2, "submit t --package p --out st.txt", vector + ": was changed");
  std::ofstream(Path(vector), std::ios::binary) << whole;
  std::ofstream(Path("p/more.txt")) << "x";
  ExpectStatus(2, "submit t --package p --out st.txt", "p/more.txt: does not belong");
  fs::remove(Path("p/more.txt"));
  fs::remove(Path("p/READINGS.md"));
  ExpectStatus(2, "submit t --package p --out st.txt", "p/READINGS.md: is missing");
}

}  // namespace
}  // namespace assay::conformance_cli_test

// SPDX-License-Identifier: Apache-2.0
// Tests on the command line what tells backends apart: `assay compare`, `assay verify` with several
// backends, and `assay backend traits`.

#include "clean_text.h"
#include "json_text.h"
#include "run_assay.h"

namespace assay::compare_cli_test {
namespace {

class CompareCli : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    ASSERT_EQ(Run("gen --kind operator --match SUB,ADD --seed 3 --count 2000 --out s").status, 0);
  }

  // Returns the folders below `folder`, sorted.
  std::vector<std::string> FoldersIn(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(Path(folder))) {
      if (entry.is_directory()) names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(CompareCli, VerifyOnSeveralBackendsShowsWhereTheyPart) {
  const Ran ran =
      ExpectStatus(1, "verify s --backend reference --backend canary:swapped-operands --report r",
                   "the backends part on");
  for (const char* words : {"A  reference", "B  canary", "Where they part",
                            "agrees  disagrees  s/operator/operator-"}) {
    EXPECT_NE(ran.output.find(words), std::string::npos) << words << "\n" << ran.output;
  }
  const std::vector<std::string> folders = FoldersIn("r");
  ASSERT_EQ(folders.size(), 2u);
  const auto json = JsonFrom(*ReadTextFile(Path("r/comparison.json")));
  const int64_t disagree = json["runs"][1]["cases"]["disagrees"].get<int64_t>();
  EXPECT_GT(disagree, 0);
  EXPECT_EQ(json["parted"][0]["vectors"], disagree);
  EXPECT_EQ(json["same"], json["runs"][1]["cases"]["agrees"]);
  // The reports of backends that ran alone give the same comparison.
  ASSERT_EQ(Run("verify s --backend reference --report a").status, 0);
  ASSERT_EQ(Run("verify s --backend canary:swapped-operands --report b").status, 1);
  const Ran compared = ExpectStatus(1, "compare a b --report c", "the backends part on");
  EXPECT_TRUE(ran.output.ends_with("\n" + compared.output)) << compared.output;
  EXPECT_EQ(*ReadTextFile(Path("c/comparison.txt")), compared.output);
  EXPECT_EQ(*ReadTextFile(Path("c/comparison.html")), *ReadTextFile(Path("r/comparison.html")));
  ExpectStatus(0, "compare a a", "the backends part on 0");
  EXPECT_EQ(Run("compare r").status, 1);  // the two reports in it
}

TEST_F(CompareCli, BackendThatDoesNotRunIsLeftOut) {
  // Its folder has the report of an earlier run.
  ASSERT_EQ(Run("verify s --backend reference --report r/" + FileNameFrom("mlir", "mlir")).status,
            0);
  const Ran ran =
      Run("verify s --backend reference --backend mlir --backend reference:template --report r");
  EXPECT_EQ(ran.status, 3) << ran.errors;
  EXPECT_NE(ran.output.find("the backends part on 0"), std::string::npos) << ran.output;
  EXPECT_NE(ran.errors.find("mlir"), std::string::npos) << ran.errors;
  EXPECT_EQ(ran.output.find("\n  C  "), std::string::npos) << ran.output;
}

TEST_F(CompareCli, WhatOnlyOneBackendCanTakeIsRefusedFirst) {
  const std::string two = "verify s --backend reference --backend reference:template ";
  for (const char* option : {"--resume --report r", "--record r", "--history h", "--since r"}) {
    ExpectStatus(2, two + option, "takes one backend");
  }
  ExpectStatus(2, two + "--minimize", "needs --report");
  ExpectStatus(2, two + "--backend refrence", "reference");
  ExpectStatus(2, two + "--backend mutant:add/nothing", "no mutant is named");
  EXPECT_FALSE(fs::exists(Path("r")));
}

TEST_F(CompareCli, InterruptEndsAllRuns) {
  // The first backend waits for ever, so the signal comes while it runs.
  WriteScript("wait", "touch " + Path("started") + "\nexec sleep 1000");
  const pid_t pid = Start("verify s --jobs 1 --backend exec:./wait --backend reference --report r");
  EXPECT_TRUE(WaitFor([this] { return fs::exists(Path("started")); }));
  kill(pid, SIGINT);
  EXPECT_EQ(WEXITSTATUS(Status(pid)), 3) << *ReadTextFile(Path("err.txt"));
  const std::string output = *ReadTextFile(Path("out.txt"));
  EXPECT_NE(output.find("partial: interrupted after 0 of"), std::string::npos) << output;
  EXPECT_NE(output.find("; the same command judges all of them"), std::string::npos) << output;
  EXPECT_EQ(output.find("reference"), std::string::npos) << output;
  EXPECT_FALSE(fs::exists(Path("r/comparison.json")));
}

TEST_F(CompareCli, TraitsAreReported) {
  const Ran ran = ExpectStatus(0, "backend traits reference --report t",
                               "REDUCE_SUM fp32, last axis, 32 terms: one after the other");
  EXPECT_EQ(*ReadTextFile(Path("t/traits.txt")), ran.output);
  EXPECT_EQ(*ReadTextFile(Path("t/traits.json")),
            Run("backend traits reference --json --report t").output);
  EXPECT_NE(ReadTextFile(Path("t/traits.html"))->find("<svg"), std::string::npos);
  ExpectStatus(3, "backend traits mlir", "mlir");
  ExpectStatus(2, "backend traits refrence", "reference");
  WriteScript("nothing", "exit 77");
  ExpectStatus(3, "backend traits exec:./nothing", "ERF fp32: not supported: ");
}

TEST_F(CompareCli, RefusesWhatIsNoReport) {
  ExpectStatus(2, "compare s", "two folders");
  ExpectStatus(2, "compare s s", "s/report.jsonl");
  ASSERT_EQ(Run("gen --kind operator --match MUL --seed 3 --count 2000 --out other").status, 0);
  ASSERT_EQ(Run("verify s --backend reference --report a").status, 0);
  ASSERT_EQ(Run("verify other --backend reference --report b").status, 0);
  ExpectStatus(2, "compare a b", "b/report.jsonl: shares no vector with a/report.jsonl");
}

}  // namespace
}  // namespace assay::compare_cli_test

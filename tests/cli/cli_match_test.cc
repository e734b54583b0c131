// SPDX-License-Identifier: Apache-2.0
// Tests `--match`, which chooses vectors by their operators.
#include "run_assay.h"

namespace assay::cli_match_test {
namespace {

int VectorsOf(const std::string& folder) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    count += entry.path().extension() == ".tvec" ? 1 : 0;
  }
  return count;
}

TEST_F(Cli, GenKeepsTheMatchingVectorsOfTheUnfilteredSuite) {
  ASSERT_EQ(Run("gen --out all --kind operator --seed 3 --count 400").status, 0);
  const Ran few = RunShell(
      "$ASSAY gen --out few --kind operator --seed 3 --count 400 --match 'ADD fp16, clamp'");
  EXPECT_EQ(few.status, 0) << few.errors;
  const int kept = VectorsOf(Path("few"));
  EXPECT_GT(kept, 1);
  EXPECT_LT(kept, 40);
  EXPECT_NE(few.output.find(std::to_string(kept) + " vectors in few"), std::string::npos)
      << few.output;
  for (const fs::directory_entry& entry : fs::directory_iterator(Path("few/operator"))) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(*ReadTextFile(Path("all/operator/" + name)), *ReadTextFile(entry.path())) << name;
  }
  // `verify` makes the same choice from the suite that holds all vectors.
  const Ran judged = RunShell("$ASSAY verify all --backend reference --match 'ADD fp16, CLAMP'");
  EXPECT_EQ(judged.status, 0) << judged.output << judged.errors;
  EXPECT_NE(judged.output.find("total: " + std::to_string(kept) + " vectors"), std::string::npos)
      << judged.output;
  EXPECT_NE(judged.output.find("left out by --match: " + std::to_string(400 - kept)),
            std::string::npos)
      << judged.output;
}

TEST_F(Cli, GenSaysThatMatchLeavesNothingOfAKind) {
  const Ran none = Run("gen --out s --count 6 --kind operator --kind invalid --match CONV3D");
  EXPECT_EQ(none.status, 3) << none.output;
  EXPECT_NE(none.errors.find("operator: no vector of this kind; no case of it has what --match "
                             "names; a larger --count has more cases"),
            std::string::npos)
      << none.errors;
  EXPECT_EQ(none.errors.find("profiles"), std::string::npos) << none.errors;
}

TEST_F(Cli, TakesTheTypeOfTheFirstInputForAMatch) {
  ASSERT_EQ(Run("gen --out all --kind operator --count 400").status, 0);
  const Ran ran = RunShell("$ASSAY verify all --backend reference --json --match 'CONV3D i8'");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.output.find("[\"CONV3D\",\"i8\"]"), std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("[\"CONV3D\",\"i16\"]"), std::string::npos) << ran.output;
}

TEST_F(Cli, BlamesTheFindingsOfAMatchOnTheirOwnVectors) {
  ASSERT_EQ(Run("gen --out all --kind operator --count 400").status, 0);
  const Ran ran = RunShell(
      "$ASSAY verify all --backend canary:swapped-operands --match 'ABS, SUB i32' --report r");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_NE(ran.output.find("FAIL  SUB i32: wrong value"), std::string::npos) << ran.output;
  const std::string replay = ran.output.substr(ran.output.find("replay: ") + 8);
  const Ran again =
      RunShell("cd . && PATH=$(dirname $ASSAY):$PATH; " + replay.substr(0, replay.find('\n')));
  EXPECT_EQ(again.status, 1) << again.output << again.errors;
  EXPECT_NE(ReadTextFile(Path("r/report.html"))->find("--match &#39;ABS, SUB i32&#39;"),
            std::string::npos);
}

TEST_F(Cli, RefusesAMatchThatNamesNothing) {
  for (const char* match : {"CONV", "ADD,", "ADD i7", "ADD i8 i8", ",", "ADD unknown"}) {
    for (const char* command : {"gen --out s --count 3", "verify all --backend reference"}) {
      const Ran ran = RunShell("$ASSAY " + std::string(command) + " --match '" + match + "'");
      EXPECT_EQ(ran.status, 2) << match;
      EXPECT_EQ(ran.errors.find("assay: --match '"), 0u) << ran.errors;
      EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    }
  }
  ASSERT_EQ(Run("gen --out s --kind operator --count 3").status, 0);
  ExpectStatus(3, "verify s --backend reference --match RFFT2D", "left out by --match: 3");
}

}  // namespace
}  // namespace assay::cli_match_test

// SPDX-License-Identifier: Apache-2.0
// Tests on the command line which expectation decides a verdict, and which vectors get one.
#include "arm_directory.h"
#include "generator_table.h"
#include "rules.h"
#include "run_assay.h"
#include "tvec_file.h"
#include "worked_example.h"

namespace assay::cli_verdicts_test {
namespace {

// Writes SUB(5, 3) as an Arm test directory that records `recorded` as its result.
void WriteSubtraction(const std::string& folder, const char* recorded) {
  TestVector vector = *VectorOfExample(Op::kSub, {"i32[1]{5} i32[1]{3}", "", recorded});
  ASSERT_TRUE(WriteArmDirectory(folder, vector, 0));
}

TEST_F(Cli, LetsOurReadingDecideWhereARecordedResultIsWrong) {
  WriteSubtraction(Path("d"), "i32[1]{-2}");
  const Ran good = ExpectStatus(0, "verify d --backend reference --json", "\"state\":\"agrees\"");
  EXPECT_NE(good.output.find("\"note\":\"contradiction: reference executor: agrees; recorded: "
                             "disagrees (SUB i32: wrong value"),
            std::string::npos)
      << good.output;
  EXPECT_NE(good.output.find("\"contradicts_record\":true"), std::string::npos) << good.output;
  // The canary swaps the operands, and so agrees with the record.
  const Ran bad =
      ExpectStatus(1, "verify d --backend canary:swapped-operands --report r", "FAIL  SUB i32");
  EXPECT_NE(bad.output.find("recorded: agrees"), std::string::npos) << bad.output;
  for (const std::string& text : {bad.output, *ReadTextFile(Path("r/report.txt"))}) {
    EXPECT_NE(
        text.find("1 recorded result contradicts our reading of the text, which decides\n  d\n"
                  "    contradiction: reference executor: disagrees"),
        std::string::npos)
        << text;
  }
  EXPECT_NE(ReadTextFile(Path("r/report.html"))->find("contradict our reading"), std::string::npos);
  EXPECT_NE(ReadTextFile(Path("r/report.xml"))->find("<system-out>contradiction: "),
            std::string::npos);
}

TEST_F(Cli, TellsOfNoContradictionWhereBothVerdictsAreTheSame) {
  WriteSubtraction(Path("d"), "i32[1]{2}");
  for (const char* backend : {"reference", "canary:swapped-operands"}) {
    const Ran ran = Run(std::string("verify d --json --backend ") + backend);
    EXPECT_EQ(ran.output.find("contradict"), std::string::npos) << ran.output;
  }
}

TEST_F(Cli, TellsOfAContradictionWhereAFailureIsRecorded) {
  WriteSubtraction(Path("d"), "i32[1]{2}");
  std::string text = *ReadTextFile(Path("d/desc.json"));
  const std::string field = "\"expected_failure\": ";
  text.replace(text.find(field), field.size() + 5, field + "true");
  ASSERT_TRUE(WriteFileAtomically(Path("d/desc.json"), text));
  ExpectStatus(0, "verify d --backend reference",
               "contradiction: reference executor: agrees; recorded: disagrees (whole "
               "graph: accepted an invalid graph (recorded failure))");
}

// 60000 + 60000 overflows fp16, 60000 - 60000 + 60000 does not: no rule reaches the sum.
TEST_F(Cli, LeavesUndecidedWhatOnlyARecordedResultSays) {
  TestVector vector =
      *VectorOfExample(Op::kReduceSum, {"fp16[3]{60000,60000,-60000}", "axis=0", "fp16[1]{60000}"});
  ASSERT_TRUE(WriteArmDirectory(Path("d"), vector, 0));
  ExpectStatus(
      3, "verify d --backend reference",
      "reference executor: undecided (no sound rule reaches the outputs); recorded: agrees");
}

// Writes vectors that demand implied errors. With `all`, also writes their controls and some
// vectors that demand errors which the text states. Returns how many demand implied errors.
int WriteInvalidVectors(const std::string& folder, bool all) {
  constexpr int64_t kStated = 24;
  const Generator& generator = *GeneratorByKind("invalid");
  GeneratorOptions options;
  options.level = kLevel8K;
  options.target = Requirements{Feature::kProInt, Feature::kExtControlflow, Feature::kExtVariable};
  const int64_t stated = generator.targets(options);
  options.implied_errors = true;
  EXPECT_TRUE(MakeDirectories(folder));
  int implied = 0;
  for (int64_t index = stated - kStated; index < generator.targets(options); ++index) {
    const auto vector = generator.make(options, static_cast<uint64_t>(index));
    if (!vector) continue;
    const bool is_implied = std::ranges::count(vector->tags, kImpliedErrorTag) > 0;
    implied += is_implied ? 1 : 0;
    if (!all && !is_implied) continue;
    const std::string path = folder + "/" + std::to_string(index) + ".tvec";
    EXPECT_TRUE(WriteFileAtomically(path, WriteTestVector(*vector)));
  }
  EXPECT_GT(implied, 20);
  return implied;
}

TEST_F(Cli, JudgesImpliedErrorsOnlyWhereTheyAreAskedFor) {
  const std::string implied = std::to_string(WriteInvalidVectors(Path("s"), true));
  const std::string apart = "apart, implied errors that no ERROR_IF of the text states: " + implied;
  // The backend refuses nothing.
  const std::string accepts = "verify s --backend canary:accepts-all";
  const Ran without = ExpectStatus(1, accepts, apart + " undecided\n");
  EXPECT_EQ(without.output.find("on an implied error"), std::string::npos) << without.output;
  EXPECT_NE(without.output.find("undecided: implied error graph/ERROR_IF/captured-tensor, which no "
                                "ERROR_IF of the text states; --implied-errors judges it"),
            std::string::npos)
      << without.output;
  const Ran with =
      ExpectStatus(1, accepts + " --implied-errors --report r", apart + " disagrees\n");
  // The findings that the text supports come first.
  const size_t heading = with.output.find("\nimplied errors: the text states no ERROR_IF for what");
  ASSERT_NE(heading, std::string::npos) << with.output;
  const std::string first = with.output.substr(0, heading), rest = with.output.substr(heading);
  EXPECT_NE(first.find("\nFAIL  "), std::string::npos) << first;
  EXPECT_EQ(first.find("on an implied error"), std::string::npos) << first;
  EXPECT_NE(
      rest.find("accepted an invalid graph on an implied error (graph/ERROR_IF/captured-tensor)"),
      std::string::npos)
      << rest;
  EXPECT_NE(rest.find("--backend canary:accepts-all --implied-errors\n"), std::string::npos)
      << rest;
  for (size_t at = rest.find("\nFAIL  "); at != std::string::npos;
       at = rest.find("\nFAIL  ", at + 1)) {
    const std::string line = rest.substr(at, rest.find('\n', at + 1) - at);
    EXPECT_NE(line.find("on an implied error"), std::string::npos) << line;
  }
  // Without the option they are undecided, whether the backend refuses them or not. With the
  // option, the reference refuses them.
  ExpectStatus(0, "verify s --backend reference", apart + " undecided\n");
  ExpectStatus(0, "verify s --backend reference --implied-errors", apart + " agrees\n");
  EXPECT_NE(Run("coverage s").output.find("\nimplied_errors "), std::string::npos);
}

TEST_F(Cli, DecidesNothingWhereAllVectorsDemandImpliedErrors) {
  WriteInvalidVectors(Path("s"), false);
  ExpectStatus(3, "verify s --backend reference", " undecided\n");
  ExpectStatus(0, "verify s --backend reference --implied-errors", " agrees\n");
  EXPECT_EQ(Run("verify s --backend reference --strict --implied-errors").status, 0);
}

// Writes a sum with the tag `lattice`. Its element has room in the file that the executor does not
// give it.
void WriteOpenSum(const std::string& path) {
  TestVector vector = *VectorOfExample(Op::kReduceSum, {"fp32[3]{1,2,4}", "axis=0", "fp32[1]{7}"});
  vector.steps[0].outputs[0].reference = {7};
  vector.steps[0].outputs[0].error = {8};
  vector.tags = {"lattice"};
  ASSERT_TRUE(WriteFileAtomically(path, WriteTestVector(vector)));
}

TEST_F(Cli, SuspectsABackendThatDeclaresNothing) {
  ASSERT_TRUE(MakeDirectories(Path("s")));
  WriteOpenSum(Path("s/sum.tvec"));
  const std::string verify = "verify s --backend canary:dropped-last-element";
  const std::string why = "suspect: a finding if the backend declared plain-sums: REDUCE_SUM fp32";
  ExpectStatus(3, verify, ": 0 agrees, 0 disagrees, 1 suspect\n");
  ExpectStatus(3, verify + " --report r", why);
  EXPECT_NE(ReadTextFile(Path("r/report.xml"))->find("<skipped message=\"" + why),
            std::string::npos);
  ExpectStatus(0, "verify s --backend reference", ": 1 agrees, 0 disagrees\n");
  // If anything agrees, a suspect counts only with --strict.
  const TestVector good = *VectorOfExample(Op::kSub, {"fp32[1]{5} fp32[1]{3}", "", "fp32[1]{2}"});
  ASSERT_TRUE(WriteFileAtomically(Path("s/good.tvec"), WriteTestVector(good)));
  ExpectStatus(0, verify, ": 1 agrees, 0 disagrees, 1 suspect\n");
  ExpectStatus(3, verify + " --strict", why);
  EXPECT_NE(Run(verify + " --json").output.find("\"state\":\"suspect\""), std::string::npos);
  // A suspect is made smaller as long as it is one. That decides nothing.
  const std::string reduce =
      "reduce s/sum.tvec --out small.tvec --backend canary:dropped-last-element";
  ExpectStatus(3, reduce, " judgements\n" + why);
  ExpectStatus(3, reduce + " --json", "\"suspect\": \"undeclared value|REDUCE_SUM|");
  ExpectStatus(3, "verify small.tvec --backend canary:dropped-last-element", why);
}

TEST_F(Cli, FindsWhatABackendDeclaresToBeWrong) {
  WriteOpenSum(Path("sum.tvec"));
  const std::string declares = " --backend canary:dropped-last-element --declare plain-sums";
  const Ran found = ExpectStatus(1, "verify sum.tvec" + declares + " --report r --minimize",
                                 "rests on what the backend declares: plain-sums");
  EXPECT_NE(found.output.find(declares + "\n"), std::string::npos) << found.output;
  ExpectStatus(1, "reduce sum.tvec --out small.tvec" + declares, "REDUCE_SUM fp32: wrong value");
  const Ran right =
      ExpectStatus(0, "verify sum.tvec --backend reference --declare plain-sums,rounds-results",
                   "1 elements judged, 0 undecided");
  EXPECT_EQ(right.output.find("total: 1 vector on reference (assay "), 0u) << right.output;
  EXPECT_NE(right.output.find("), declares plain-sums, rounds-results, taps-used: 1 agrees"),
            std::string::npos)
      << right.output;
  for (const char* command : {"verify sum.tvec --backend reference", "backend test reference",
                              "fuzz --backend reference --budget 1 --out f"}) {
    ExpectStatus(2, std::string(command) + " --declare plain-sum",
                 "no declaration is named 'plain-sum'; the nearest is plain-sums");
  }
}

TEST_F(Cli, TestsWhatABackendDeclares) {
  const std::string test = "backend test canary:short-accumulator";
  const std::string probes = "keeps what plain-sums declares (6 of 34 probes differ; MATMUL fp32";
  ExpectStatus(0, test, "not declared   " + probes);
  ExpectStatus(1, test + " --declare plain-sums", "FAILED         " + probes);
  ExpectStatus(0, "backend test reference --declare rounds-results",
               "ok             keeps what rounds-results declares (all 18 probes agree)");
}

TEST_F(Cli, TakesARunWithImpliedErrorsForAnotherRun) {
  const std::string fuzz = "fuzz --backend reference --kind invalid --budget 4 --out f";
  ExpectStatus(0, fuzz + " --implied-errors", "4 vectors");
  ExpectStatus(2, fuzz + " --resume", "holds another run");
}

}  // namespace
}  // namespace assay::cli_verdicts_test

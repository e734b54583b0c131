// Which expectation decides a verdict, and which vectors get one, seen at the command line.
#include "arm_directory.h"
#include "cli.h"
#include "example_vector.h"

namespace assay {
namespace {

// SUB(5, 3) as an Arm test directory that records `recorded` as its result.
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
  // The canary subtracts the other way round, as the record has it.
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
               "contradiction: reference executor: agrees; recorded: disagrees (SUB i32: wrong "
               "outcome (recorded failure))");
}

// 60000 + 60000 overflows fp16, 60000 - 60000 + 60000 does not: we expect neither.
TEST_F(Cli, LeavesUndecidedWhatOnlyARecordedResultSays) {
  TestVector vector =
      *VectorOfExample(Op::kReduceSum, {"fp16[3]{60000,60000,-60000}", "axis=0", "fp16[1]{60000}"});
  ASSERT_TRUE(WriteArmDirectory(Path("d"), vector, 0));
  ExpectStatus(3, "verify d --backend reference",
               "reference executor: the result depends on the order of summation; recorded: ");
}

}  // namespace
}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// Tests of targets on the command line: `assay target`, and --target of the other commands.
#include "operator_table.h"
#include "rounds.h"
#include "run_assay.h"

namespace assay::target_cli_test {
namespace {

class TargetCli : public Cli {
 protected:
  void WriteFile(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
  }
  // A device that has CONV2D in i8 with kernels up to 8x8, and nothing of rank 5.
  void WriteDevice(const std::string& name) {
    WriteFile(name, R"({"assay_target": 1, "name": "device", "limits": {"rank": 4},
      "operators": {"CONV2D": {"types": [{"in_t": "i8", "weight_t": "i8"}],
                               "ranges": {"kernel": {"max": 8}, "stride": {"max": 2}}},
                    "ADD": {"types": ["i32"]}, "TRANSPOSE": {"types": ["i8"]}}})");
  }
};

TEST_F(TargetCli, GeneratesNothingOutsideATarget) {
  WriteDevice("device.json");
  const std::string gen =
      "gen --count " + std::to_string(Rounds(900)) + " --target device.json --out ";
  const Ran made = ExpectStatus(0, gen + "s", "3 operators with their types");
  EXPECT_NE(made.output.find("outside the target"), std::string::npos) << made.output;
  EXPECT_NE(made.output.find("faults of its operators ("), std::string::npos) << made.output;
  ExpectStatus(0, "verify s --backend reference --target device.json", "outside the target: 0");
  ExpectStatus(0, "coverage s --target device.json", "type_rows             ");
  const Ran whole = ExpectStatus(0, "coverage s --target device.json --json", "\"type_rows\"");
  EXPECT_EQ(whole.errors, "");
  ASSERT_EQ(Run(gen + "t --jobs 2").status, 0);
  ExpectSame(Content("s"), Content("t"));
}

// A vector outside of the target says nothing about the device, however small it is.
TEST_F(TargetCli, KeepsMinimizedVectorsInsideATarget) {
  WriteFile("few.json",
            R"({"assay_target": 1, "operators": {"SUB": {"ranges": {"elements": {"min": 4}}}}})");
  ExpectStatus(1,
               "fuzz --backend canary:swapped-operands --out f --kind operator --budget 60 "
               "--target few.json",
               "FAIL  SUB");
  ExpectStatus(0, "check " + AnyFile("f/findings", ".tvec") + " --target few.json",
               "inside the target");
  ASSERT_EQ(Run("gen --out s --kind operator --op SUB --count 60").status, 0);
  ExpectStatus(1,
               "verify s --backend canary:swapped-operands --target few.json --minimize "
               "--report r",
               "FAIL  SUB");
  ExpectStatus(0, "check " + AnyFile("r/findings", ".tvec") + " --target few.json",
               "inside the target");
}

TEST_F(TargetCli, CountsCoverageAgainstATarget) {
  WriteDevice("device.json");
  ASSERT_EQ(Run("gen --out s --kind operator --target device.json").status, 0);
  ExpectStatus(0, "coverage s --target device.json",
               "operators             4/4  (" + std::to_string(kOperatorCount - 4) + " more");
  ExpectStatus(0, "coverage s --target device.json", "\ntype_rows             5/5");
  ExpectStatus(0, "coverage s", "operators             4/" + std::to_string(kOperatorCount - 1));
  // Vectors outside do not count.
  const Ran note = ExpectStatus(0, "coverage s --op ADD", "operators             2/2");
  EXPECT_NE(note.errors.find("vectors are outside the target and do not count"), std::string::npos);
}

TEST_F(TargetCli, CombinesShortcutsWithATarget) {
  WriteDevice("device.json");
  const std::string gen = "gen --kind operator --count 200 --target device.json ";
  ExpectStatus(0, gen + "--op conv2d,abs --out a", "1 operators with their types");
  ExpectStatus(0, gen + "--type i32 --out b", "1 operators with their types");
  ExpectStatus(0, "gen --kind operator --op ADD --max-rank 2 --max-elements 16 --count 300 --out c",
               "vectors");
  ExpectStatus(0, "verify c --backend reference --op ADD --max-rank 2 --max-elements 16",
               "outside the target: 0");
  ExpectStatus(2, gen + "--op ABS --out d", "--target device.json --op ABS: no operator is left");
  ExpectStatus(2, gen + "--op CONV --out d", "--op: no operator is named 'CONV'");
  ExpectStatus(2, gen + "--type int8 --out d", "--type: no type is named 'int8'");
}

TEST_F(TargetCli, LeavesOutVectorsOutsideAndCountsThem) {
  ASSERT_EQ(Run("gen --kind operator --count 60 --op ADD,SUB --out s").status, 0);
  const Ran add = ExpectStatus(0, "verify s --backend reference --op ADD", "outside the target: ");
  const Ran sub = ExpectStatus(0, "verify s --backend reference --op SUB", "outside the target: ");
  const auto outside = [](const Ran& ran) {
    const size_t at = ran.output.find("outside the target: ");
    return std::stoi(ran.output.substr(at + 20));
  };
  EXPECT_GT(outside(add), 0);
  EXPECT_GT(outside(sub), 0);
  const int vectors = static_cast<int>(Content("s").size()) - 1;  // one is suite.json
  EXPECT_EQ(outside(add) + outside(sub), vectors) << "each vector has one of the two operators";
}

TEST_F(TargetCli, SaysWhyAGraphDoesNotFit) {
  ASSERT_EQ(Run("gen --kind operator --count 40 --op CONV2D --type i8 --out s").status, 0);
  const std::string vector = AnyFile("s", ".tvec");
  WriteFile("small.json", R"({"assay_target": 1, "operators": {"CONV2D": {"ranges":
                              {"kernel": {"max": 0}}}}})");
  ExpectStatus(1, "check " + vector + " --target small.json", ", the target has at most 0\n");
  ExpectStatus(1, "check " + vector + " --target small.json --json", "\"outside_target\": [");
  ExpectStatus(1, "check " + vector + " --op ADD", "an operator that the target lacks");
  ExpectStatus(0, "check " + vector + " --op CONV2D", "inside the target");
  EXPECT_EQ(Run("check " + vector).output.find("target"), std::string::npos);
}

TEST_F(TargetCli, EndsWithOneLineIfATargetExcludesEverything) {
  WriteFile("none.json", R"({"assay_target": 1, "operators": {"CONV2D": {"ranges":
                             {"stride": {"max": 0}}}}})");
  ExpectStatus(3, "gen --kind operator --count 50 --target none.json --out s --jobs 1",
               "no vector: 50 of 50 cases are outside the target");
  ExpectStatus(3, "fuzz --kind operator --budget 50 --target none.json --out f -b reference",
               "--target none.json: no vector: all 50 cases are outside the target");
  WriteFile("fp.json", R"({"assay_target": 1, "profiles": ["PRO-FP"], "extensions": []})");
  ExpectStatus(2, "gen --target fp.json --profile PRO-INT --ext none --out t",
               "the target has none of the profiles and extensions");
  WriteFile("8k.json", R"({"assay_target": 1, "level": "8K"})");
  ExpectStatus(2, "gen --target 8k.json --level none --out t",
               "--level none: the target has level 8K");
  WriteFile("bad.json", R"({"assay_target": 1, "operators": {"CONV": {}}})");
  for (const char* command :
       {"gen --out t", "coverage s", "verify s -b reference", "check bad.json", "extract s --out t",
        "fuzz --budget 1 --out g -b reference"}) {
    ExpectStatus(2, std::string(command) + " --target bad.json",
                 "bad.json: /operators/CONV: no operator is named 'CONV'");
  }
  ExpectStatus(2, "gen --target missing.json --out t", "missing.json");
}

TEST_F(TargetCli, ResumesOnlyWithTheSameTarget) {
  WriteFile("t.json", R"({"assay_target": 1, "operators": {"ADD": {}}})");
  ASSERT_EQ(Run("fuzz --kind operator --budget 20 --target t.json --out f -b reference").status, 0);
  const Ran more = ExpectStatus(
      0, "fuzz --kind operator --budget 40 --target t.json --out f -b reference --resume",
      "agrees");
  ExpectStatus(2, "fuzz --kind operator --budget 40 --op ADD --out f -b reference --resume",
               "holds another run");
}

TEST_F(TargetCli, ExtractsWindowsInsideATarget) {
  ASSERT_EQ(Run("gen --kind graph --count 12 --op ADD,SUB,ABS --out s").status, 0);
  const Ran all = ExpectStatus(0, "extract s --windows 1 --out a", "vectors in a");
  const Ran some = ExpectStatus(0, "extract s --windows 1 --op ADD --out b", "outside the target");
  ExpectStatus(0, "verify b -b reference --op ADD", "outside the target: 0");
}

TEST_F(TargetCli, MakesAndShowsTargets) {
  ExpectStatus(0, "target make --profile PRO-INT --ext none --name PRO-INT --out int.json",
               "operators, ");
  ExpectStatus(0, "target show int.json", "profiles and extensions: PRO-INT\n");
  const Ran shown = ExpectStatus(0, "target show int.json --json", "\"profiles\": [\"PRO-INT\"]");
  EXPECT_EQ(shown.output, *ReadTextFile(Path("int.json")));
  ExpectStatus(0, "target make --op ADD,MUL --type i32 --max-rank 3 --out o.json",
               "4 of " + std::to_string(kOperatorCount) + " operators");
  ExpectStatus(0, "target show o.json", "rank at most 3");
  ExpectStatus(2, "target make --profile PRO-IN --out x.json", "PRO-INT");
  ExpectStatus(2, "target show missing.json", "missing.json");
}

std::string AllButOne(size_t count) {
  return std::to_string(count - 1) + " of " + std::to_string(count);
}

// It takes few operators, so it is learned soon.
const std::string kPlugin = "plugin:" ASSAY_BINARY_DIR "/example_backend.so";

// A target has all but CUSTOM, which has one type row.
TEST_F(TargetCli, LearnsATarget) {
  size_t type_rows = 0;
  for (const OperatorRow& row : AllOperators()) type_rows += row.type_rows.size();
  const Ran learned = ExpectStatus(
      0, "target learn -b reference --name mine --out t.json",
      AllButOne(kOperatorCount) + " operators, " + AllButOne(type_rows) + " type rows");
  EXPECT_NE(learned.output.find(" probes, 0 refusals, t.json"), std::string::npos);
  ExpectStatus(0, "target show t.json", "mine\n");
  ExpectStatus(0, "target learn -b " + kPlugin + " --out u.json --json", "\"refusals\": [");
  ExpectStatus(2, "target learn -b nothing --out u.json", "no backend is named 'nothing'");
  WriteScript("dies", "exit 1");
  ExpectStatus(2, "target learn -b worker:" + Path("dies") + " --out v.json", "dies");
  EXPECT_FALSE(fs::exists(Path("v.json")));
}

// Both forms name the same backend, and `backend test` has the same two.
TEST_F(TargetCli, TakesTheBackendAsAnArgumentOrAnOption) {
  ExpectStatus(2, "target learn nothing --out u.json", "no backend is named 'nothing'");
  ExpectStatus(2, "target learn --backend nothing --out u.json", "no backend is named 'nothing'");
  ExpectStatus(2, "target learn --out u.json", "--backend is required");
  ExpectStatus(2, "backend test --backend nothing", "no backend is named 'nothing'");
  ExpectStatus(2, "backend traits -b nothing", "no backend is named 'nothing'");
  ExpectStatus(0, "target learn " + kPlugin + " --out u.json", " refusals, u.json");
}

}  // namespace
}  // namespace assay::target_cli_test

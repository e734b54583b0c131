// SPDX-License-Identifier: Apache-2.0
// Tests `assay extract` on the command line.
#include "block_builder.h"
#include "run_assay.h"
#include "suite.h"
#include "tosa_file.h"
#include "tvec_file.h"

namespace assay::cli_extract_test {
namespace {

class ExtractCli : public Cli {
 protected:
  // Writes a graph of ABS -> EXP on its input, and SIN -> LOG on a constant. SIN is zero within its
  // own bound, so LOG may be anything.
  void WriteGraph(const std::string& name) {
    BlockBuilder b;
    const TensorIndex absolute = b.Add(Op::kAbs, {b.Input("fp32[8]")}, "fp32[8]");
    const TensorIndex sine = b.Add(Op::kSin, {b.Constant("fp32[1]{3.1415925}")}, "fp32[1]");
    b.Outputs({b.Add(Op::kExp, {absolute}, "fp32[8]"), b.Add(Op::kLog, {sine}, "fp32[1]")});
    ASSERT_TRUE(WriteFileAtomically(Path(name), WriteTosa(GraphOf({b.block}))));
  }
};

TEST_F(ExtractCli, WritesASuiteOfWindowsThatIsTheSameForASeed) {
  WriteGraph("g.tosa");
  ExpectStatus(0, "extract g.tosa --windows 2 --out a",
               "4 operators, 4 distinct configurations, 4 vectors in a/operator\n"
               "2 windows of 2 operators, 2 distinct, 1 vector in a/window\n");
  ExpectStatus(0, "extract g.tosa --windows 2 --out again", "1 skipped: no sound rule reaches");
  ExpectStatus(0, "verify a --backend reference", "total: 5 vectors");
  ExpectStatus(0, "extract g.tosa --windows 2 --out b --seed 1", "4 vectors in b/operator");
  ExpectSame(Content("a"), Content("b"));
  ExpectStatus(0, "extract g.tosa --windows 2 --out c --seed 2", "4 vectors in c/operator");
  const char* first = "window/window-000000.tvec";
  EXPECT_TRUE(Content("a")[first] != Content("c")[first]) << "the seeds give the same inputs";
}

TEST_F(ExtractCli, WritesThePartsThatCarryState) {
  ASSERT_TRUE(
      WriteFileAtomically(Path("cell.graph"), std::string_view(R"(block main (%x:fp32[4]) -> (%y)
  VARIABLE() name=a type=fp32 var_shape=[4] initial_value=fp32[4]{1,1,1,1}
  %a:fp32[4] = VARIABLE_READ() name=a
  %s:fp32[4] = ADD(%a, %x)
  VARIABLE_WRITE(%s) name=a
  %y:fp32[4] = ABS(%s))")));
  ExpectStatus(0, "extract cell.graph --out a",
               "parts that carry state: 1, 1 distinct, 1 vector in a/sequence\n");
  ExpectStatus(0, "verify a --backend reference", ": 4 agrees, 0 disagrees");
  ExpectStatus(1, "verify a/sequence --backend mutant:variable_write/lost", "1 disagrees");
  // The other vectors have no state, and no graph without variables gets the folder.
  ExpectStatus(0, "verify a/operator a/window --backend mutant:variable_write/lost", "0 disagrees");
  WriteGraph("g.tosa");
  ExpectStatus(0, "extract g.tosa --out b", "4 vectors in b/operator");
  EXPECT_FALSE(fs::exists(Path("b/sequence")));
}

TEST_F(ExtractCli, WritesEachConfigurationOnceWithWhatTheModelsNeed) {
  WriteGraph("g.tosa");
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[8]");
  b.Outputs({b.Add(Op::kAbs, {x}, "fp32[8]"), b.Add(Op::kAbs, {b.Input("fp32[9]")}, "fp32[9]")});
  ASSERT_TRUE(WriteFileAtomically(Path("h.tosa"), WriteTosa(GraphOf({b.block}))));
  ExpectStatus(0, "extract g.tosa h.tosa --operators --out a",
               "6 operators, 5 distinct configurations, 5 vectors in a/operator\n");
  EXPECT_TRUE(fs::is_empty(Path("a/window")));
  ExpectStatus(0, "verify a --backend reference", ": 5 agrees, 0 disagrees");
  ExpectStatus(0, "show a/operator/operator-000000.tvec",
               "window of g.tosa: configuration of 2 operators, the first gives t1");
  // Two of the three ABS are the same.
  ExpectStatus(0, "extract g.tosa h.tosa --windows 1 --out b",
               "ABS       fp32           3               2        2");
  ExpectSame(Content("a"), Content("b"));
  const Ran json = ExpectStatus(0, "extract g.tosa h.tosa --out c --json",
                                "\"operators\": 6,\n  \"operators_tested\": 6");
  EXPECT_NE(json.output.find("\"dimension_max\": 9"), std::string::npos) << json.output;
  EXPECT_NE(json.output.find("\"operators\": {\n      \"reached\": 5,"), std::string::npos)
      << json.output;
}

// The suite says what its vectors would have noticed, and operands made for a configuration show
// more.
TEST_F(ExtractCli, SaysWhatTheSuiteWouldHaveNoticed) {
  ASSERT_TRUE(WriteFileAtomically(
      Path("m.graph"), std::string("block main (%x:fp32[64]) -> (%y)\n  %y:fp32[64] = EXP(%x)\n")));
  ExpectStatus(0, "extract m.graph --out a",
               "not noticed: exp/overflow-saturates in configuration 1: ");
  EXPECT_FALSE(fs::exists(Path("a/made")));
  const Ran ran = ExpectStatus(0, "extract m.graph --out b --made 8", "of them only on operands");
  EXPECT_EQ(ran.output.find("exp/overflow-saturates"), std::string::npos) << ran.output;
  ExpectStatus(1, "mutants a --only exp/overflow-saturates", "survived");
  ExpectStatus(0, "mutants b --only exp/overflow-saturates", "killed       exp/overflow-saturates");
  ExpectStatus(0, "verify b --backend reference", "0 disagrees");
  ExpectStatus(0, "show b/made/made-000000.tvec", "operator-000000.tvec: on operands made for it");
  ASSERT_TRUE(WriteFileAtomically(
      Path("two.graph"), std::string("block main (%x:fp32[8]) -> (%y)\n  %e:fp32[8] = EXP(%x)\n"
                                     "  %y:fp32[8] = TANH(%e)\n")));
  ExpectStatus(0, "extract two.graph --out c --made 2", "");
  ExpectStatus(0, "verify c --backend reference", "0 disagrees");
  const auto files =
      std::distance(fs::directory_iterator(Path("c/made")), fs::directory_iterator());
  ExpectStatus(0, "show c/" + CaseFile("made", static_cast<uint64_t>(files - 1)),
               "window-000000.tvec: on operands made for it");
}

// Writes a graph of CONV2D with weights of 200 output channels, then ABS.
void WriteConvolution(const std::string& path) {
  BlockBuilder b;
  const TensorIndex zero = b.Constant("i8[1]{0}");
  const TensorIndex weights =
      b.Add(Op::kConst, {}, "i8[200,1,1,8]",
            {{AttributeId::kValues, Tensor::Splat(DType::kInt8, Shape{200, 1, 1, 8}, 1)}});
  const TensorIndex y =
      b.Add(Op::kConv2d, {b.Input("i8[1,4,4,8]"), weights, b.Constant("i32[1]{1}"), zero, zero},
            "i32[1,4,4,200]",
            {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
             {AttributeId::kStride, std::vector<int32_t>{1, 1}},
             {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
             {AttributeId::kAccType, static_cast<int32_t>(DType::kInt32)},
             {AttributeId::kLocalBound, false}});
  b.Outputs({b.Add(Op::kAbs, {y}, "i32[1,4,4,200]")});
  ASSERT_TRUE(WriteFileAtomically(path, WriteTosa(GraphOf({b.block}))));
}

TEST_F(ExtractCli, TrimsOrLeavesOutLargeVectorsAndSaysSo) {
  WriteConvolution(Path("g.tosa"));
  ExpectStatus(0, "extract g.tosa --operators --out a", "2 vectors in a/operator");
  const Ran ran = ExpectStatus(0, "extract g.tosa --max-bytes 6000 --out b",
                               "2 distinct configurations, 1 vector in b/operator");
  EXPECT_NE(ran.output.find("1 trimmed to fewer output channels: --max-bytes 6000\n"
                            "2 skipped: larger than --max-bytes 6000\n"),
            std::string::npos)
      << ran.output;
  EXPECT_NE(ran.output.find("test 1 of 2 operators"), std::string::npos) << ran.output;
  ExpectStatus(0, "show b/operator/operator-000000.tvec",
               "; trimmed to the first 72 of 200 output channels");
  ExpectStatus(0, "verify b --backend reference", ": 1 agrees, 0 disagrees");
}

TEST_F(ExtractCli, TakesWindowsOfVectorsAndSuitesOnce) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6").status, 0);
  const Ran once = ExpectStatus(0, "extract s --windows 2 --out a --json", "\"vectors\"");
  const Ran twice = ExpectStatus(0, "extract s s --windows 2 --out b --json", "\"vectors\"");
  const auto distinct = [](const Ran& ran) {
    std::string counts;
    for (size_t at = 0; (at = ran.output.find("\"distinct\"", at)) != std::string::npos; ++at) {
      counts += ran.output.substr(at, ran.output.find('\n', at) - at);
    }
    return counts;
  };
  EXPECT_EQ(distinct(once), distinct(twice));
  ExpectStatus(0, "verify a --backend reference", "0 disagrees");
  // The inputs of a vector are its own.
  const std::string vector = AnyFile("s", ".tvec");
  ASSERT_EQ(Run("extract " + vector + " --out c --seed 1").status, 0);
  ASSERT_EQ(Run("extract " + vector + " --out d --seed 2").status, 0);
  auto c = Content("c"), d = Content("d");
  c.erase("suite.json");
  d.erase("suite.json");
  ExpectSame(c, d);
}

TEST_F(ExtractCli, SaysWhereWindowsAreLeftOut) {
  WriteGraph("g.tosa");
  ExpectStatus(0, "extract g.tosa --sets 1 --out a",
               "at 2 operators some windows were left out: --sets 1 is reached");
}

TEST_F(ExtractCli, NamesWhatIsWrongInOneLine) {
  WriteGraph("g.tosa");
  ExpectStatus(2, "extract missing.tosa --out a", "missing.tosa");
  ExpectStatus(2, "extract g.tosa", "--out");
  ExpectStatus(2, "extract g.tosa --windows 0 --out a", "--windows");
  ExpectStatus(2, "extract g.tosa --level 9 --out a", "--level 9: no such level");
  ExpectStatus(2, "extract g.tosa --input x=missing.npy --out a", "g.tosa: ");
  std::ofstream(Path("bad.tosa")) << "no graph";
  ExpectStatus(2, "extract bad.tosa --out a", "bad.tosa");
  BlockBuilder b;
  b.Outputs({b.Add(Op::kAbs, {b.Input("fp32[1000000000]")}, "fp32[1000000000]")});
  ASSERT_TRUE(WriteFileAtomically(Path("large.tosa"), WriteTosa(GraphOf({b.block}))));
  ExpectStatus(3, "extract large.tosa --out a",
               "large.tosa: the input of type fp32[1000000000] has more than 67108864 elements");
  EXPECT_FALSE(fs::exists(Path("a")));
  BlockBuilder d;
  d.Outputs({d.Add(Op::kIntdiv, {d.Input("i32[1]"), d.Constant("i32[1]{0}")}, "i32[1]")});
  ASSERT_TRUE(WriteFileAtomically(Path("never.tosa"), WriteTosa(GraphOf({d.block}))));
  ExpectStatus(
      2, "extract never.tosa --out a",
      "never.tosa: the model is not valid with any inputs that were drawn (INTDIV/REQUIRE");
  EXPECT_FALSE(fs::exists(Path("a")));
  fs::create_directories(Path("mine"));
  std::ofstream(Path("mine/notes.txt")) << "mine";
  ExpectStatus(2, "extract g.tosa --out mine", "mine: is not empty: there is notes.txt");
}

}  // namespace
}  // namespace assay::cli_extract_test

// Tests `assay extract` on the command line.
#include "block_builder.h"
#include "run_assay.h"
#include "tosa_file.h"
#include "tvec_file.h"

namespace assay {
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
               "6 windows of up to 2 operators, 6 distinct, 5 vectors in a\n"
               "1 skipped: no sound rule reaches the outputs\n");
  ExpectStatus(0, "verify a --backend reference", "total: 5 vectors");
  ExpectStatus(0, "extract g.tosa --windows 2 --out b --seed 1", "5 vectors in b");
  ExpectSame(Content("a"), Content("b"));
  ExpectStatus(0, "extract g.tosa --windows 2 --out c --seed 2", "5 vectors in c");
  const char* first = "window/window-000000.tvec";
  EXPECT_TRUE(Content("a")[first] != Content("c")[first]) << "the seeds give the same inputs";
  ExpectStatus(0, "extract g.tosa --windows 1 --out d --json", "\"distinct\": 4");
}

TEST_F(ExtractCli, TakesWindowsOfVectorsAndSuitesOnce) {
  ASSERT_EQ(Run("gen --out s --kind graph --count 6").status, 0);
  const Ran once = ExpectStatus(0, "extract s --windows 2 --out a --json", "\"vectors\"");
  const Ran twice = ExpectStatus(0, "extract s s --windows 2 --out b --json", "\"vectors\"");
  const auto distinct = [](const Ran& ran) {
    const size_t at = ran.output.find("\"distinct\"");
    return ran.output.substr(at, ran.output.find("\"skipped\"") - at);
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
  fs::create_directories(Path("mine"));
  std::ofstream(Path("mine/notes.txt")) << "mine";
  ExpectStatus(2, "extract g.tosa --out mine", "mine: is not empty: there is notes.txt");
}

}  // namespace
}  // namespace assay

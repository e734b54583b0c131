// SPDX-License-Identifier: Apache-2.0
// Tests the inputs of a user's graph, which `run`, `verify` and `model` take in the same way.
#include "block_builder.h"
#include "npy_file.h"
#include "run_assay.h"
#include "tosa_file.h"
#include "zip_archive.h"

namespace assay::cli_inputs_test {
namespace {

Tensor Floats(const Shape& shape, double first) {
  std::vector<double> elements(static_cast<size_t>(shape.Elements()));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = first + static_cast<double>(i);
  return Tensor::FromFloats(DType::kFp32, shape, elements);
}

class InputsCli : public Cli {
 protected:
  // Writes m.tosa, the graph ABS(t0) -> SUB(t1, it), and inputs for it.
  void SetUp() override {
    Write("m.tosa", WriteTosa(GraphOf(R"(
    block main (%t0:fp32[4],%t1:fp32[4]) -> (%y)
      %a:fp32[4] = ABS(%t0)
      %y:fp32[4] = SUB(%t1,%a))")));
    Write("x.npy", WriteNpy(Floats({4}, 1)));
    Write("y.npy", WriteNpy(Floats({4}, 0.5)));
    Write("x3.npy", WriteNpy(Floats({3, 4}, 1)));
    Write("y3.npy", WriteNpy(Floats({3, 4}, 0.5)));
    Write("one.npz", Archive(Floats({4}, 1), Floats({4}, 0.5)));
    Write("three.npz", Archive(Floats({3, 4}, 1), Floats({3, 4}, 0.5)));
  }

  static std::vector<uint8_t> Archive(const Tensor& x, const Tensor& y) {
    return ZipArchive().Add({"t1.npy", WriteNpy(y), true}).Add({"t0.npy", WriteNpy(x)}).Bytes();
  }

  void Write(const std::string& name, const std::vector<uint8_t>& bytes) {
    ASSERT_TRUE(WriteFileAtomically(Path(name), bytes));
  }

  static constexpr const char* kCommands[] = {"run m.tosa", "verify m.tosa --backend reference",
                                              "model m.tosa --backend reference"};
};

TEST_F(InputsCli, TakesGraphsAsText) {
  ASSERT_EQ(Run("convert m.tosa m.graph").status, 0);
  const std::string text = *ReadTextFile(Path("m.graph"));
  ExpectStatus(0, "show --full m.graph", text);
  ExpectStatus(0, "show m.graph --json", "\"ABS\"");
  ExpectStatus(0, "check m.graph", "no static rule is broken");
  ExpectStatus(0, "run m.graph --input one.npz", "fp32[4]{-0.5,-0.5,-0.5,-0.5}");
  ExpectStatus(0, "verify m.graph --backend reference", "1 agrees");
  ExpectStatus(0, "model m.graph --backend reference", "m.graph");
  ExpectStatus(0, "export m.graph --out exported", "1 vectors");
  ExpectStatus(0, "extract m.graph --out windows", "operator");
  ExpectStatus(0, "fold m.graph", "before: 2");
  ExpectStatus(0, "fold check m.graph m.tosa", "equal for all inputs");
  ExpectStatus(0, "fold run m.graph --input one.npz", "");
  ExpectStatus(0, "plan m.graph --out plan.json", "main/a");
  ExpectStatus(0, "plan check plan.json --graph m.graph", "the plan is sound");
  ExpectStatus(0, "convert m.graph m.tvec --input one.npz", "");
  ExpectStatus(2, "coverage m.graph", "m.graph: a graph without inputs");
  std::ofstream(Path("bad.graph")) << text << "  %z = ABSS(%a)\n";
  for (const std::string command : {"show", "check", "run", "plan", "fold", "fold run"}) {
    ExpectStatus(2, command + " bad.graph", "bad.graph:5:8: \"ABSS\" is no operator");
  }
}

TEST_F(InputsCli, TakesModulesOfSpirv) {
  for (const std::string m : {"m.spv", "m.spvasm"}) {
    ASSERT_EQ(Run("convert m.tosa " + m).status, 0);
    ExpectStatus(0, "show " + m, " SUB %");
    ExpectStatus(0, "show --full " + m, "%y:fp32[4] = SUB(%t1,%a)");
    ExpectStatus(0, "show --json " + m, "\"ABS\"");
    ExpectStatus(0, "check " + m, "no static rule is broken");
    ExpectStatus(0, "run " + m + " --input one.npz", "fp32[4]{-0.5,-0.5,-0.5,-0.5}");
    ExpectStatus(0, "verify " + m + " --backend reference", "1 agrees");
    ExpectStatus(0, "model " + m + " --backend reference", m);
    ExpectStatus(0, "extract " + m + " --out windows_" + m, "operator");
    ExpectStatus(0, "fold " + m, "before: 2");
    ExpectStatus(0, "fold check " + m + " m.tosa", "equal for all inputs");
    ExpectStatus(0, "plan " + m + " --out plan.json", "main/a");
    ExpectStatus(0, "plan check plan.json --graph " + m, "the plan is sound");
    ExpectStatus(0, "convert " + m + " back.tosa", "");
    ExpectStatus(0, "fold check back.tosa m.tosa", "equal for all inputs");
    ExpectStatus(0, "run " + m + " --function main --input one.npz", "-0.5");
    ExpectStatus(2, "check " + m + " --function two", "no graph \"two\": the module has \"main\"");
  }
  const std::string text = *ReadTextFile(Path("m.spvasm"));
  std::ofstream(Path("bad.spvasm")) << text << "OpFoo\n";
  for (const std::string command : {"show", "check", "run", "plan", "fold", "fold run"}) {
    ExpectStatus(2, command + " bad.spvasm", "\"OpFoo\" is no instruction of a TOSA graph");
  }
}

// The values of graph constants lie beside a module. Without them, constants are inputs.
TEST_F(InputsCli, TakesGraphConstantsFromFilesBesideAModule) {
  Write("c.tosa", WriteTosa(GraphOf(R"(
    block main (%x:fp32[4]) -> (%y)
      %w:fp32[4] = CONST() values=fp32[4]{1,2,3,4}
      %y:fp32[4] = ADD(%x,%w))")));
  ASSERT_EQ(Run("convert c.tosa c.spv").status, 0);
  ExpectStatus(0, "fold check c.tosa c.spv", "equal for all inputs");
  ExpectStatus(0, "run c.spv --input x=x.npy", "fp32[4]{2,4,6,8}");
  Write("c.spv.0.npy", WriteNpy(Floats({3}, 1)));
  ExpectStatus(2, "check c.spv", "c.spv.0.npy: ");
  ASSERT_TRUE(Remove(Path("c.spv.0.npy")));
  ExpectStatus(0, "check c.spv",
               "graph constant 0 is an input: no file c.spv.N.npy has the value of N");
  ExpectStatus(0, "run c.spv --input x=x.npy --input w=y.npy", "fp32[4]{1.5,3.5,5.5,7.5}");
  ExpectStatus(0, "model c.spv --backend reference", "c.spv");
}

TEST_F(InputsCli, TakesFilesOfNumPy) {
  for (const char* inputs : {" --input t0=x.npy --input t1=y.npy", " --input one.npz",
                             " --input 1=y.npy --input 0=x.npy"}) {
    ExpectStatus(0, "run m.tosa" + std::string(inputs), "fp32[4]{-0.5,-0.5,-0.5,-0.5}");
    ExpectStatus(0, "verify m.tosa --backend reference" + std::string(inputs), "1 agrees");
    ExpectStatus(0, "model m.tosa --backend reference" + std::string(inputs), "inputs of --input");
    ExpectStatus(0, "convert m.tosa m.tvec" + std::string(inputs), "");
    ExpectStatus(0, "run m.tvec", "fp32[4]{-0.5,-0.5,-0.5,-0.5}");
  }
}

TEST_F(InputsCli, TakesSeveralSamples) {
  for (const std::string inputs :
       {" --input t0=x3.npy --input t1=y3.npy", " --input three.npz",
        " --input one.npz --input one.npz --input one.npz", " --samples 3"}) {
    const Ran ran = ExpectStatus(0, "run m.tosa --out o" + inputs, "step 2: valid");
    EXPECT_EQ(ran.output.find("step 3"), std::string::npos) << ran.output;
    EXPECT_EQ(Content("o").size(), 3u);
    ExpectStatus(0, "verify m.tosa --backend reference" + inputs, "3 agrees");
    ExpectStatus(0, "model m.tosa --backend reference" + inputs, "as clean: 2 more samples");
  }
  ExpectStatus(0, "verify m.tosa --backend reference --samples 2 --input three.npz", "2 agrees");
  ExpectStatus(2, "convert m.tosa m.tvec --input three.npz", "3 samples, and this command takes");
}

TEST_F(InputsCli, DrawsTheSameInputsEverywhere) {
  for (const std::string drawn :
       {"run m.tosa --seed 7", "model m.tosa --backend reference --seed 7"}) {
    const Ran ran = ExpectStatus(0, drawn, "inputs drawn with seed 7: nearly normal floats");
    EXPECT_EQ(ran.output, Run(drawn).output);
  }
  EXPECT_NE(Run("run m.tosa --seed 7").output, Run("run m.tosa --seed 8").output);
}

// A finding of a graph names the inputs again, and comes again.
TEST_F(InputsCli, ReplaysAFindingOfAGraph) {
  for (const std::string inputs : {"--seed 3", "--input three.npz", "--level none --samples 2"}) {
    const Ran ran = ExpectStatus(1, "verify m.tosa --backend canary:swapped-operands " + inputs,
                                 "FAIL  SUB fp32: wrong value");
    const std::string replay = ReplayIn(ran.output);
    EXPECT_EQ(replay.starts_with("verify m.tosa "), true) << replay;
    const Ran again = ExpectStatus(1, replay, "FAIL  SUB fp32: wrong value");
    const auto finding = [](const std::string& text) {
      const size_t start = text.find("  step 0");
      return text.substr(start, text.find("; ", start) - start);
    };
    EXPECT_EQ(finding(again.output), finding(ran.output));
  }
}

TEST_F(InputsCli, JudgesGraphsAmongSuites) {
  ASSERT_EQ(Run("gen --out s --kind operator --count 5").status, 0);
  fs::copy(Path("m.tosa"), Path("s/operator/m.tosa"));
  ExpectStatus(0, "verify s m.tosa --backend reference --report r --samples 2", "7 agrees");
  ExpectStatus(0, "verify m.tosa --backend reference --match ABS", "1 agrees");
  ExpectStatus(3, "verify m.tosa --backend reference --match CONV2D", "left out by --match: 1");
  ExpectStatus(3, "verify m.tosa --backend reference --op CONV2D", "outside the target: 1");
  const Ran drawn = Run("verify s --backend reference --samples 2");
  EXPECT_EQ(drawn.status, 2);
  EXPECT_EQ(drawn.errors, "assay: --samples: is for graphs, and no graph is named\n");
}

TEST_F(InputsCli, GivesOpenDimensionsASize) {
  std::ofstream(Path("open.mlir")) << R"("builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x3xf32>) -> tensor<?x3xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<?x3xf32>):
    %0 = "tosa.abs"(%arg0) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%0) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
)";
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[-1,3]");
  b.Outputs({b.Add(Op::kAbs, {x}, "fp32[-1,3]")});
  b.block.tensors[0].name = "arg0";
  Write("open.tosa", WriteTosa(GraphOf({b.block})));
  Write("arg0.npy", WriteNpy(Floats({2, 2, 3}, -5)));
  for (const std::string graph : {"open.mlir", "open.tosa"}) {
    ExpectStatus(0, "run " + graph + " --shape arg0=2,3", "= fp32[2,3]{");
    ExpectStatus(0, "run " + graph + " --shape arg0=2,3 --input arg0=arg0.npy",
                 "= fp32[2,3]{1,2,3,4,5,6}");
    ExpectStatus(0, "run " + graph + " --shape 0=2,3", "= fp32[2,3]{");
    ExpectStatus(0, "verify " + graph + " --shape arg0=7,3 --backend reference", "1 agrees");
    ExpectStatus(0, "model " + graph + " --shape arg0=7,3 --backend reference", "fp32[7,3]");
    for (const std::string command : {"run ", "verify --backend reference ",
                                      "model --backend reference ", "extract --out no "}) {
      ExpectStatus(2, command + graph,
                   graph +
                       ": input \"arg0\" of type fp32[?,3] has open dimensions: give them "
                       "with --shape arg0=N,3");
      for (const char* shape : {"arg0", "arg0=", "arg0=0,3", "arg0=2,3,", "arg0=2;3", "arg0=-1,3",
                                "arg0=99999999999,3", "arg0=2000000000,3"}) {
        ExpectStatus(2, command + graph + " --shape " + shape, "not NAME=1,224,224,3");
      }
      ExpectStatus(2, command + graph + " --shape arg0=2,4", "contradicts input \"arg0\"");
      ExpectStatus(2, command + graph + " --shape arg0=2", "contradicts input \"arg0\"");
      ExpectStatus(2, command + graph + " --shape arg0=2,3 --shape x=1",
                   "the graph has no input \"x\"; it has 0 \"arg0\"");
      ExpectStatus(2, command + graph + " --shape arg0=2,3 --shape arg0=2,3", "given twice");
    }
  }
  ExpectStatus(0, "extract open.mlir open.tosa --shape arg0=7,3 --out e", "1 distinct");
  ExpectStatus(0, "verify e --backend reference", "1 agrees");
  ExpectStatus(2, "extract e --shape arg0=7,3 --out no", "holds its own inputs");
  ExpectStatus(0, "convert open.tosa closed.tosa --shape arg0=2,3", "");
  ExpectStatus(0, "run closed.tosa", "= fp32[2,3]{");
  ExpectStatus(0, "convert open.tosa closed.json --shape arg0=2,3", "");
  ExpectStatus(0, "run closed.json", "= fp32[2,3]{");
  ExpectStatus(2, "convert open.tosa no.tosa --shape arg0=2,4", "contradicts input \"arg0\"");
  ExpectStatus(2, "convert " + AnyFile("e", ".tvec") + " no.tosa --shape arg0=2,3",
               "holds its own inputs");
  // The round trip keeps what is open.
  ExpectStatus(0, "convert open.tosa again.mlir", "");
  EXPECT_NE(ReadTextFile(Path("again.mlir"))->find("tensor<?x3xf32>"), std::string::npos);
  ExpectStatus(2, "run again.mlir", "fp32[?,3] has open dimensions");
}

TEST_F(InputsCli, PutsANetworkOnALattice) {
  ASSERT_EQ(Run("gen --out s --network resnet@32,fp32").status, 0);
  ExpectStatus(0, "convert " + AnyFile("s", ".tvec") + " n.tosa", "");
  const std::string words = "constants on a lattice; with plain sums exact up to layer 18 of 22";
  const std::string model = "model n.tosa --weights lattice --backend ";
  const Ran ran = ExpectStatus(0, model + "reference", words);
  EXPECT_EQ(Run(model + "reference").output, ran.output);
  EXPECT_NE(Run(model + "reference --seed 2").output, ran.output);
  ExpectStatus(0, "run n.tosa --weights lattice", words);
  ExpectStatus(0, "verify n.tosa --weights lattice --backend reference --samples 2", "2 agrees");
  const Ran wrong = ExpectStatus(
      1, "verify n.tosa --weights lattice --backend canary:swapped-operands", "wrong value");
  EXPECT_NE(wrong.output.find("assay verify n.tosa --weights lattice --backend"), std::string::npos)
      << wrong.output;
  for (const std::string command : kCommands) {
    ExpectStatus(2, command + " --weights lattice", "no floating-point weights to replace");
    ExpectStatus(2, command + " --weights lattice --input one.npz", "not with --input");
    ExpectStatus(2, command + " --weights dense", "--weights");
  }
}

TEST_F(InputsCli, NamesWhatIsWrongInOneLine) {
  Write("positions.npz", ZipArchive().Add({"arr_0.npy", WriteNpy(Floats({4}, 0))}).Bytes());
  Write("more.npz", ZipArchive()
                        .Add({"t0", WriteNpy(Floats({4}, 0))})
                        .Add({"t1", WriteNpy(Floats({4}, 0))})
                        .Add({"t2", WriteNpy(Floats({4}, 0))})
                        .Bytes());
  Write("odd.npz", Archive(Floats({4}, 1), Floats({2, 4}, 0)));
  Write("short.npz", Archive(Floats({3}, 1), Floats({4}, 0)));
  std::vector<uint8_t> cut = *ReadFile(Path("one.npz"));
  cut.resize(cut.size() / 2);
  Write("cut.npz", cut);
  const std::pair<const char*, const char*> wrong[] = {
      {"--input bogus", "--input \"bogus\": neither NAME=FILE.npy nor FILE.npz"},
      {"--input t0=x.npy",
       "m.tosa: input \"t1\" of type fp32[4] is not given: "
       "--input NAME=FILE.npy; the inputs are 0 \"t0\", 1 \"t1\""},
      {"--input t0=x.npy --input t0=x.npy", "\"t0\" is given twice"},
      {"--input t0=x.npy --input t1=y.npy --input z=y.npy",
       "the graph has no input \"z\"; it has 0 \"t0\", 1 \"t1\""},
      {"--input 0=x.npy --input t0=x.npy", "--input: \"t0\" is given twice"},
      {"--input 0=x.npy --input 2=x.npy", "the graph has no input \"2\"; it has 0 \"t0\""},
      {"--input t0=x.npy --input t1=y3.npy", "y3.npy: has 3 samples, and the inputs before it"},
      {"--input t0=one.npz", "a .npz file names its inputs itself"},
      {"--input one.npz --input t0=x.npy", "either NAME=FILE.npy or .npz files, not both"},
      {"--input missing.npz", "missing.npz: "},
      {"--input positions.npz",
       "positions.npz: the graph has no input \"arr_0\"; it has 0 \"t0\", 1 \"t1\""},
      {"--input more.npz", "more.npz: the graph has no input \"t2\""},
      {"--input odd.npz", "odd.npz: array \"t1\": has 2 samples, and the inputs before it have 1"},
      {"--input short.npz", "short.npz: array \"t0\": has 3 elements, not those of fp32[4]"},
      {"--input cut.npz", "cut.npz: not a .npz file, or cut off"},
      {"--input three.npz --samples 4", "--samples 4: --input holds 3"},
      {"--samples 1001", "--samples"},
      {"--level 9", "--level 9: no such level"},
  };
  for (const char* command : kCommands) {
    for (const auto& [options, words] : wrong) {
      ExpectStatus(2, std::string(command) + " " + options, words);
    }
  }
  ExpectStatus(0, "convert m.tosa m.tvec --input one.npz", "");
  for (const char* command : {"run m.tvec", "model m.tvec --backend reference"}) {
    ExpectStatus(2, std::string(command) + " --input one.npz", "m.tvec: holds its own inputs");
  }
}

}  // namespace
}  // namespace assay::cli_inputs_test

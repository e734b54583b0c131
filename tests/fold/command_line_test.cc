// SPDX-License-Identifier: Apache-2.0
// Tests `assay fold` and its subcommands in the way that people and scripts use them.
#include <string>
#include <utility>

#include "block_builder.h"
#include "run_assay.h"
#include "tosa_file.h"
#include "tvec_file.h"

namespace assay::command_line_test {
namespace {

// `fold check` on a .tvec alone checks the certificate of its folding, or its pair of graphs.
TEST_F(Cli, FoldCheckHoldsAVectorToWhatItSays) {
  ASSERT_EQ(Run("gen --out s --kind fold --count 4").status, 0);
  for (const char* number : {"000000", "000001", "000002", "000003"}) {
    const Ran ran = Run(std::string("fold check --prove s/fold/fold-") + number + ".tvec");
    EXPECT_TRUE(ran.status == 0 || ran.status == 3) << ran.output << ran.errors;
    EXPECT_EQ(ran.output.find("pair 0: "), 0u) << ran.output;
  }
  ASSERT_EQ(Run("gen --out g --kind graph --count 1").status, 0);
  ExpectStatus(2, "fold check g/graph/graph-000000.tvec", "AFTER is missing");
  ASSERT_EQ(Run("fold g/graph/graph-000000.tvec --runtime-const 0 --out folded.tvec").status, 0);
  const Ran folded = Run("fold check folded.tvec");
  EXPECT_EQ(folded.status, 0) << folded.output << folded.errors;
  EXPECT_NE(folded.output.find("as its certificate says"), std::string::npos) << folded.output;
}

// A wrong statement of a vector about its pair or its folding is a finding.
TEST_F(Cli, FoldCheckFindsWhatAVectorSaysWrongly) {
  const auto change = [&](const std::string& name, auto edit) {
    const std::string path = Path(name);
    TestVector vector = *ReadTestVector(*ReadFile(path), path);
    edit(vector);
    ASSERT_TRUE(WriteFileAtomically(path, WriteTestVector(vector)));
  };
  ASSERT_EQ(Run("gen --out s --kind fold --count 2").status, 0);
  for (const char* name : {"s/fold/fold-000000.tvec", "s/fold/fold-000001.tvec"}) {
    ASSERT_EQ(Run(std::string("fold check --prove ") + name).status, 0);
    change(name,
           [](TestVector& vector) { vector.fold_pairs[0].equal = !vector.fold_pairs[0].equal; });
    ExpectStatus(1, std::string("fold check --prove ") + name, "the vector says otherwise");
  }
  BlockBuilder b;  // x + |w|
  const TensorIndex x = b.Input("fp32[2]"), w = b.Input("fp32[2]");
  const TensorIndex weight = b.Add(Op::kAbs, {w}, "fp32[2]");
  b.Outputs({b.Add(Op::kAdd, {x, weight}, "fp32[2]")});
  ASSERT_TRUE(WriteFileAtomically(Path("g.tosa"), WriteTosa(GraphOf({b.block}))));
  ASSERT_EQ(Run("fold g.tosa --runtime-const 1 --out f.tvec").status, 0);
  ExpectStatus(0, "fold check f.tvec", "folding 0: 1 tensors cached, as its certificate says");
  change("f.tvec", [](TestVector& vector) { vector.folds[0].cached[0].bytes = 7; });
  ExpectStatus(1, "fold check f.tvec", "folding 0: R12/cached: ");
}

// (x / 3) / 5 is x / 15, which takes long to prove.
TEST_F(Cli, FoldCheckNamesProveWhereItIsUndecided) {
  for (const bool is_after : {false, true}) {
    BlockBuilder b;
    TensorIndex x = b.Input("i32[1]");
    for (const char* divisor : {"i32[1]{3}", "i32[1]{5}", "i32[1]{15}"}) {
      if (is_after != (std::string_view(divisor) == "i32[1]{15}")) continue;
      x = b.Add(Op::kIntdiv, {x, b.Constant(divisor)}, "i32[1]");
    }
    b.Outputs({x});
    const std::string name = is_after ? "after.tosa" : "before.tosa";
    ASSERT_TRUE(WriteFileAtomically(Path(name), WriteTosa(GraphOf({b.block}))));
  }
  ExpectStatus(3, "fold check before.tosa after.tosa",
               "; --prove looks longer for a proof or a difference");
}

TEST_F(Cli, FoldVerifySaysWhatItCannotDo) {
  ASSERT_EQ(Run("gen --out s --kind fold --count 1").status, 0);
  ExpectStatus(3, "fold verify s", "mlir: not installed");
  ExpectStatus(2, "fold verify s --folder other", "mlir or mlir:REWRITE");
  ExpectStatus(2, "fold verify s --folder mlir:nothing", "nothing");
  ExpectStatus(2, "fold verify none", "none: no such file");
}

// The graph is x + exp(w). An attribute of the file or an option tells that w is known at run time.
TEST_F(Cli, FoldMakesThreeGraphsOfOne) {
  const auto write = [&](const char* name, const char* attributes) {
    std::ofstream(Path(name)) << "\"builtin.module\"() ({\n\"func.func\"() <{function_type = "
                                 "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, sym_name = "
                                 "\"main\"}> ({\n^bb0(%x: tensor<2xf32>, %w: tensor<2xf32>):\n"
                                 "%0 = \"tosa.exp\"(%w) : (tensor<2xf32>) -> tensor<2xf32>\n"
                                 "%1 = \"tosa.add\"(%x, %0) : (tensor<2xf32>, tensor<2xf32>) -> "
                                 "tensor<2xf32>\n\"func.return\"(%1) : (tensor<2xf32>) -> ()\n})"
                              << attributes << " : () -> ()\n}) : () -> ()\n";
  };
  write("marked.mlir", " {runtime_const_args_index = [1 : i32]}");
  write("plain.mlir", "");
  const std::string figures =
      "1 tensors of 8 bytes are cached\noperators: 0 at compile time, 1 once in each context, 1 in "
      "every execution; before: 2\n";
  ExpectStatus(0, "fold marked.mlir --out f.tvec", figures);
  ExpectStatus(0, "fold plain.mlir", "0 tensors of 0 bytes are cached");
  ExpectStatus(0, "fold plain.mlir --runtime-const 1", figures);
  ExpectStatus(0, "fold plain.mlir --compiletime-const 1 --mode runtime", figures);
  ExpectStatus(0, "fold plain.mlir --compiletime-const 1", "1 at compile time, 0 once");
  ExpectStatus(0, "fold marked.mlir --policy absolute:7", "left: EXP");
  ExpectStatus(0, "fold marked.mlir --json", "\"cached\": [\n");
  // The written vector keeps this information, and is folded again in the same way.
  ExpectStatus(0, "show f.tvec", "inputs of graph 0: varying runtime\nfold 0: graph 0 into 1 2 3");
  ExpectStatus(0, "show f.tvec --json", "\"runtime\"");
  ExpectStatus(0, "fold f.tvec --graph 0", figures);
  ExpectStatus(2, "fold f.tvec", "has 4 graphs; --graph takes");
  ExpectStatus(2, "fold f.tvec --graph -1", "--graph: -1 is not a number from 0 on");
}

TEST_F(Cli, FoldSaysWhatIsWrongWithItsInput) {
  ASSERT_EQ(Run("gen --out s --kind operator --count 40").status, 0);
  const std::string vector = AnyFile("s/operator", ".tvec");
  ExpectStatus(2, "fold " + vector + " --runtime-const nothing", "none of that name or position");
  ExpectStatus(2, "fold " + vector + " --runtime-const 99", "none of that name or position");
  ExpectStatus(2, "fold " + vector + " --runtime-const 0 --compiletime-const 0", "named twice");
  ExpectStatus(2, "fold " + vector + " --policy large", "--policy \"large\"");
  ExpectStatus(2, "fold " + vector + " --policy ratio:-1", "--policy \"ratio:-1\"");
  ExpectStatus(2, "fold " + vector + " --mode other", "--mode");
  ExpectStatus(2, "fold nothing.tosa", "nothing.tosa");
  ExpectStatus(2, "fold s", "a folder, not a graph");
  ExpectStatus(2, "fold", "FILE is required");
}

TEST_F(Cli, AsksBackendsWhetherTheySpeakTheirProtocol) {
  const Ran good = ExpectStatus(0, "backend test reference", "ok             keeps contexts apart");
  EXPECT_EQ(good.output.find("FAILED"), std::string::npos) << good.output;
  ExpectStatus(1, "backend test canary:stale-variable",
               "FAILED         keeps a variable from step to step (VARIABLE fp32: step 1");
  ExpectStatus(1, "backend test exec:true", "FAILED         answers a graph of one operator");
  ExpectStatus(1, "backend test worker:true", "FAILED         says what it is");
  WriteScript("declines", "echo not today >&2; exit 77");
  ExpectStatus(3, "backend test exec:./declines",
               "not supported  answers a graph of one operator (not today)");
  ExpectStatus(2, "backend test bogus", "no backend is named 'bogus'");
  ExpectStatus(2, "backend test", "--backend is required");
  ExpectStatus(2, "backend", "subcommand");
}

// A process of assay that crashes is a defect in assay. A process that is killed decides nothing.
TEST_F(Cli, FoldVerifyTellsACrashOfItsOwnFromAKilledProcess) {
  ASSERT_EQ(Run("gen --out g --kind graph --count 1").status, 0);
  for (const auto& [signal, status] : {std::pair{"SEGV", 4}, {"KILL", 3}}) {
    WriteScript("helper", std::string("kill -") + signal + " $PPID");
    const Ran ran = RunShell("ASSAY_MLIR_HELPER=$PWD/helper $ASSAY fold verify g");
    EXPECT_EQ(ran.status, status) << signal << "\n" << ran.output << ran.errors;
    // A sanitizer turns the signal into an exit status.
    EXPECT_NE(ran.errors.find("graph-000000.tvec: the worker process ended: "), std::string::npos)
        << ran.errors;
  }
}

}  // namespace
}  // namespace assay::command_line_test

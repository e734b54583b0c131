// SPDX-License-Identifier: Apache-2.0
// Tests `assay model` on the command line.
#include "block_builder.h"
#include "run_assay.h"
#include "tosa_file.h"

namespace assay::cli_model_test {
namespace {

class ModelCli : public Cli {
 protected:
  // Writes the graph ABS -> SUB -> EXP.
  void WriteGraph(const std::string& name) {
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[64]");
    const TensorIndex a = b.Add(Op::kAbs, {x}, "fp32[64]");
    const TensorIndex s = b.Add(Op::kSub, {x, a}, "fp32[64]");
    b.Outputs({b.Add(Op::kExp, {s}, "fp32[64]")});
    ASSERT_TRUE(WriteFileAtomically(Path(name), WriteTosa(GraphOf({b.block}))));
  }
};

TEST_F(ModelCli, JudgesAGraphWithoutInputs) {
  WriteGraph("m.tosa");
  const Ran ran = ExpectStatus(0, "model m.tosa --backend reference", "verdict: agrees");
  EXPECT_NE(ran.output.find("3 layers alone: 3 agree"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("nearly normal floats of deviation"), std::string::npos);
  const Ran again = ExpectStatus(0, "model m.tosa --backend reference --seed 1", "verdict");
  EXPECT_EQ(ran.output, again.output);
}

TEST_F(ModelCli, SaysWhatItWouldHaveNoticed) {
  ASSERT_TRUE(WriteFileAtomically(Path("m.graph"),
                                  std::string("block main (%x:bf16[64]) -> (%y)\n"
                                              "  %z:bf16[64] = NEGATE(%x, bf16[1]{0}, bf16[1]{0})\n"
                                              "  %y:bf16[1] = REDUCE_SUM(%z) axis=0\n")));
  const std::string model = "model m.graph --backend reference";
  const Ran ran = ExpectStatus(0, model + " --report r", "faults of a single layer");
  EXPECT_NE(ran.output.find("not noticed: reduce_sum/narrow in layer 2: "), std::string::npos)
      << ran.output;
  EXPECT_NE(ran.output.find("faults noticed\n"), std::string::npos) << ran.output;
  const auto content = Content("r");
  EXPECT_NE(content.at("model.json").find("\"cannot_show\""), std::string::npos);
  EXPECT_NE(content.at("model.html").find("would have noticed"), std::string::npos);
  // A folder that a killed run has left is taken.
  fs::remove(Path("r/model.json"));
  ExpectStatus(0, model + " --report r", "verdict: agrees");
  ExpectStatus(3, model + " --power 100", "verdict: agrees");
  ExpectStatus(0, model + " --power 50", "verdict: agrees");
  WriteGraph("m.tosa");
  const Ran wrong = ExpectStatus(1, "model m.tosa --backend canary:swapped-operands", "disagrees");
  EXPECT_EQ(wrong.output.find("would have noticed"), std::string::npos) << wrong.output;
}

// A layer that reads another tensor of the same type shows in the whole model alone.
TEST_F(ModelCli, CountsFaultsBetweenLayers) {
  ASSERT_TRUE(WriteFileAtomically(
      Path("m.graph"),
      std::string(
          "block main (%x:fp32[64]) -> (%y)\n"
          "  %a:fp32[64] = CLAMP(%x) min_val=fp32[]{-1} max_val=fp32[]{1} nan_mode=PROPAGATE\n"
          "  %b:fp32[64] = CLAMP(%a) min_val=fp32[]{-2} max_val=fp32[]{2} nan_mode=PROPAGATE\n"
          "  %y:fp32[64] = ADD(%b, %x)\n")));
  const Ran ran = ExpectStatus(0, "model m.graph --backend reference", "verdict: agrees");
  EXPECT_NE(ran.output.find("not noticed: fusion/operator-skipped in layer 2: "), std::string::npos)
      << ran.output;
  EXPECT_EQ(ran.output.find("memory/reused-early"), std::string::npos) << ran.output;
}

// `verify` says the same of the graphs that it is given.
TEST_F(ModelCli, VerifySaysWhatItWouldHaveNoticed) {
  ASSERT_TRUE(WriteFileAtomically(
      Path("m.graph"),
      std::string("block main (%x:bf16[64]) -> (%y)\n  %y:bf16[64] = TANH(%x)\n")));
  const std::string verify = "verify m.graph --backend reference";
  ExpectStatus(0, verify + " --power 20 --report r", "not noticed: tanh/result-narrow: ");
  ExpectStatus(3, verify + " --power 100", "faults of its operators (");
  const auto content = Content("r");
  EXPECT_NE(content.at("report.jsonl").find("\"power\":{\"faults\":"), std::string::npos);
  for (const char* file : {"report.html", "summary.md", "report.xml"}) {
    EXPECT_NE(content.at(file).find("would have noticed"), std::string::npos) << file;
  }
}

// Ranges of drawn inputs take turns until nothing new is shown.
TEST_F(ModelCli, AddsSamplesThatShowMore) {
  ASSERT_TRUE(WriteFileAtomically(
      Path("m.graph"),
      std::string(
          "block main (%x:fp32[64]) -> (%y)\n"
          "  %y:fp32[64] = CLAMP(%x) min_val=fp32[]{0} max_val=fp32[]{6} nan_mode=PROPAGATE\n")));
  ExpectStatus(0, "model m.graph --backend reference", "; as clean: ");
  const std::string backend = " --backend mutant:clamp/upper-bound-lost";
  ExpectStatus(1, "model m.graph" + backend, "disagrees: layer 1, CLAMP fp32 y");
  ExpectStatus(1, "model m.graph --samples 1" + backend, "on operands made for it");
}

TEST_F(ModelCli, JudgesLayersOnOperandsMadeForThem) {
  ASSERT_TRUE(WriteFileAtomically(
      Path("m.graph"),
      std::string("block main (%x:fp32[64]) -> (%y)\n  %y:fp32[64] = TANH(%x)\n")));
  const Ran ran = ExpectStatus(1, "model m.graph --backend mutant:tanh/nan-is-zero --report r",
                               "alone, on operands made for it; on the model's values it agrees");
  ExpectStatus(1, "verify " + AnyFile("r/findings", ".tvec") + " --backend mutant:tanh/nan-is-zero",
               "TANH fp32");
  EXPECT_NE(ran.output.find("disagrees: layer 1, TANH fp32 y"), std::string::npos) << ran.output;
}

TEST_F(ModelCli, SaysWhyALayerIsNotDecided) {
  ASSERT_EQ(Run("gen --out c --kind control-flow --count 1").status, 0);
  const Ran ran =
      ExpectStatus(0, "model " + AnyFile("c", ".tvec") + " --backend reference", "1 not decided\n");
  EXPECT_NE(ran.output.find("not decided: layer 2: judged with the whole model only: it runs other "
                            "graphs of the model\n"),
            std::string::npos)
      << ran.output;
}

TEST_F(ModelCli, NamesTheLayerAndItsVector) {
  WriteGraph("m.tosa");
  const Ran ran = ExpectStatus(1, "model m.tosa --backend canary:swapped-operands --report r",
                               "disagrees: layer 2, SUB fp32 t2");
  const std::string vector = AnyFile("r/findings", ".tvec");
  EXPECT_NE(ran.output.find("assay verify " + vector), std::string::npos) << ran.output;
  ExpectStatus(1, "verify " + vector + " --backend canary:swapped-operands", "SUB fp32");
  ExpectStatus(0, "verify " + vector + " --backend reference", "1 agrees");
  const auto content = Content("r");
  EXPECT_NE(content.at("model.json").find("\"layer\": 2"), std::string::npos);
  EXPECT_NE(content.at("model.html").find("SUB fp32 t2"), std::string::npos);
}

TEST_F(ModelCli, InterruptedReportsWhatItHas) {
  WriteGraph("m.tosa");
  // The backend answers the whole wrongly, and its layers slowly.
  WriteScript("backend",
              "echo >>runs.txt; [ $(wc -l <runs.txt) -gt 4 ] && sleep 1\n"
              "echo no >$1/step-0-refused.txt");
  const pid_t pid = Start("model m.tosa --backend exec:./backend --report r");
  const auto runs = [&] {
    const auto text = ReadTextFile(Path("runs.txt"));
    return text ? std::count(text->begin(), text->end(), '\n') : 0;
  };
  EXPECT_TRUE(WaitFor([&] { return runs() > 4; }));
  kill(pid, SIGINT);
  const int status = Status(pid);
  ASSERT_TRUE(WIFEXITED(status)) << *ReadTextFile(Path("err.txt"));
  EXPECT_EQ(WEXITSTATUS(status), 1) << *ReadTextFile(Path("err.txt"));
  EXPECT_LT(runs(), 10);
  const std::string said = *ReadTextFile(Path("out.txt"));
  EXPECT_NE(said.find("partial: interrupted: the layers that were left did not run"),
            std::string::npos)
      << said;
  const auto content = Content("r");
  const std::string& json = content.at("model.json");
  EXPECT_NE(json.find("\"partial\""), std::string::npos) << json;
  EXPECT_NE(json.find("not run, because the command was interrupted"), std::string::npos) << json;
  EXPECT_NE(content.at("model.html").find("partial: interrupted"), std::string::npos);
}

// Layers outside the target never run, and the whole is not judged then.
TEST_F(ModelCli, KeepsToATarget) {
  WriteGraph("m.tosa");
  const std::string model = "model m.tosa --backend ";
  const Ran outside =
      ExpectStatus(0, model + "reference --op ABS,SUB",
                   "outside the target: EXP %t3: an operator that the target lacks");
  EXPECT_NE(outside.output.find("verdict: unsupported: outside the target"), std::string::npos);
  EXPECT_NE(outside.output.find("3 layers alone: 2 agree, 1 unsupported"), std::string::npos);
  ExpectStatus(3, model + "reference --op ABS,SUB --strict", "outside the target");
  ExpectStatus(3, model + "reference --op CONV2D", "3 layers alone: 0 agree, 3 unsupported");
  ExpectStatus(0, model + "reference --op ABS,SUB,EXP", "verdict: agrees");
  // SUB is wrong, and outside.
  ExpectStatus(0, model + "canary:swapped-operands --op ABS,EXP", "2 agree, 1 unsupported");
  ExpectStatus(1, model + "canary:swapped-operands --op SUB --report r", "disagrees: layer 2, SUB");
  EXPECT_NE(Content("r").at("model.html").find("outside the target: EXP"), std::string::npos);
  EXPECT_NE(Content("r").at("model.json").find("\"outside_target\": ["), std::string::npos);
  ExpectStatus(2, model + "reference --target missing.json", "missing.json");
}

TEST_F(ModelCli, SpeaksOfNoStep) {
  WriteGraph("m.tosa");
  const Ran ran =
      ExpectStatus(1, "model m.tosa --backend canary:swapped-operands", "t2[0]: expected");
  EXPECT_EQ(ran.output.find("step 0"), std::string::npos) << ran.output;
}

TEST_F(ModelCli, ComparesTwoBackends) {
  WriteGraph("m.tosa");
  const Ran ran = ExpectStatus(
      1, "model m.tosa --backend reference --against canary:swapped-operands --report r",
      "they part first at layer 2, SUB fp32 t2");
  EXPECT_NE(ran.output.find("outside the specification: canary:swapped-operands (SUB computes"),
            std::string::npos)
      << ran.output;
  const std::string vector = AnyFile("r/findings-against", ".tvec");
  EXPECT_NE(ran.output.find(vector + " --backend canary:swapped-operands"), std::string::npos);
  ExpectStatus(1, "verify " + vector + " --backend canary:swapped-operands", "SUB fp32");
  EXPECT_NE(Content("r").at("model.json").find("\"comparison\""), std::string::npos);
  ExpectStatus(2, "model m.tosa --backend reference --against nobody", "no backend is named");
}

TEST_F(ModelCli, PrintsJson) {
  WriteGraph("m.tosa");
  ExpectStatus(0, "model m.tosa --backend reference --json --samples 2", "\"state\": \"agrees\"");
}

TEST_F(ModelCli, NamesWhatIsWrongInOneLine) {
  WriteGraph("m.tosa");
  ExpectStatus(2, "model missing.tosa --backend reference", "missing.tosa");
  ExpectStatus(2, "model m.tosa", "--backend");
  ExpectStatus(2, "model m.tosa --backend nobody", "no backend is named 'nobody'");
  ExpectStatus(2, "model m.tosa --backend reference --level 9", "--level 9: no such level");
  ExpectStatus(2, "model m.tosa --backend reference --input x=missing.npy", "m.tosa: ");
  ExpectStatus(2, "model m.tosa --backend reference --samples 0", "--samples");
  std::ofstream(Path("bad.tosa")) << "no graph";
  ExpectStatus(2, "model bad.tosa --backend reference", "bad.tosa");
  ASSERT_EQ(Run("gen --out s --kind stateful --count 1").status, 0);
  const std::string vector = AnyFile("s", ".tvec");
  ExpectStatus(2, "model " + vector + " --backend reference --input x=y", "holds its own inputs");
  ExpectStatus(3, "model m.tosa --backend canary:hangs --cpu-seconds 1", "limits for this model");
}

TEST_F(ModelCli, SaysWhatCheckSaysOfAGraphThatNoInputsMakeValid) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2,3]");
  b.Outputs({b.Add(Op::kBitwiseNot, {x}, "fp32[2,3]")});
  b.block.operators[0].location = "net.py:7";
  ASSERT_TRUE(WriteFileAtomically(Path("m.tosa"), WriteTosa(GraphOf({b.block}))));
  const std::string rule = "BITWISE_NOT/ERROR_IF/types";
  const std::string place =
      "operator 0 (BITWISE_NOT) of block main, net.py:7: fp32[2,3] -> fp32[2,3]; allowed: "
      "in_out_t=i8; in_out_t=i16; in_out_t=i32";
  for (const std::string command :
       {"run m.tosa", "model m.tosa --backend reference", "extract m.tosa --out no"}) {
    const Ran ran = ExpectStatus(
        2, command, "m.tosa: breaks " + rule + ", whatever the inputs, in " + place + ": ");
    EXPECT_EQ(ran.errors.find("--input"), std::string::npos) << ran.errors;
  }
  ExpectStatus(1, "check m.tosa", rule + "  " + place);
}

// A model that the reference executor cannot run, because of a cap, is not wrong.
TEST_F(ModelCli, EveryCommandLeavesAModelUndecidedThatCannotBeExecuted) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[1]");
  b.Outputs({b.Add(Op::kCustom, {x}, "i32[1]",
                   {{AttributeId::kOperatorName, "op"},
                    {AttributeId::kDomainName, "domain"},
                    {AttributeId::kImplementationAttrs, ""}})});
  ASSERT_TRUE(WriteFileAtomically(Path("m.tosa"), WriteTosa(GraphOf({b.block}))));
  for (const std::string command :
       {"run m.tosa", "model m.tosa --backend reference", "extract m.tosa --out no"}) {
    const Ran ran = ExpectStatus(3, command, "m.tosa: with inputs that were drawn: ");
    EXPECT_EQ(ran.errors.find("(:"), std::string::npos) << ran.errors;
  }
}

TEST_F(ModelCli, NamesTheLocationOfTheWrongLayer) {
  std::ofstream(Path("net.mlir")) << R"("builtin.module"() ({
"func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "main"}> ({
^bb0(%0: tensor<8xf32>):
  %1 = "tosa.abs"(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "tosa.sub"(%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("block1/sub")
  "func.return"(%2) : (tensor<8xf32>) -> ()
}) : () -> ()
}) : () -> ()
)";
  const Ran ran = ExpectStatus(1, "model net.mlir --backend canary:swapped-operands --report r",
                               "layer 2, SUB fp32 main_2, at block1/sub");
  EXPECT_NE(Content("r").at("model.json").find("\"location\": \"net.mlir:4\""), std::string::npos);
  ExpectStatus(0, "show net.mlir", "= ABS(%main_0) at \"net.mlir:4\"");
  ExpectStatus(0, "convert net.mlir net.tosa", "");
  ExpectStatus(0, "show net.tosa", "at \"block1/sub\"");
}

// Arm's converter for TensorFlow Lite lets blocks read tensors of the block around them.
TEST_F(ModelCli, JudgesAModelWhoseBlocksReadTheTensorsAroundThem) {
  BlockBuilder main;
  const TensorIndex c = main.Input("bool[]");
  const TensorIndex x = main.Input("fp32[8]");
  main.Outputs({main.Add(Op::kCondIf, {c}, "fp32[8]",
                         {{AttributeId::kThenGraph, std::string("then")},
                          {AttributeId::kElseGraph, std::string("else")}})});
  Graph graph = GraphOf({main.block});
  for (const auto& [name, op] : {std::pair("then", Op::kAbs), std::pair("else", Op::kExp)}) {
    Block block;
    block.name = name;
    block.tensors.assign(2, main.block.tensors[static_cast<size_t>(x)]);
    block.tensors[1].name = "y";
    block.operators = {{op, {}, {0}, {1}}};
    block.outputs = {1};
    graph.regions[0].blocks.push_back(block);
  }
  ASSERT_TRUE(WriteFileAtomically(Path("m.tosa"), WriteTosa(graph)));
  ExpectStatus(1, "check m.tosa", "captured-tensor");
  ExpectStatus(0, "model m.tosa --backend reference", "verdict: agrees");
}

// A graph with a variable runs as a sequence.
TEST_F(ModelCli, RunsAModelWithVariablesSeveralTimes) {
  ASSERT_TRUE(WriteFileAtomically(
      Path("s.graph"),
      std::string("block main (%x:fp32[4]) -> (%y)\n"
                  "  VARIABLE() name=v type=fp32 var_shape=[4] initial_value=fp32[4]{0}\n"
                  "  %old:fp32[4] = VARIABLE_READ() name=v\n"
                  "  %y:fp32[4] = MAXIMUM(%old, %x) nan_mode=PROPAGATE\n"
                  "  VARIABLE_WRITE(%y) name=v\n")));
  ExpectStatus(0, "model s.graph --backend reference", "; 5 steps in two contexts");
  ExpectStatus(0, "model s.graph --backend reference --steps 7", "; 7 steps in two contexts");
  const Ran once = ExpectStatus(0, "model s.graph --backend reference --steps 1", "agrees");
  EXPECT_NE(once.output.find("not noticed: variable/contexts-shared in layer 1: "),
            std::string::npos)
      << once.output;
  ExpectStatus(1, "model s.graph --backend canary:stale-variable",
               "wrong layer: 3, VARIABLE_WRITE");
  WriteGraph("m.tosa");
  ExpectStatus(2, "model m.tosa --backend reference --steps 3", "the graph has no variables");
  ExpectStatus(2, "model s.graph --backend reference --steps 0", "--steps");
}

}  // namespace
}  // namespace assay::cli_model_test

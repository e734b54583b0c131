// SPDX-License-Identifier: Apache-2.0
// Tests `assay fold run`: its report about the cache of folded tensors, and the mistakes that it
// finds.
#include <string>
#include <utility>
#include <vector>

#include "block_builder.h"
#include "json_text.h"
#include "npy_file.h"
#include "run_assay.h"
#include "tosa_file.h"
#include "tvec_file.h"

namespace assay::run_command_test {
namespace {

// x varies, w is known at run time, c at compile time. t4 = w + {1,2} and t5 = |w| are folded for
// each context, and t6 = |c| at compile time. The outputs are x - t4, x ^ t5, x + t6 and t4.
Graph Sample() {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]"), w = b.Input("i32[2]"), c = b.Input("i32[1]");
  const TensorIndex sum = b.Add(Op::kAdd, {w, b.Constant("i32[2]{1,2}")}, "i32[2]");
  const TensorIndex weight = b.Add(Op::kAbs, {w}, "i32[2]");
  const TensorIndex compiled = b.Add(Op::kAbs, {c}, "i32[1]");
  const TensorIndex y = b.Add(Op::kSub, {x, sum}, "i32[2]");
  const TensorIndex z = b.Add(Op::kBitwiseXor, {x, weight}, "i32[2]");
  const TensorIndex u = b.Add(Op::kAdd, {x, compiled}, "i32[2]");
  b.Outputs({y, z, u, sum});
  return GraphOf({b.block});
}

Step StepOf(int32_t graph, int32_t context, const std::vector<std::string_view>& inputs) {
  Step step;
  step.graph = graph;
  step.context = context;
  for (const std::string_view input : inputs) step.inputs.push_back(TensorOf(input));
  return step;
}

class FoldRun : public Cli {
 protected:
  void SetUp() override {
    Write("g.tosa", WriteTosa(Sample()));
    Write("x.npy", WriteNpy(TensorOf("i32[2]{10,20}")));
    Write("w.npy", WriteNpy(TensorOf("i32[2]{-3,4}")));
    Write("c.npy", WriteNpy(TensorOf("i32[1]{5}")));
  }
  template <class Bytes>
  void Write(const std::string& name, const Bytes& bytes) {
    ASSERT_TRUE(WriteFileAtomically(Path(name), bytes));
  }
  void WriteVector(const std::string& name, const std::vector<Step>& steps) {
    TestVector vector;
    vector.graphs = {Sample()};
    vector.steps = steps;
    using enum Constness;
    vector.constness[0] = {kVarying, kRuntime, kCompileTime};
    Write(name, WriteTestVector(vector));
  }

  const std::string command_ =
      "fold run g.tosa --runtime-const 1 --compiletime-const 2 --input t0=x.npy --input t1=w.npy "
      "--input t2=c.npy ";
};

TEST_F(FoldRun, ShowsWhatIsFoldedTakenEvictedAndFoldedAgain) {
  EXPECT_EQ(ExpectStatus(0, command_ + "--repeat 4 --evict 2:t4 --cache-bytes 3:8", "").output,
            "at compile time: folded \"t6\", 4 bytes\n"
            "invocation 0: agrees\n"
            "  folded \"t4\", 8 bytes\n"
            "  folded \"t5\", 8 bytes\n"
            "invocation 1: agrees\n"
            "  taken from the cache \"t4\", 8 bytes\n"
            "  taken from the cache \"t5\", 8 bytes\n"
            "invocation 2: agrees\n"
            "  before: evicted \"t4\", 8 bytes\n"
            "  folded again \"t4\", 8 bytes\n"
            "  folded again \"t5\", 8 bytes\n"
            "invocation 3: agrees\n"
            "  before: evicted \"t5\", 8 bytes\n"  // used before t4
            "  folded again \"t4\", 8 bytes\n"
            "  evicted \"t4\", 8 bytes\n"
            "  folded again \"t5\", 8 bytes\n"
            "  the context ends: evicted \"t5\", 8 bytes\n"
            "1 tensor of 4 bytes at compile time\n"
            "2 tensors of 16 bytes folded\n"
            "4 tensors of 32 bytes folded again\n"
            "2 tensors of 16 bytes taken from the cache\n"
            "4 tensors of 32 bytes evicted\n"
            "16 bytes held at most\n"
            "4 invocations agree, 0 wrong, 0 undecided\n");
}

TEST_F(FoldRun, FoldsForEachContextAndKeepsNothingInACacheOfNoBytes) {
  const Ran two = ExpectStatus(0, command_ + "--contexts 2 --repeat 2", "");
  EXPECT_NE(two.output.find("4 tensors of 32 bytes folded\n0 tensors of 0 bytes folded again\n"
                            "4 tensors of 32 bytes taken from the cache\n"),
            std::string::npos)
      << two.output;
  // The first context ends while the other goes on.
  EXPECT_NE(two.output.find("invocation 2 in context 0: agrees\n"
                            "  taken from the cache \"t4\", 8 bytes\n"
                            "  taken from the cache \"t5\", 8 bytes\n"
                            "  the context ends: evicted \"t4\", 8 bytes\n"
                            "  the context ends: evicted \"t5\", 8 bytes\n"
                            "invocation 3 in context 1: agrees\n"),
            std::string::npos)
      << two.output;
  const Ran none =
      ExpectStatus(0, command_ + "--repeat 3 --mode runtime --cache-bytes 0 --json", "");
  const auto json = JsonFrom(none.output);
  const auto sum = [](int tensors, int bytes) {
    return Json{{"tensors", tensors}, {"bytes", bytes}};
  };
  // All three tensors at run time: 8 + 8 + 4 bytes.
  EXPECT_EQ(json["totals"]["compile_time"], sum(0, 0));
  EXPECT_EQ(json["totals"]["folded"], sum(3, 20));
  EXPECT_EQ(json["totals"]["folded_again"], sum(6, 40));
  EXPECT_EQ(json["totals"]["taken"], sum(0, 0));
  EXPECT_EQ(json["totals"]["held_bytes_max"], 0);
  EXPECT_EQ(json["invocations"][1]["during"][0]["tensor"], "t4");
  EXPECT_EQ(json["invocations"][1]["during"][0]["action"], "folded_again");
  EXPECT_EQ(json["invocations"][1]["during"][0]["held"], false);
}

// The constants of a context do not change, unless the context is told to forget them.
TEST_F(FoldRun, RunsTheStepsOfAVector) {
  WriteVector("v.tvec", {StepOf(0, 0, {"i32[2]{10,20}", "i32[2]{-3,4}", "i32[1]{5}"}),
                         StepOf(0, 1, {"i32[2]{1,2}", "i32[2]{7,8}", "i32[1]{5}"}),
                         StepOf(0, 0, {"i32[2]{3,4}", "i32[2]{7,8}", "i32[1]{5}"})});
  const Ran ran = Run("fold run v.tvec");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.errors,
            "assay: v.tvec: invocation 2: input \"t1\", a runtime constant, is not what it was in "
            "invocation 0 of the same context; --forget 2 lets it change\n");
  ExpectStatus(0, "fold run v.tvec --forget 2", "6 tensors of 48 bytes folded\n0 tensors");
  WriteVector("c.tvec", {StepOf(0, 0, {"i32[2]{10,20}", "i32[2]{-3,4}", "i32[1]{5}"}),
                         StepOf(0, 1, {"i32[2]{1,2}", "i32[2]{7,8}", "i32[1]{6}"})});
  ExpectStatus(2, "fold run c.tvec",
               "c.tvec: invocation 1: input \"t2\", a compile-time constant, is not what it was in "
               "invocation 0\n");
}

// Graphs and contexts share one cache, and some use variables. No step is wrong.
TEST_F(FoldRun, AgreesOnSuites) {
  ASSERT_EQ(Run("gen --out s --kind control-flow --count 60 --seed 7").status, 0);
  for (const auto& [name, text] : Content("s")) {
    if (!name.ends_with(".tvec")) continue;
    const Ran ran = Run("fold run s/" + name + " --repeat 2 --mode runtime");
    EXPECT_EQ(ran.status, 0) << name << "\n" << ran.output << ran.errors;
  }
}

TEST_F(FoldRun, FindsFaults) {
  const struct {
    const char *fault, *options, *finding;
  } kCases[] = {
      // 10 - -2 = 12 and not 10 - |-3|.
      {"results-exchanged", "", "FAIL  output t7, element 0: 12 before, 7 after"},
      {"full-gives-nothing", "--cache-bytes 0", "FAIL  output t7, element 0: 12 before, 10 after"},
      // -2 with another last bit is -1.
      {"entry-writes-cache", "--repeat 2", "FAIL  output t7, element 0: 12 before, 11 after"},
      // 10 ^ 3 = 9 and not 10 ^ 0.
      {"partly-evicted", "--repeat 2 --evict 1:t5", "output t8, element 0: 9 before, 10 after"},
      {"eviction-ignored", "--repeat 2 --evict 1", "FAIL  output t7, element 0: 12 before, "},
      {"freed-in-use", "--cache-bytes 8", "FAIL  output t7, element 0: 12 before, "},
      {"output-is-cache", "--repeat 2", "FAIL  output t7, element 0: 12 before, "},
      {"folded-every-run", "--repeat 2", "FAIL  folds again what the cache holds"},
      {"context-not-in-key", "--contexts 2 --repeat 2",
       "FAIL  takes a tensor that was not folded for its context"},
      {"folded-per-module", "--contexts 2", "bytes when all contexts have ended"},
      {"capacity-leaks", "--cache-bytes 0", "FAIL  the cache holds 16 bytes, and may hold 0"},
      {"misaligned", "", "FAIL  a folded tensor is not aligned to 64 bytes"},
      {"constants-dropped", "--policy absolute:7", "FAIL  "},
  };
  for (const auto& [fault, options, finding] : kCases) {
    ExpectStatus(0, command_ + options, "0 wrong, 0 undecided");
    ExpectStatus(1, command_ + options + " --fault " + fault, finding);
  }
}

TEST_F(FoldRun, SaysWhatIsNotDecided) {
  BlockBuilder b;  // x + |w|
  const TensorIndex x = b.Input("i32[1]"), w = b.Input("i32[1]");
  b.Outputs({b.Add(Op::kAdd, {x, b.Add(Op::kAbs, {w}, "i32[1]")}, "i32[1]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps = {StepOf(0, 0, {"i32[1]{2147483647}", "i32[1]{1}"})};
  vector.constness[0] = {Constness::kVarying, Constness::kRuntime};
  Write("o.tvec", WriteTestVector(vector));
  const Ran ran =
      ExpectStatus(3, "fold run o.tvec --repeat 3",
                   "undecided: unpredictable before folding: ADD/REQUIRE/apply_add_s at ");
  EXPECT_NE(ran.output.find("\n0 invocations agree, 0 wrong, 1 undecided\n"), std::string::npos)
      << ran.output;
  ExpectStatus(3, command_ + "--max-bytes 1", "undecided: ");
}

TEST_F(FoldRun, SaysWhatIsWrongWithItsInput) {
  ExpectStatus(2, "fold run nothing.tosa", "nothing.tosa");
  ExpectStatus(2, "fold run g.tosa", "g.tosa: input \"t0\" of type i32[2] is not given");
  ExpectStatus(2, command_ + "--evict 1", "--evict \"1\": the last invocation is 0");
  ExpectStatus(2, command_ + "--evict x", "--evict \"x\": not N or N:TENSOR");
  ExpectStatus(2, command_ + "--evict 0:t6", "no tensor \"t6\" is folded at run time");
  ExpectStatus(2, command_ + "--cache-bytes -1", "--cache-bytes \"-1\": not BYTES or N:BYTES");
  ExpectStatus(2, command_ + "--cache-bytes 0:", "--cache-bytes \"0:\": not BYTES or N:BYTES");
  ExpectStatus(2, command_ + "--forget 0:t4", "--forget \"0:t4\": not the number of an invocation");
  ExpectStatus(2, command_ + "--repeat 1000000 --contexts 2", "more than 1000000 invocations");
  ExpectStatus(2, command_ + "--fault nothing", "--fault: no fault is named 'nothing'");
  WriteVector("v.tvec", {});
  ExpectStatus(2, "fold run v.tvec", "v.tvec: no step invokes the graph");
  ExpectStatus(2, "fold run v.tvec --contexts 2", "--input and --contexts are for graphs");
}

}  // namespace
}  // namespace assay::run_command_test

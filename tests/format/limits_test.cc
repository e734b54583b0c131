// SPDX-License-Identifier: Apache-2.0
// Tests of the cost of hostile graphs: time, memory and depth of recursion.
#include <time.h>

#include "backend_kind.h"
#include "block_builder.h"
#include "check_graph.h"
#include "control_flow_nests.h"
#include "equal_graphs.h"
#include "execution_order.h"
#include "fold_graph.h"
#include "interpreter.h"
#include "liveness.h"
#include "mlir_reader.h"
#include "mlir_writer.h"
#include "time_limit.h"

namespace assay::limits_test {
namespace {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Returns a block with `calls` COND_IFs on its inputs, each of which runs the block `callee` in
// both branches. Without a callee, the block returns its input.
Block Calling(const std::string& name, const std::string& callee, int calls = 1) {
  BlockBuilder b(name);
  const TensorIndex condition = b.Input("bool[]");
  TensorIndex x = b.Input("i8[]");
  for (int i = 0; i < calls && !callee.empty(); ++i) {
    x = b.Add(Op::kCondIf, {condition, condition, x}, "i8[]",
              {{AttributeId::kThenGraph, callee}, {AttributeId::kElseGraph, callee}});
  }
  return b.Outputs({x}).block;
}

// Returns a graph with `blocks` blocks below the main one. Each block is run by the one before.
Graph Chain(int blocks, int calls = 1) {
  std::vector<Block> all;
  for (int i = 0; i <= blocks; ++i) {
    all.push_back(Calling(i == 0 ? "main" : "b" + std::to_string(i),
                          i == blocks ? "" : "b" + std::to_string(i + 1), calls));
  }
  return GraphOf(std::move(all));
}

// Returns `depth` nested loops. Each counts to 1,000, and its body contains the next loop.
Graph Loops(int depth) {
  std::vector<Block> blocks;
  for (int i = 0; i <= depth; ++i) {
    BlockBuilder b(i == 0 ? "main" : "body" + std::to_string(i));
    const TensorIndex outer = i == 0 ? -1 : b.Input("i32[]");
    if (i < depth) {
      const TensorIndex zero = b.Constant("i32[]{0}");
      b.Add(Op::kWhileLoop, {zero}, "i32[]",
            {{AttributeId::kCondGraph, std::string("cond")},
             {AttributeId::kBodyGraph, "body" + std::to_string(i + 1)}});
    }
    if (i == 0) {
      b.Outputs({static_cast<TensorIndex>(b.block.tensors.size()) - 1});
    } else {
      b.Outputs({b.Add(Op::kAdd, {outer, b.Constant("i32[]{1}")}, "i32[]")});
    }
    blocks.push_back(b.block);
  }
  BlockBuilder cond("cond");
  const TensorIndex x = cond.Input("i32[]");
  cond.Outputs({cond.Add(Op::kGreater, {cond.Constant("i32[]{1000}"), x}, "bool[]")});
  blocks.push_back(cond.block);
  return GraphOf(std::move(blocks));
}

Outcome OutcomeOf(const Graph& graph, const std::vector<Tensor>& inputs = {},
                  const ExecutionOptions& options = {}) {
  Context context;
  return Execute(context, graph, inputs, options);
}

TEST(Nesting, IsAskedOfBeforeAnythingRecurs) {
  const Graph deep = Chain(60'000);
  const Result<GraphMemory> memory = MemoryOf(deep, {});
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().kind, Error::Kind::kBadInput);
  EXPECT_NE(memory.error().message.find("COND_IF/ERROR_IF/1"), std::string::npos);
  const std::vector<Constness> arguments(2, Constness::kVarying);
  const Result<Folding> folding = FoldGraph(deep, arguments, {});
  ASSERT_FALSE(folding);
  EXPECT_EQ(folding.error().message, "breaks COND_IF/ERROR_IF/1");
  EXPECT_EQ(CheckFold(deep, deep, {}).reason, "before is no graph: COND_IF/ERROR_IF/1");
}

TEST(Nesting, MayBeAsDeepAsTheHighestLevelAllows) {
  const auto rule = [](int depth) {
    Judgement judgement;
    CheckNesting(Chain(depth), judgement);
    return std::string(judgement.valid() ? "" : judgement.rule());
  };
  EXPECT_EQ(rule(kLevelNone.max_nesting), "");
  EXPECT_EQ(rule(kLevelNone.max_nesting + 1), "COND_IF/ERROR_IF/1");
}

// The limits are for a loaded machine. A cost that grows with the square of the blocks takes
// minutes.
TEST(ManyBlocks, CostNoMoreThanTheyAreMany) {
  const double start = CpuSeconds();
  const Graph graph = Chain(80'000);
  EXPECT_FALSE(CheckGraph(graph, kLevel8K, {}).empty());
  EXPECT_FALSE(MemoryOf(graph, {}));
  EXPECT_EQ(NestsOf(graph).size(), static_cast<size_t>(kNestDepthMax));
  EXPECT_LT(CpuSeconds() - start, 20);
}

TEST(ManyResults, CostNoMoreThanTheyAreMany) {
  const double start = CpuSeconds();
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1]");
  std::vector<TensorIndex> results;
  for (int i = 0; i < 50'000; ++i) results.push_back(b.Declare("i8[1]"));
  b.Append(Op::kCustom, {x}, results);
  EXPECT_TRUE(MemoryOf(GraphOf({b.Outputs(results).block}), {}));
  EXPECT_LT(CpuSeconds() - start, 20);
}

// 40^6 paths lead to the innermost block.
TEST(Nests, AreFoundOnceForEachBlock) {
  const auto nests = NestsOf(Chain(kNestDepthMax, 40));
  for (const auto& [op, names] : nests) EXPECT_EQ(names.size(), 1u);
}

TEST(Execution, CountsTheTurnsOfLoopsInsideEachOther) {
  EXPECT_EQ(ExecutionOptions().operators_max, 10'000'000);
  ExecutionOptions options;
  options.operators_max = 50'000;
  const Outcome outcome = OutcomeOf(Loops(3), {}, options);
  EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcome.message, "runs more than 50000 operators and turns of loops, the cap in force");
  EXPECT_EQ(OutcomeOf(Loops(1), {}, options).kind, OutcomeKind::kValid);
}

// Blocks without operators take time as well: 2^40 of them.
TEST(Execution, CountsBlocksThatRunTheNextOneTwice) {
  ExecutionOptions options;
  options.level = kLevelNone;
  options.operators_max = 100'000;
  const Outcome outcome =
      OutcomeOf(Chain(40, 2), {TensorOf("bool[]{true}"), TensorOf("i8[]{1}")}, options);
  EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
  EXPECT_NE(outcome.message.find("more than 100000 operators"), std::string::npos);
}

// Returns y = FFT of an image so large that the pseudocode takes minutes.
Graph LongOperator() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1,1024,1024]");
  const TensorIndex real = b.Declare("fp32[1,1024,513]");
  const TensorIndex imag = b.Declare("fp32[1,1024,513]");
  b.Append(Op::kRfft2d, {x}, {real, imag}, {{AttributeId::kLocalBound, false}});
  return GraphOf({b.Outputs({real, imag}).block});
}

TEST(TimeLimit, EndsOneLongOperator) {
  const Tensor x = Tensor::Splat(DType::kFp32, {1, 1024, 1024}, 0);
  const double start = CpuSeconds();
  TimeLimit limit(0.1, 0);
  const Outcome outcome = OutcomeOf(LongOperator(), {x});
  EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcome.message, "takes more than 1 s of processor time, the limit in force");
  EXPECT_TRUE(limit.reached());
  EXPECT_LT(CpuSeconds() - start, 20);
}

TEST(TimeLimit, EndsLoops) {
  ExecutionOptions options;
  options.operators_max = int64_t{1} << 60;
  TimeLimit limit(0, 0.1);
  EXPECT_EQ(OutcomeOf(Loops(3), {}, options).message,
            "takes more than 1 s of wall time, the limit in force");
}

TEST(TimeLimit, OfAnInProcessBackendMakesTheVectorUnsupported) {
  TestVector vector;
  vector.graphs = {LongOperator()};
  vector.steps.resize(2);
  for (Step& step : vector.steps) {
    step.inputs = {Tensor::Splat(DType::kFp32, {1, 1024, 1024}, 0)};
  }
  BackendOptions options;
  options.cpu_seconds = 0.1;
  for (const char* name : {"reference", "reference:template", "canary:pad-with-zero"}) {
    const Result<std::unique_ptr<Backend>> backend = OpenBackend(name, options);
    ASSERT_TRUE(backend) << backend.error().message;
    const Result<std::vector<Outcome>> outcomes = (*backend)->Run(vector);
    ASSERT_TRUE(outcomes);
    for (const Outcome& outcome : *outcomes) {
      EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported) << name;
      EXPECT_NE(outcome.message.find("the limit in force"), std::string::npos) << name;
    }
  }
}

TEST(MlirText, IsMeasuredBeforeItIsWritten) {
  const Result<std::string> text = WriteMlir(Chain(31, 2));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, Error::Kind::kResource);
  EXPECT_NE(text.error().message.find("more than the limit of 1073741824"), std::string::npos)
      << text.error().message;
  EXPECT_TRUE(WriteMlir(Chain(4, 2)));
}

TEST(MlirText, HoldsNoEnormousSplat) {
  const auto module = [](const std::string& type) {
    return "\"builtin.module\"() ({\n\"func.func\"() <{function_type = () -> (" + type +
           "), sym_name = \"main\"}> ({\n%0 = \"tosa.const\"() <{values = dense<1> : " + type +
           "}> : () -> " + type + "\n\"func.return\"(%0) : (" + type +
           ") -> ()\n}) : () -> ()\n}) : () -> ()\n";
  };
  const Result<Graph> graph = ReadMlir(module("tensor<2147483647xi8>"), "splat.mlir");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().message,
            "splat.mlir:3: the constants that are written as one element take more than "
            "536870912 bytes of memory, the limit");
  EXPECT_TRUE(ReadMlir(module("tensor<1000000xi8>"), "splat.mlir"));
}

}  // namespace
}  // namespace assay::limits_test

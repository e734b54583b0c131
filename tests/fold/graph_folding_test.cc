// SPDX-License-Identifier: Apache-2.0
// Tests constant tensors folding: each rule on a graph worked out by hand, and laws for all graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "check_graph.h"
#include "folded_graphs.h"
#include "generator_table.h"
#include "mlir_constness.h"
#include "random.h"
#include "size_policy.h"

namespace assay::testing::graph_folding_test {
namespace {

// The example of the founding document: a literal, a weight known at compile time and one known at
// run time. Each is prepared and then multiplied with an input that varies.
TEST(FoldGraph, MakesThreeGraphs) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]"), w1 = b.Input("fp32[2]"), w2 = b.Input("fp32[2]");
  const TensorIndex w0 = b.Constant("fp32[2]{1,2}"), shift = b.Constant("i8[1]{0}");
  TensorIndex feature = x;
  for (const TensorIndex weight : {w0, w1, w2}) {
    feature = b.Add(Op::kMul, {feature, Negate(b, weight, "fp32[2]"), shift}, "fp32[2]");
  }
  const Graph graph = GraphWith(b, {feature});
  const std::vector<Constness> arguments = {kVarying, kCompileTime, kRuntime};
  const Folding split = Folded(graph, arguments);
  EXPECT_EQ(TextOf(split), "NEGATE NEGATE | NEGATE | MUL MUL MUL; fp32[2] fp32[2] fp32[2]");
  // The entry takes the input that varies and three cached tensors; the others take their weight.
  EXPECT_EQ(split.stage(FoldStage::kEntry).Main()->inputs.size(), 4u);
  EXPECT_EQ(split.stage(FoldStage::kCompileTime).Main()->inputs.size(), 1u);
  EXPECT_EQ(split.record.at(FoldStage::kCompileTime).inputs[0],
            (FoldSource{FoldSource::Kind::kArgument, 1}));
  EXPECT_EQ(split.record.cached[2].stage, FoldStage::kRuntime);
  EXPECT_EQ(split.record.cached[2].bytes, 8);
  FoldOptions options;
  options.form = FoldForm::kRuntime;
  options.first_global_index = 70;
  const Folding runtime = Folded(graph, arguments, options);
  EXPECT_EQ(TextOf(runtime), " | NEGATE NEGATE NEGATE | MUL MUL MUL; fp32[2] fp32[2] fp32[2]");
  EXPECT_EQ(runtime.record.cached[2].global_index, 72);
  const std::vector<Tensor> inputs = Tensors({"fp32[2]{1,-3}", "fp32[2]{2,5}", "fp32[2]{7,-1}"});
  ExpectToAgree(split, inputs);
  ExpectToAgree(runtime, inputs);
}

TEST(FoldGraph, LeavesAnArgumentThatTheEntryReadsItself) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]"), w = b.Input("fp32[2]");
  const Folding folding =
      Folded(GraphWith(b, {b.Add(Op::kAdd, {x, w}, "fp32[2]"), w}), {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " |  | ADD;");
  EXPECT_EQ(folding.stage(FoldStage::kEntry).Main()->inputs.size(), 2u);
}

// A value that is returned twice and used is one cached tensor. A constant that nothing uses is
// removed; an input that varies stays even if nothing uses it.
TEST(FoldGraph, CachesAValueOnceAndNothingThatIsNotNeeded) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]"), w = b.Input("fp32[2]");
  const TensorIndex folded = b.Add(Op::kAbs, {w}, "fp32[2]");
  b.Add(Op::kExp, {w}, "fp32[2]");
  b.Add(Op::kFloor, {x}, "fp32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, folded}, "fp32[2]");
  const Folding folding = Folded(GraphWith(b, {folded, sum, folded}), {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS | FLOOR ADD; fp32[2]");
  EXPECT_TRUE(folding.record.certificate.went[1].empty());
  ExpectToAgree(folding, Tensors({"fp32[2]{1,2}", "fp32[2]{-3,4}"}));
}

// A value computed from constants of both kinds belongs to run time. Its compile-time part is
// cached for that stage.
TEST(FoldGraph, FoldsAMixtureAtRunTime) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]"), s = b.Input("fp32[2]"), w = b.Input("fp32[2]");
  const TensorIndex prepared = b.Add(Op::kAbs, {s}, "fp32[2]");
  const TensorIndex mixed = b.Add(Op::kSub, {prepared, w}, "fp32[2]");
  const Folding folding = Folded(GraphWith(b, {b.Add(Op::kAdd, {x, mixed}, "fp32[2]")}),
                                 {kVarying, kCompileTime, kRuntime});
  EXPECT_EQ(TextOf(folding), "ABS | SUB | ADD; fp32[2] fp32[2]");
  ExpectToAgree(folding, Tensors({"fp32[2]{1,2}", "fp32[2]{-3,4}", "fp32[2]{5,6}"}));
}

// The argument has 4 bytes and the ratio is 8: 32 bytes are cached. 36 bytes are not cached, but
// the operand is.
TEST(FoldGraph, KeepsTheSizePolicyToTheByte) {
  const auto folded = [](int multiple, SizePolicy policy) {
    BlockBuilder b;
    const std::string type = "fp32[" + std::to_string(multiple) + "]";
    const TensorIndex x = b.Input(type), w = b.Input("fp32[1]");
    const TensorIndex small = b.Add(Op::kAbs, {w}, "fp32[1]");
    const TensorIndex large = Tile(b, small, "shape[1]{" + std::to_string(multiple) + "}", type);
    FoldOptions options;
    options.policy = policy;
    options.postpone = false;
    return TextOf(
        Folded(GraphWith(b, {b.Add(Op::kAdd, {x, large}, type)}), {kVarying, kRuntime}, options));
  };
  EXPECT_EQ(folded(8, {SizePolicyKind::kRatio, 8}), " | ABS TILE | ADD; fp32[8]");
  EXPECT_EQ(folded(9, {SizePolicyKind::kRatio, 8}), " | ABS | TILE ADD; fp32[1]");
  // 4 + 28 bytes.
  EXPECT_EQ(folded(8, {SizePolicyKind::kAdditive, 28}), " | ABS TILE | ADD; fp32[8]");
  EXPECT_EQ(folded(8, {SizePolicyKind::kAdditive, 27}), " | ABS | TILE ADD; fp32[1]");
  EXPECT_EQ(folded(8, {SizePolicyKind::kAbsolute, 32}), " | ABS TILE | ADD; fp32[8]");
  EXPECT_EQ(folded(8, {SizePolicyKind::kAbsolute, 31}), " | ABS | TILE ADD; fp32[1]");
  EXPECT_EQ(folded(8, {SizePolicyKind::kAbsolute, 3}), " |  | ABS TILE ADD;");
}

// Roots count once, even if they are reached twice: f(w, w) has the bytes of w.
TEST(FoldGraph, CountsEachConstantOnce) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[9]"), w = b.Input("fp32[1]");
  const TensorIndex left = b.Add(Op::kAbs, {w}, "fp32[1]"),
                    right = b.Add(Op::kFloor, {w}, "fp32[1]");
  const TensorIndex both = b.Add(Op::kAdd, {left, right}, "fp32[1]");
  const TensorIndex large = Tile(b, both, "shape[1]{9}", "fp32[9]");
  const Folding folding =
      Folded(GraphWith(b, {b.Add(Op::kAdd, {x, large}, "fp32[9]")}), {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS FLOOR ADD | TILE ADD; fp32[1]");
}

// A large value that shrinks again inside the stage is folded. If the entry needs it, too, it is
// computed twice.
TEST(FoldGraph, ComputesALargeValueAgainWhereItIsNeeded) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[40,1]"), w = b.Input("fp32[1,1]");
  const TensorIndex large = Tile(b, w, "shape[2]{40,1}", "fp32[40,1]");
  const TensorIndex sum =
      b.Add(Op::kReduceSum, {large}, "fp32[1,1]", {{AttributeId::kAxis, int32_t{0}}});
  const TensorIndex both = b.Add(Op::kAdd, {x, sum}, "fp32[40,1]");
  const Graph inside = GraphWith(b, {both});
  EXPECT_EQ(TextOf(Folded(inside, {kVarying, kRuntime})), " | TILE REDUCE_SUM | ADD; fp32[1,1]");
  Graph shared = inside;
  shared.Main()->outputs.push_back(large);
  const Folding folding = Folded(shared, {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " | TILE REDUCE_SUM | TILE ADD; fp32[1,1]");
  StageSet twice;
  twice.Add(FoldStage::kRuntime);
  twice.Add(FoldStage::kEntry);
  EXPECT_EQ(folding.record.certificate.went[1], twice);
}

// bool and i4 take a byte for an element, i48 eight; a tensor of rank 0 has one element.
TEST(FoldGraph, KnowsHowLargeTensorsAre) {
  EXPECT_EQ(StoredBytes({DType::kBool, {3}}), 3);
  EXPECT_EQ(StoredBytes({DType::kInt4, {3}}), 3);
  EXPECT_EQ(StoredBytes({DType::kInt48, {3}}), 24);
  EXPECT_EQ(StoredBytes({DType::kFp32, {}}), 4);
  const Graph graph = GraphOf(R"(
    block main (%x:i32[],%w:i32[]) -> (%sum)
      %is_zero:bool[] = EQUAL(%w,0)
      %sum:i32[] = SELECT(%is_zero,%x,%w))");
  const Folding folding = Folded(graph, {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " | EQUAL | SELECT; bool[]");
  EXPECT_EQ(folding.record.cached[0].bytes, 1);
  ExpectToAgree(folding, Tensors({"i32[]{4}", "i32[]{0}"}));
}

// State is read and written in every execution, even if the written value is constant. Read values
// vary.
TEST(FoldGraph, FoldsNoEffects) {
  const Graph graph = GraphOf(R"(
    block main (%w:fp32[1]) -> (%y)
      VARIABLE() name=v type=fp32 var_shape=[1]
      %folded:fp32[1] = ABS(%w)
      VARIABLE_WRITE(%folded) name=v
      %read:fp32[1] = VARIABLE_READ() name=v
      %y:fp32[1] = ABS(%read))");
  const Folding folding = Folded(graph, {kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS | VARIABLE VARIABLE_WRITE VARIABLE_READ ABS; fp32[1]");
  ExpectToAgree(folding, Tensors({"fp32[1]{-5}"}));
}

// Tests the older form of state: a tensor with variable=true.
TEST(FoldGraph, FoldsNoVariableTensors) {
  BlockBuilder b;
  const TensorIndex w = b.Input("i32[1]"), v = b.Variable("v", "i32[1]", TensorOf("i32[1]{0}"));
  const TensorIndex folded = b.Add(Op::kAbs, {w}, "i32[1]");
  const TensorIndex sum = b.Add(Op::kAdd, {v, folded}, "i32[1]");
  b.Append(Op::kIdentity, {sum}, {v});
  const Folding folding = Folded(GraphWith(b, {sum}), {kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS | ADD IDENTITY; i32[1]");
  ExpectToAgree(folding, Tensors({"i32[1]{-5}"}));
}

void Zero(ValueDomain& d, const Call<ValueDomain>& call) {
  for (auto& output : call.outputs) std::fill(output.begin(), output.end(), d.Integer(0));
}

TEST(FoldGraph, FoldsCustomOnlyWhereItIsSaidToBePure) {
  const Graph graph = GraphOf(R"(
    block main (%w:i32[1]) -> (%y)
      %u:i32[1] = CUSTOM(%w) operator_name=zero domain_name=d implementation_attrs=""
      %y:i32[1] = ABS(%u))");
  FoldOptions options;
  options.execution.custom_domains = {{"d", Zero}};
  EXPECT_EQ(TextOf(Folded(graph, {kRuntime}, options)), " |  | CUSTOM ABS;");
  options.pure_domains = {"d"};
  EXPECT_EQ(TextOf(Folded(graph, {kRuntime}, options)), " | CUSTOM ABS | ; i32[1]");
}

// COND_IF on `condition`: then -w, else w - w.
Graph Conditional(const std::string& in_then) {
  return GraphOf(R"(
    block main (%p:bool[1],%w:i32[2],%x:i32[2]) -> (%sum)
      %chosen:i32[2] = COND_IF(%p,%w) then_graph=then else_graph=else
      %sum:i32[2] = ADD(%x,%chosen)
    block then (%a:i32[2]) -> (%b)
      %b:i32[2] = )" +
                 in_then + R"(
    block else (%a:i32[2]) -> (%b)
      %b:i32[2] = SUB(%a,%a))");
}

TEST(FoldGraph, FoldsControlFlowWithItsConditionAndWithoutEffects) {
  const Graph graph = Conditional("SUB(%a,%a)");
  const Folding folding = Folded(graph, {kRuntime, kRuntime, kVarying});
  EXPECT_EQ(TextOf(folding), " | COND_IF | ADD; i32[2]");
  // The stage has the blocks, the entry does not.
  EXPECT_EQ(folding.stage(FoldStage::kRuntime).regions[0].blocks.size(), 3u);
  EXPECT_EQ(folding.stage(FoldStage::kEntry).regions[0].blocks.size(), 1u);
  ExpectToAgree(folding, Tensors({"bool[1]{1}", "i32[2]{3,4}", "i32[2]{5,6}"}));
  EXPECT_EQ(TextOf(Folded(graph, {kVarying, kRuntime, kVarying})), " |  | COND_IF ADD;");
  // A branch reads a variable.
  const Graph reading = Conditional("VARIABLE_READ() name=v");
  const std::vector<Constness> arguments(3, kRuntime);
  EXPECT_EQ(Dataflow(reading, arguments, {}).OfOperator(0), kVarying);
}

// A block names a tensor of the main block, which no valid graph does.
TEST(Dataflow, CountsWhatBlocksReadOfTheMainBlock) {
  Graph graph = Conditional("SUB(%a,%a)");
  Block& on_false = graph.regions[0].blocks[2];
  TensorInfo named;
  named.name = graph.Main()->tensors[2].name;
  named.type = {DType::kInt32, {2}};
  on_false.tensors.push_back(named);
  on_false.operators[0].inputs[1] = static_cast<TensorIndex>(on_false.tensors.size() - 1);
  on_false.tensors[0].name = "inner";
  const std::vector<Constness> varying = {kRuntime, kRuntime, kVarying};
  EXPECT_EQ(Dataflow(graph, varying, {}).OfOperator(0), kVarying);
  const std::vector<Constness> constant = {kCompileTime, kCompileTime, kRuntime};
  EXPECT_EQ(Dataflow(graph, constant, {}).OfOperator(0), kRuntime);
}

// 2147483647 + 1 breaks a REQUIRE. It must break when the entry runs, not when it is folded.
TEST(FoldGraph, LeavesWhatCannotBeComputed) {
  BlockBuilder b;
  const TensorIndex sum =
      b.Add(Op::kAdd, {b.Constant("i32[1]{2147483647}"), b.Constant("i32[1]{1}")}, "i32[1]");
  const TensorIndex after = b.Add(Op::kAbs, {sum}, "i32[1]");
  const TensorIndex fine = b.Add(Op::kAbs, {b.Constant("i32[1]{-1}")}, "i32[1]");
  const Folding folding = Folded(GraphWith(b, {after, fine}), {});
  EXPECT_EQ(TextOf(folding), "ABS |  | ADD ABS; i32[1]");
  FoldContext context;
  EXPECT_EQ(Loaded(folding, {})->Run(context, {}).outcome.kind, OutcomeKind::kUnpredictable);
}

TEST(FoldGraph, RefusesARunTimeConstantWhereCompilersNeedTheValue) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1]"), pad = b.Input("i8[1]");
  const TensorIndex padding = b.Constant("shape[2]{1,1}");
  const Graph graph = GraphWith(b, {b.Add(Op::kPad, {x, padding, pad}, "i8[3]")});
  const std::vector<Constness> arguments = {kVarying, kRuntime};
  EXPECT_EQ(FoldGraph(graph, arguments, {}).error().message,
            "operator 1 (PAD): the compile-time-constant operand pad_const reads t1, which is a "
            "run-time constant");
  FoldOptions options;
  options.execution.dynamic = true;
  EXPECT_EQ(TextOf(Folded(graph, arguments, options)), " |  | PAD;");
  const std::vector<Constness> one = {kVarying};
  EXPECT_EQ(FoldGraph(graph, one, {}).error().message,
            "there is not one constness for each of 2 inputs");
}

// With EXT-DYNAMIC the padding value may be computed. Computed from CONSTs alone, it becomes a
// CONST. Computed from arguments, it stays with its PAD.
TEST(FoldGraph, KeepsCompileTimeConstantOperandsConstant) {
  FoldOptions options;
  options.execution.dynamic = true;
  for (const bool literal : {true, false}) {
    BlockBuilder b;
    const TensorIndex x = b.Input("i32[1]"), w = b.Input("i32[1]");
    const TensorIndex from = literal ? b.Constant("i32[1]{-7}") : w;
    const TensorIndex pad = b.Add(Op::kAbs, {from}, "i32[1]");
    const TensorIndex padding = b.Constant("shape[2]{1,1}");
    const TensorIndex sum = b.Add(Op::kAdd, {x, w}, "i32[1]");
    const Graph graph = GraphWith(b, {b.Add(Op::kPad, {sum, padding, pad}, "i32[3]")});
    const Folding folding = Folded(graph, {kVarying, kRuntime}, options);
    EXPECT_EQ(TextOf(folding), literal ? " |  | ADD PAD;" : " |  | ABS ADD PAD;");
    EXPECT_EQ(folding.record.certificate.baked.size(), literal ? 1u : 0u);
    ExpectToAgree(folding, Tensors({"i32[1]{4}", "i32[1]{-9}"}), options.execution);
  }
}

TEST(FoldGraph, RefusesGraphsThatAreWrong) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]");
  const std::vector<Constness> varying = {kVarying};
  const Graph graph = GraphWith(b, {b.Add(Op::kAbs, {x}, "i32[3]")});
  EXPECT_TRUE(FoldGraph(graph, varying, {}).error().message.starts_with("breaks ABS/ERROR_IF/"));
  EXPECT_EQ(FoldGraph(Graph(), {}, {}).error().message, "the graph has no block main");
}

// Returns the constness of three arguments of a module with these attributes, which are those of
// the founding document.
std::string ConstnessText(const std::string& attributes) {
  const std::string module =
      "\"builtin.module\"() ({\n\"func.func\"() <{function_type = (tensor<2xf32>, tensor<2xf32>, "
      "tensor<2xf32>) -> tensor<2xf32>, sym_name = \"main\"}> ({\n"
      "^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>):\n"
      "\"func.return\"(%a) : (tensor<2xf32>) -> ()\n})" +
      attributes + " : () -> ()\n}) : () -> ()\n";
  const Result<std::vector<Constness>> arguments = ReadMlirConstness(module, "m");
  if (!arguments) return arguments.error().message;
  std::string text;
  for (const Constness one : *arguments) text += std::string(NameOf(one)) + " ";
  return text;
}

TEST(ReadMlirConstness, ReadsTheIndicesOfConstantArguments) {
  EXPECT_EQ(ConstnessText(""), "varying varying varying ");
  EXPECT_EQ(ConstnessText(" {compiletime_const_args_index = [1 : i32], runtime_const_args_index = "
                          "[2 : i32, 0 : i32]}"),
            "runtime compile-time runtime ");
  EXPECT_EQ(ConstnessText(" {runtime_const_args_index = array<i32: 0, 2>}"),
            "runtime varying runtime ");
  EXPECT_EQ(ConstnessText(" {runtime_const_args_index = []}"), "varying varying varying ");
  EXPECT_EQ(ConstnessText(" {runtime_const_args_index = [3 : i32]}"),
            "m:2: runtime_const_args_index: there is no argument 3");
  EXPECT_EQ(ConstnessText(" {compiletime_const_args_index = [0], runtime_const_args_index = [0]}"),
            "m:2: runtime_const_args_index: argument 0 is there twice");
  EXPECT_EQ(ConstnessText(" {runtime_const_args_index = [-1 : i32]}"),
            "m:2: runtime_const_args_index: not a list of positions");
  EXPECT_EQ(ConstnessText(" {runtime_const_args_index = 1 : i32}"),
            "m:2: runtime_const_args_index: not a list of positions");
}

// v = op(v, v), ten thousand times. A rule that visits paths rather than values would take 2^10000
// steps.
TEST(FoldGraph, VisitsValuesRatherThanPaths) {
  for (const bool literal : {true, false}) {
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[1]"), w = b.Input("fp32[1]");
    TensorIndex v = literal ? b.Constant("fp32[1]{0}") : w;
    TensorIndex sum = x;
    for (int i = 0; i < 10'000; ++i)
      v = b.Add(Op::kMaximum, {v, v}, "fp32[1]",
                {{AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
    sum = b.Add(Op::kAdd, {sum, v}, "fp32[1]");
    const Graph graph = GraphWith(b, {sum});
    const std::vector<Constness> arguments = {kVarying, kRuntime};
    const Result<Folding> folding = FoldGraph(graph, arguments, {});
    ASSERT_TRUE(folding);
    EXPECT_EQ(folding->record.cached.size(), 1u);
  }
}

// Returns the graph with its operators in another order that is also an order of execution.
Graph Shuffled(Graph graph, Random& random) {
  Block& main = *graph.Main();
  const std::vector<int32_t> producers = main.Producers();
  std::vector<Operator> from = main.operators, to;
  std::vector<bool> made(main.tensors.size(), false);
  for (const TensorIndex input : main.inputs) made[static_cast<size_t>(input)] = true;
  while (!from.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < from.size(); ++i) {
      if (std::all_of(from[i].inputs.begin(), from[i].inputs.end(),
                      [&](TensorIndex input) { return made[static_cast<size_t>(input)]; })) {
        ready.push_back(i);
      }
    }
    if (ready.empty()) return graph;
    const size_t chosen = random.Pick(ready);
    for (const TensorIndex output : from[chosen].outputs) made[static_cast<size_t>(output)] = true;
    to.push_back(from[chosen]);
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  main.operators = std::move(to);
  return graph;
}

std::vector<std::string> NamesOfCached(const Folding& folding) {
  std::vector<std::string> names;
  for (const CachedTensor& cached : folding.record.cached) {
    names.push_back(std::to_string(cached.global_index) + cached.name);
  }
  return names;
}

bool IsStraight(const Graph& graph) {
  const std::vector<Operator>& operators = graph.Main()->operators;
  const std::vector<TensorInfo>& tensors = graph.Main()->tensors;
  return std::none_of(operators.begin(), operators.end(),
                      [](const Operator& op) {
                        return IsControlFlow(op.op) || IsVariableOperator(op.op);
                      }) &&
         std::none_of(tensors.begin(), tensors.end(),
                      [](const TensorInfo& tensor) { return tensor.variable; });
}

// Tests the laws for every graph. In both forms, the stages compute the same as the original. An
// independent checker finds no flaw. An entry has nothing left to fold. The order of the list does
// not matter.
TEST(FoldGraph, KeepsTheLawsOnRandomGraphs) {
  const char* wanted = std::getenv("ASSAY_FOLDED_GRAPHS");
  const uint64_t count = wanted == nullptr ? 300 : std::strtoull(wanted, nullptr, 10);
  GeneratorOptions options;
  options.level = kLevel8K;
  for (const FeatureRow& row : AllFeatures())
    options.target = options.target | Requirements{row.feature};
  int64_t cached = 0, postponed = 0;
  for (uint64_t index = 0; index < count; ++index) {
    constexpr const char* kKinds[] = {"graph", "graph", "control-flow", "stateful"};
    const Generator* generator = GeneratorByKind(kKinds[index % 4]);
    ASSERT_NE(generator, nullptr);
    const std::optional<TestVector> vector = generator->make(options, index);
    if (!vector) continue;
    Random random = Random::For(1, index, "fold-laws", 1);
    const Graph& graph = vector->graphs[0];
    if (!CheckGraph(graph, kLevel8K, options.target).empty()) continue;  // refused
    std::vector<Constness> arguments;
    for (size_t i = 0; i < graph.Main()->inputs.size(); ++i) {
      arguments.push_back(static_cast<Constness>(random.Below(3)));
    }
    SCOPED_TRACE("graph " + std::to_string(index));
    for (const FoldForm form : {FoldForm::kSplit, FoldForm::kRuntime}) {
      FoldOptions fold;
      fold.form = form;
      fold.policy = {static_cast<SizePolicyKind>(random.Below(3)), random.Between(0, 64)};
      fold.postpone = !random.OneIn(4);
      fold.execution.state_rules = StateRulesByName(vector->semantics);
      const Folding folding = Folded(graph, arguments, fold);
      cached += std::ssize(folding.record.cached);
      postponed += std::ssize(folding.record.certificate.postponements);
      for (const Step& step : vector->steps) {
        if (step.graph == 0) ExpectToAgree(folding, step.inputs, fold.execution);
      }
      fold.postpone = false;
      const Graph& entry = folding.stage(FoldStage::kEntry);
      const std::vector<Constness> varying(entry.Main()->inputs.size(), kVarying);
      EXPECT_EQ(Folded(entry, varying, fold).record.cached.size(), 0u);
      if (!IsStraight(graph)) continue;
      EXPECT_EQ(NamesOfCached(Folded(Shuffled(graph, random), arguments, fold)),
                NamesOfCached(Folded(graph, arguments, fold)));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(cached, static_cast<int64_t>(count));
  std::printf("%lld tensors cached, %lld operators postponed\n", static_cast<long long>(cached),
              static_cast<long long>(postponed));
}

}  // namespace
}  // namespace assay::testing::graph_folding_test

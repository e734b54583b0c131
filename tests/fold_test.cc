// Constant tensors folding: each rule on a graph worked out by hand, and laws that hold for all.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>

#include "block_builder.h"
#include "check_graph.h"
#include "dataflow.h"
#include "fold_certificate.h"
#include "fold_graph.h"
#include "generator.h"
#include "mlir_constness.h"
#include "run_folding.h"
#include "size_policy.h"

namespace assay {
namespace {

constexpr Constness kVarying = Constness::kVarying, kRuntime = Constness::kRuntime,
                    kCompileTime = Constness::kCompileTime;
constexpr FoldStage kAll[] = {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry};

Graph GraphOf(BlockBuilder& builder, std::vector<TensorIndex> outputs) {
  builder.Outputs(std::move(outputs));
  return assay::GraphOf({std::move(builder.block)});
}

TensorIndex Negate(BlockBuilder& b, TensorIndex x, std::string_view type,
                   std::string_view zero = "fp32[1]{0}") {
  const TensorIndex zero_in = b.Constant(zero), zero_out = b.Constant(zero);
  return b.Add(Op::kNegate, {x, zero_in, zero_out}, type);
}

TensorIndex Tile(BlockBuilder& b, TensorIndex x, std::string_view multiples,
                 std::string_view type) {
  const TensorIndex times = b.Constant(multiples);
  return b.Add(Op::kTile, {x, times}, type);
}

Folding Folded(const Graph& graph, std::vector<Constness> arguments, FoldOptions options = {}) {
  const Result<Folding> folding = FoldGraph(graph, arguments, options);
  EXPECT_TRUE(folding) << (folding ? "" : folding.error().message);
  if (!folding) return {{graph, graph, graph, graph}, {}, {}};
  FoldCertificateOptions check;
  check.execution = options.execution;
  check.pure_domains = options.pure_domains;
  for (const FoldFlaw& flaw : FlawsOf(*folding, check)) {
    ADD_FAILURE() << flaw.rule << " " << flaw.where;
  }
  return *folding;
}

// The operators of a stage, CONSTs apart: "TILE ADD".
std::string Operators(const Folding& folding, FoldStage stage) {
  std::string text;
  for (const Operator& op : folding.stage(stage).Main()->operators) {
    if (IsLiteral(op.op)) continue;
    text += (text.empty() ? "" : " ") + std::string(OperatorName(op.op));
  }
  return text;
}

// "compile-time operators | run-time operators | operators of the entry; cached types".
std::string TextOf(const Folding& folding) {
  std::string text;
  for (const FoldStage stage : kAll) {
    text += (stage == FoldStage::kCompileTime ? "" : " | ") + Operators(folding, stage);
  }
  text += ";";
  for (const CachedTensor& cached : folding.record.cached) text += " " + cached.type.ToString();
  return text;
}

// Executes the original and the folding, and once more the entry alone; nothing if the original is
// not valid.
void ExpectToAgree(const Folding& folding, const std::vector<Tensor>& inputs,
                   const ExecutionOptions& options = {}) {
  Context original, folded;
  CachedValues cached;
  const auto expect = [&](const Outcome& wanted, const Outcome& got) {
    ASSERT_EQ(OutcomeName(wanted.kind), OutcomeName(got.kind)) << got.rule << " " << got.message;
    EXPECT_EQ(wanted.outputs, got.outputs);
    EXPECT_EQ(wanted.state, got.state);
  };
  const Outcome first = Execute(original, folding.original(), inputs, options);
  if (first.kind != OutcomeKind::kValid) return;
  expect(first, RunFolding(folding, folded, inputs, cached, options));
  std::vector<Tensor> others = inputs;
  for (size_t i = 0; i < others.size(); ++i) {  // turned round, so that integers stay in range
    if (folding.arguments[i] != kVarying) continue;
    const auto width = static_cast<size_t>(ElementBytes(others[i].type()));
    std::vector<uint8_t> bytes(others[i].bytes().begin(), others[i].bytes().end());
    std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(width), bytes.end());
    others[i] = Tensor::FromBytes(others[i].type(), others[i].shape(), std::move(bytes));
  }
  const Outcome second = Execute(original, folding.original(), others, options);
  if (second.kind != OutcomeKind::kValid) return;
  expect(second, RunStage(folding, FoldStage::kEntry, folded, others, cached, options));
}

std::vector<Tensor> Tensors(const std::vector<std::string_view>& texts) {
  std::vector<Tensor> tensors;
  for (const std::string_view text : texts) tensors.push_back(TensorOf(text));
  return tensors;
}

// The example of the founding document: a literal, a weight known at compile time and one known at
// run time, each prepared and then multiplied with what varies.
TEST(FoldGraph, MakesThreeGraphs) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]"), w1 = b.Input("fp32[2]"), w2 = b.Input("fp32[2]");
  const TensorIndex w0 = b.Constant("fp32[2]{1,2}"), shift = b.Constant("i8[1]{0}");
  TensorIndex feature = x;
  for (const TensorIndex weight : {w0, w1, w2}) {
    feature = b.Add(Op::kMul, {feature, Negate(b, weight, "fp32[2]"), shift}, "fp32[2]");
  }
  const Graph graph = GraphOf(b, {feature});
  const std::vector<Constness> arguments = {kVarying, kCompileTime, kRuntime};
  const Folding split = Folded(graph, arguments);
  EXPECT_EQ(TextOf(split), "NEGATE NEGATE | NEGATE | MUL MUL MUL; fp32[2] fp32[2] fp32[2]");
  // The entry takes what varies and three cached tensors; the others take their weight.
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
      Folded(GraphOf(b, {b.Add(Op::kAdd, {x, w}, "fp32[2]"), w}), {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " |  | ADD;");
  EXPECT_EQ(folding.stage(FoldStage::kEntry).Main()->inputs.size(), 2u);
}

// A value that is returned twice and used is one cached tensor; one that nothing uses is gone, what
// varies and is used by nothing is not.
TEST(FoldGraph, CachesAValueOnceAndNothingThatIsNotNeeded) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]"), w = b.Input("fp32[2]");
  const TensorIndex folded = b.Add(Op::kAbs, {w}, "fp32[2]");
  b.Add(Op::kExp, {w}, "fp32[2]");
  b.Add(Op::kFloor, {x}, "fp32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, folded}, "fp32[2]");
  const Folding folding = Folded(GraphOf(b, {folded, sum, folded}), {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS | FLOOR ADD; fp32[2]");
  EXPECT_TRUE(folding.record.certificate.went[1].empty());
  ExpectToAgree(folding, Tensors({"fp32[2]{1,2}", "fp32[2]{-3,4}"}));
}

// What is computed of constants of both kinds belongs to run time; the compile-time part of it is
// cached for that stage.
TEST(FoldGraph, FoldsAMixtureAtRunTime) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]"), s = b.Input("fp32[2]"), w = b.Input("fp32[2]");
  const TensorIndex prepared = b.Add(Op::kAbs, {s}, "fp32[2]");
  const TensorIndex mixed = b.Add(Op::kSub, {prepared, w}, "fp32[2]");
  const Folding folding = Folded(GraphOf(b, {b.Add(Op::kAdd, {x, mixed}, "fp32[2]")}),
                                 {kVarying, kCompileTime, kRuntime});
  EXPECT_EQ(TextOf(folding), "ABS | SUB | ADD; fp32[2] fp32[2]");
  ExpectToAgree(folding, Tensors({"fp32[2]{1,2}", "fp32[2]{-3,4}", "fp32[2]{5,6}"}));
}

// 4 bytes of argument, ratio 8: 32 bytes are cached, 36 are not, and then the operand is.
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
        Folded(GraphOf(b, {b.Add(Op::kAdd, {x, large}, type)}), {kVarying, kRuntime}, options));
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

// Roots count once, however they are reached: f(w, w) has the bytes of w.
TEST(FoldGraph, CountsEachConstantOnce) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[9]"), w = b.Input("fp32[1]");
  const TensorIndex left = b.Add(Op::kAbs, {w}, "fp32[1]"),
                    right = b.Add(Op::kFloor, {w}, "fp32[1]");
  const TensorIndex both = b.Add(Op::kAdd, {left, right}, "fp32[1]");
  const TensorIndex large = Tile(b, both, "shape[1]{9}", "fp32[9]");
  const Folding folding =
      Folded(GraphOf(b, {b.Add(Op::kAdd, {x, large}, "fp32[9]")}), {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS FLOOR ADD | TILE ADD; fp32[1]");
}

// A large value that shrinks again inside the stage is folded through; where the entry needs it,
// too, it is computed twice.
TEST(FoldGraph, ComputesALargeValueAgainWhereItIsNeeded) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[40,1]"), w = b.Input("fp32[1,1]");
  const TensorIndex large = Tile(b, w, "shape[2]{40,1}", "fp32[40,1]");
  const TensorIndex sum =
      b.Add(Op::kReduceSum, {large}, "fp32[1,1]", {{AttributeId::kAxis, int32_t{0}}});
  const TensorIndex both = b.Add(Op::kAdd, {x, sum}, "fp32[40,1]");
  const Graph inside = GraphOf(b, {both});
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

// bool and i4 take a byte for an element, i48 eight; rank 0 is one element.
TEST(FoldGraph, KnowsHowLargeTensorsAre) {
  EXPECT_EQ(StoredBytes({DType::kBool, {3}}), 3);
  EXPECT_EQ(StoredBytes({DType::kInt4, {3}}), 3);
  EXPECT_EQ(StoredBytes({DType::kInt48, {3}}), 24);
  EXPECT_EQ(StoredBytes({DType::kFp32, {}}), 4);
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[]"), w = b.Input("i32[]");
  const TensorIndex is_zero = b.Add(Op::kEqual, {w, b.Constant("i32[]{0}")}, "bool[]");
  const TensorIndex sum = b.Add(Op::kSelect, {is_zero, x, w}, "i32[]");
  const Folding folding = Folded(GraphOf(b, {sum}), {kVarying, kRuntime});
  EXPECT_EQ(TextOf(folding), " | EQUAL | SELECT; bool[]");
  EXPECT_EQ(folding.record.cached[0].bytes, 1);
  ExpectToAgree(folding, Tensors({"i32[]{4}", "i32[]{0}"}));
}

// State is read and written every time, also what is written is constant; values of it vary.
TEST(FoldGraph, FoldsNoEffects) {
  BlockBuilder b;
  const TensorIndex w = b.Input("fp32[1]");
  const Attributes declared = {{AttributeId::kName, std::string("v")},
                               {AttributeId::kType, static_cast<int32_t>(DType::kFp32)},
                               {AttributeId::kVarShape, std::vector<int32_t>{1}}};
  const Attributes named = {{AttributeId::kName, std::string("v")}};
  b.Append(Op::kVariable, {}, {}, declared);
  const TensorIndex folded = b.Add(Op::kAbs, {w}, "fp32[1]");
  b.Append(Op::kVariableWrite, {folded}, {}, named);
  const TensorIndex read = b.Add(Op::kVariableRead, {}, "fp32[1]", named);
  const Folding folding = Folded(GraphOf(b, {b.Add(Op::kAbs, {read}, "fp32[1]")}), {kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS | VARIABLE VARIABLE_WRITE VARIABLE_READ ABS; fp32[1]");
  ExpectToAgree(folding, Tensors({"fp32[1]{-5}"}));
}

// The older form of state: a tensor with variable=true.
TEST(FoldGraph, FoldsNoVariableTensors) {
  BlockBuilder b;
  const TensorIndex w = b.Input("i32[1]"), v = b.Variable("v", "i32[1]", TensorOf("i32[1]{0}"));
  const TensorIndex folded = b.Add(Op::kAbs, {w}, "i32[1]");
  const TensorIndex sum = b.Add(Op::kAdd, {v, folded}, "i32[1]");
  b.Append(Op::kIdentity, {sum}, {v});
  const Folding folding = Folded(GraphOf(b, {sum}), {kRuntime});
  EXPECT_EQ(TextOf(folding), " | ABS | ADD IDENTITY; i32[1]");
  ExpectToAgree(folding, Tensors({"i32[1]{-5}"}));
}

void Zero(ValueDomain& d, const Call<ValueDomain>& call) {
  for (auto& output : call.outputs) std::fill(output.begin(), output.end(), d.Integer(0));
}

TEST(FoldGraph, FoldsCustomOnlyWhereItIsSaidToBePure) {
  BlockBuilder b;
  const TensorIndex w = b.Input("i32[1]");
  const TensorIndex custom = b.Add(Op::kCustom, {w}, "i32[1]",
                                   {{AttributeId::kOperatorName, std::string("zero")},
                                    {AttributeId::kDomainName, std::string("d")},
                                    {AttributeId::kImplementationAttrs, std::string()}});
  const Graph graph = GraphOf(b, {b.Add(Op::kAbs, {custom}, "i32[1]")});
  FoldOptions options;
  options.execution.custom_domains = {{"d", Zero}};
  EXPECT_EQ(TextOf(Folded(graph, {kRuntime}, options)), " |  | CUSTOM ABS;");
  options.pure_domains = {"d"};
  EXPECT_EQ(TextOf(Folded(graph, {kRuntime}, options)), " | CUSTOM ABS | ; i32[1]");
}

// COND_IF on `condition`: then -w, else w - w.
Graph Conditional(Op in_then) {
  BlockBuilder on_true("then"), on_false("else"), b;
  for (BlockBuilder* block : {&on_true, &on_false}) {
    const TensorIndex w = block->Input("i32[2]");
    TensorIndex result = 0;
    if (in_then == Op::kVariableRead && block == &on_true) {
      result =
          block->Add(Op::kVariableRead, {}, "i32[2]", {{AttributeId::kName, std::string("v")}});
    } else {
      result = block->Add(Op::kSub, {w, w}, "i32[2]");
    }
    block->Outputs({result});
  }
  const TensorIndex condition = b.Input("bool[1]"), w = b.Input("i32[2]"), x = b.Input("i32[2]");
  const TensorIndex chosen = b.Add(Op::kCondIf, {condition, w}, "i32[2]",
                                   {{AttributeId::kThenGraph, std::string("then")},
                                    {AttributeId::kElseGraph, std::string("else")}});
  b.Outputs({b.Add(Op::kAdd, {x, chosen}, "i32[2]")});
  return assay::GraphOf({std::move(b.block), std::move(on_true.block), std::move(on_false.block)});
}

TEST(FoldGraph, FoldsControlFlowWithItsConditionAndWithoutEffects) {
  const Graph graph = Conditional(Op::kSub);
  const Folding folding = Folded(graph, {kRuntime, kRuntime, kVarying});
  EXPECT_EQ(TextOf(folding), " | COND_IF | ADD; i32[2]");
  // The stage has the blocks, the entry does not.
  EXPECT_EQ(folding.stage(FoldStage::kRuntime).regions[0].blocks.size(), 3u);
  EXPECT_EQ(folding.stage(FoldStage::kEntry).regions[0].blocks.size(), 1u);
  ExpectToAgree(folding, Tensors({"bool[1]{1}", "i32[2]{3,4}", "i32[2]{5,6}"}));
  EXPECT_EQ(TextOf(Folded(graph, {kVarying, kRuntime, kVarying})), " |  | COND_IF ADD;");
  // Reads a variable, if only in one branch.
  const Graph reading = Conditional(Op::kVariableRead);
  const std::vector<Constness> arguments(3, kRuntime);
  EXPECT_EQ(Dataflow(reading, arguments, {}).OfOperator(0), kVarying);
}

// A block that names a tensor of the main block, as no valid graph does.
TEST(Dataflow, CountsWhatBlocksReadOfTheMainBlock) {
  Graph graph = Conditional(Op::kSub);
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

// 2147483647 + 1 breaks a REQUIRE: it does so when the entry runs, and not when it is folded.
TEST(FoldGraph, LeavesWhatCannotBeComputed) {
  BlockBuilder b;
  const TensorIndex sum =
      b.Add(Op::kAdd, {b.Constant("i32[1]{2147483647}"), b.Constant("i32[1]{1}")}, "i32[1]");
  const TensorIndex after = b.Add(Op::kAbs, {sum}, "i32[1]");
  const TensorIndex fine = b.Add(Op::kAbs, {b.Constant("i32[1]{-1}")}, "i32[1]");
  const Folding folding = Folded(GraphOf(b, {after, fine}), {});
  EXPECT_EQ(TextOf(folding), "ABS |  | ADD ABS; i32[1]");
  Context context;
  CachedValues cached;
  EXPECT_EQ(RunFolding(folding, context, {}, cached, {}).kind, OutcomeKind::kUnpredictable);
}

TEST(FoldGraph, RefusesARunTimeConstantWhereCompilersNeedTheValue) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1]"), pad = b.Input("i8[1]");
  const TensorIndex padding = b.Constant("shape[2]{1,1}");
  const Graph graph = GraphOf(b, {b.Add(Op::kPad, {x, padding, pad}, "i8[3]")});
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

// With EXT-DYNAMIC the padding value may be computed: of CONSTs alone it becomes a CONST, of
// arguments it stays with its PAD.
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
    const Graph graph = GraphOf(b, {b.Add(Op::kPad, {sum, padding, pad}, "i32[3]")});
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
  const Graph graph = GraphOf(b, {b.Add(Op::kAbs, {x}, "i32[3]")});
  EXPECT_TRUE(FoldGraph(graph, varying, {}).error().message.starts_with("breaks ABS/ERROR_IF/"));
  EXPECT_EQ(FoldGraph(Graph(), {}, {}).error().message, "the graph has no block main");
}

// x[16,4] + f(E(w)): what runs of it, and what is cached. E makes the tensor 16 times as large.
struct Chain {
  BlockBuilder b;
  TensorIndex x, w;
  explicit Chain(std::string_view type = "fp32[16,4]", std::string_view weight = "fp32[1,4]")
      : x(b.Input(type)), w(b.Input(weight)) {}
  Folding Finish(TensorIndex value, Constness weight = kRuntime, FoldOptions options = {}) {
    const std::string type = b.block.TypeOf(x).ToString();
    return Folded(GraphOf(b, {b.Add(Op::kAdd, {x, value}, type)}), {kVarying, weight}, options);
  }
};

// The founding document's chain: broadcast, extend, multiply, truncate.
TEST(PostponeExpanders, MovesTileBehindElementWiseOperators) {
  Chain c("bf16[16,4]", "bf16[1,4]");
  const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "bf16[16,4]");
  const TensorIndex wide = c.b.Add(Op::kCast, {tiled}, "fp32[16,4]");
  const TensorIndex two = c.b.Constant("fp32[1,1]{2}"), shift = c.b.Constant("i8[1]{0}");
  const TensorIndex twice = c.b.Add(Op::kMul, {wide, two, shift}, "fp32[16,4]");
  const Folding folding = c.Finish(c.b.Add(Op::kCast, {twice}, "bf16[16,4]"));
  EXPECT_EQ(TextOf(folding), " | CAST MUL CAST | TILE ADD; bf16[1,4]");
  EXPECT_EQ(folding.record.certificate.postponements.size(), 3u);
  std::vector<Tensor> inputs = Tensors({"bf16[1,4]{1,-0.0,nan,3}"});
  inputs.insert(inputs.begin(), Tensor::Splat(DType::kBf16, {16, 4}, 0x3f80));
  ExpectToAgree(folding, inputs);
  FoldOptions options;
  options.postpone = false;
  EXPECT_TRUE(folding.record.postponed != 0);
}

// SUB does not commute; a partner of extent 1 on the tiled axis may have any on the others.
TEST(PostponeExpanders, KeepsTheOrderOfOperands) {
  Chain c;
  FoldOptions options;
  options.policy = {SizePolicyKind::kAbsolute, 16};
  const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
  const TensorIndex partner = c.b.Constant("fp32[1,4]{1,2,3,4}");
  const Folding folding =
      c.Finish(c.b.Add(Op::kSub, {partner, tiled}, "fp32[16,4]"), kRuntime, options);
  EXPECT_EQ(TextOf(folding), " | SUB | TILE ADD; fp32[1,4]");
}

TEST(PostponeExpanders, TakesPartnersThatAreTheSameWhereverTheElementsAre) {
  {  // expanded in the same way
    Chain c;
    const TensorIndex one = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
    const TensorIndex small = c.b.Add(Op::kAbs, {c.w}, "fp32[1,4]");
    const TensorIndex other = Tile(c.b, small, "shape[2]{16,1}", "fp32[16,4]");
    const Folding folding = c.Finish(c.b.Add(Op::kSub, {one, other}, "fp32[16,4]"));
    EXPECT_EQ(TextOf(folding), " | ABS SUB | TILE ADD; fp32[1,4]");
    EXPECT_EQ(folding.record.certificate.postponements[0].expanded.size(), 2u);
  }
  {  // itself
    Chain c;
    const TensorIndex one = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
    EXPECT_EQ(TextOf(c.Finish(c.b.Add(Op::kSub, {one, one}, "fp32[16,4]"))),
              " | SUB | TILE ADD; fp32[1,4]");
  }
  {  // an argument of the full extent: no
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[16,4]"), w = b.Input("fp32[1,4]"),
                      v = b.Input("fp32[16,4]");
    const TensorIndex one = Tile(b, w, "shape[2]{16,1}", "fp32[16,4]");
    const TensorIndex sum = b.Add(Op::kAdd, {one, v}, "fp32[16,4]");
    FoldOptions options;
    options.policy = {SizePolicyKind::kAbsolute, 100};
    const Folding folding = Folded(GraphOf(b, {b.Add(Op::kAdd, {x, sum}, "fp32[16,4]")}),
                                   {kVarying, kRuntime, kRuntime}, options);
    EXPECT_EQ(TextOf(folding), " |  | TILE ADD ADD;");
  }
}

// A CONST of 16 rows that are all alike, and one whose last row differs.
TEST(PostponeExpanders, LooksIntoConstants) {
  for (const bool repeats : {true, false}) {
    Chain c("fp32[16,1]", "fp32[1,1]");
    const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,1]");
    const std::string last = repeats ? "1" : "2";
    const TensorIndex rows = c.b.Constant("fp32[16,1]{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1," + last + "}");
    FoldOptions options;
    options.policy = {SizePolicyKind::kAbsolute, 8};
    const Folding folding =
        c.Finish(c.b.Add(Op::kSub, {tiled, rows}, "fp32[16,1]"), kRuntime, options);
    EXPECT_EQ(TextOf(folding), repeats ? " | SUB | TILE ADD; fp32[1,1]" : " |  | TILE SUB ADD;");
  }
}

// w + CONST[16,1], all alike: the CONST is only there to repeat the sum.
TEST(PostponeExpanders, MovesTheRepetitionOfAConstant) {
  Chain c("fp32[16,1]", "fp32[1,1]");
  const TensorIndex rows = c.b.Constant("fp32[16,1]{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}");
  FoldOptions options;
  options.policy = {SizePolicyKind::kAbsolute, 8};
  const Folding folding = c.Finish(c.b.Add(Op::kSub, {rows, c.w}, "fp32[16,1]"), kRuntime, options);
  EXPECT_EQ(TextOf(folding), " | SUB | TILE ADD; fp32[1,1]");
  EXPECT_EQ(folding.record.certificate.postponements[0].kind, ExpanderKind::kBroadcast);
}

TensorIndex Pad(BlockBuilder& b, TensorIndex x, std::string_view type, std::string_view value) {
  const TensorIndex padding = b.Constant("shape[2]{0,15}"), pad = b.Constant(value);
  return b.Add(Op::kPad, {x, padding, pad}, type);
}

// exp(0) = 1 is what is around it afterwards.
TEST(PostponeExpanders, MovesPadWithWhatBecomesOfItsConstant) {
  Chain c("fp32[16]", "fp32[1]");
  const TensorIndex padded = Pad(c.b, c.w, "fp32[16]", "fp32[1]{0}");
  const Folding folding = c.Finish(c.b.Add(Op::kExp, {padded}, "fp32[16]"));
  EXPECT_EQ(TextOf(folding), " | EXP | PAD ADD; fp32[1]");
  const Block& entry = *folding.stage(FoldStage::kEntry).Main();
  const std::string& name = folding.record.certificate.postponements[0].constants[0];
  const Operator* constant = entry.ProducerOf(*entry.FindTensor(name));
  EXPECT_EQ(constant->attributes.Value(AttributeId::kValues), TensorOf("fp32[1]{1}"));
  std::vector<Tensor> inputs = {Tensor::Splat(DType::kFp32, {16}, 0), TensorOf("fp32[1]{2}")};
  ExpectToAgree(folding, inputs);
}

// What is around it hangs on a run-time constant, which pad_const cannot be.
TEST(PostponeExpanders, LeavesPadBeforeARunTimeConstant) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[16]"), w = b.Input("fp32[1]"), s = b.Input("fp32[1]");
  const TensorIndex padded = Pad(b, w, "fp32[16]", "fp32[1]{1.5}");
  const TensorIndex scaled = b.Add(Op::kSub, {padded, s}, "fp32[16]");
  FoldOptions options;
  options.policy = {SizePolicyKind::kAbsolute, 8};
  EXPECT_EQ(TextOf(Folded(GraphOf(b, {b.Add(Op::kAdd, {x, scaled}, "fp32[16]")}),
                          {kVarying, kRuntime, kRuntime}, options)),
            " |  | PAD SUB ADD;");
}

// Each piece of CONCAT by itself; the same piece once.
TEST(PostponeExpanders, MovesConcat) {
  Chain c("fp32[9]", "fp32[1]");
  const TensorIndex joined = c.b.Add(Op::kConcat, {c.w, c.w, c.w, c.w, c.w, c.w, c.w, c.w, c.w},
                                     "fp32[9]", {{AttributeId::kAxis, int32_t{0}}});
  const Folding folding = c.Finish(c.b.Add(Op::kExp, {joined}, "fp32[9]"));
  EXPECT_EQ(TextOf(folding), " | EXP | CONCAT ADD; fp32[1]");
  EXPECT_EQ(folding.record.certificate.postponements[0].inner.size(), 9u);
}

// GATHER of row 0 alone: an operator that cannot fail moves before it, one that might fail on row
// 1, which GATHER drops, does not.
TEST(PostponeExpanders, MovesGatherBehindWhatCannotFail) {
  for (const bool onto : {false, true}) {
    for (const bool integer : {false, true}) {
      const std::string element = integer ? "i32" : "fp32";
      Chain c(element + "[1,32,1]", element + "[1,2,1]");
      std::string indices = onto ? "1" : "0";
      for (int i = 1; i < 32; ++i) indices += ",0";
      const TensorIndex rows = c.b.Constant("i32[1,32]{" + indices + "}");
      const TensorIndex gathered = c.b.Add(Op::kGather, {c.w, rows}, element + "[1,32,1]");
      FoldOptions options;
      options.policy = {SizePolicyKind::kAbsolute, 8};
      const Folding folding = c.Finish(
          c.b.Add(Op::kSub, {gathered, gathered}, element + "[1,32,1]"), kRuntime, options);
      EXPECT_EQ(TextOf(folding), integer && !onto ? " |  | GATHER SUB ADD;"
                                                  : " | SUB | GATHER ADD; " + element + "[1,2,1]");
    }
  }
}

TEST(PostponeExpanders, MovesResizeOnlyIfNearest) {
  for (const ResizeMode mode : {ResizeMode::kNearest, ResizeMode::kBilinear}) {
    Chain c("fp32[1,1,16,1]", "fp32[1,1,1,1]");
    const TensorIndex scale = c.b.Constant("shape[4]{1,1,16,1}"),
                      offset = c.b.Constant("shape[2]{0,0}"),
                      border = c.b.Constant("shape[2]{0,15}");
    const TensorIndex large = c.b.Add(Op::kResize, {c.w, scale, offset, border}, "fp32[1,1,16,1]",
                                      {{AttributeId::kMode, static_cast<int32_t>(mode)}});
    const Folding folding = c.Finish(c.b.Add(Op::kExp, {large}, "fp32[1,1,16,1]"));
    EXPECT_EQ(TextOf(folding), mode == ResizeMode::kNearest ? " | EXP | RESIZE ADD; fp32[1,1,1,1]"
                                                            : " |  | RESIZE EXP ADD;");
  }
}

// A cast to a wider type moves behind what only chooses among values, and not behind arithmetic.
TEST(PostponeExpanders, MovesCastsBehindChoices) {
  FoldOptions options;
  options.policy = {SizePolicyKind::kRatio, 1};
  for (const Op op : {Op::kMaximum, Op::kAdd}) {
    Chain c("fp32[4]", "bf16[4]");
    const TensorIndex wide = c.b.Add(Op::kCast, {c.w}, "fp32[4]");
    const TensorIndex bound = c.b.Constant("fp32[1]{0.5}");
    Attributes attributes;
    if (op == Op::kMaximum) {
      attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
    }
    const Folding folding =
        c.Finish(c.b.Add(op, {wide, bound}, "fp32[4]", attributes), kRuntime, options);
    EXPECT_EQ(TextOf(folding),
              op == Op::kMaximum ? " | MAXIMUM | CAST ADD; bf16[4]" : " |  | CAST ADD ADD;");
    ExpectToAgree(folding, Tensors({"fp32[4]{1,2,3,4}", "bf16[4]{nan,-0.0,1,-inf}"}));
  }
}

// Somebody else reads the expanded value, or it is an output.
TEST(PostponeExpanders, LeavesWhatHasOtherReaders) {
  Chain c;
  const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
  const TensorIndex left = c.b.Add(Op::kExp, {tiled}, "fp32[16,4]");
  const TensorIndex right = c.b.Add(Op::kAbs, {tiled}, "fp32[16,4]");
  const Folding folding =
      c.Finish(c.b.Add(Op::kMul, {left, right, c.b.Constant("i8[1]{0}")}, "fp32[16,4]"));
  EXPECT_EQ(TextOf(folding), " |  | TILE EXP ABS MUL ADD;");
}

// Two expanders, one after the other, both go.
TEST(PostponeExpanders, GoesOnUntilNothingMoves) {
  Chain c("fp32[16,4]", "fp32[1,1]");
  const TensorIndex rows = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,1]");
  const TensorIndex all = Tile(c.b, rows, "shape[2]{1,4}", "fp32[16,4]");
  const Folding folding = c.Finish(c.b.Add(Op::kExp, {all}, "fp32[16,4]"));
  EXPECT_EQ(TextOf(folding), " | EXP | TILE TILE ADD; fp32[1,1]");
}

// Chains of expanders and element-wise operators on a constant, added to what varies.
class RandomChain {
 public:
  explicit RandomChain(uint64_t seed) : random_(seed), rank_(random_.OneIn(2) ? 3 : 4) {
    Shape shape;
    for (int axis = 0; axis < rank_; ++axis) shape.PushBack(Below(3) + 1);
    const DType type = random_.OneIn(2) ? DType::kBf16 : DType::kFp32;
    value_ = Argument({type, shape}, random_.OneIn(3) ? kCompileTime : kRuntime);
    const int steps = Below(5) + 2;
    for (int i = 0; i < steps; ++i) {
      if (random_.OneIn(2)) {
        Expand();
      } else {
        Compute();
      }
    }
    if (Type().type != DType::kFp32) Unary(Op::kCast, DType::kFp32);
    const TensorIndex x = Argument(Type(), kVarying);
    b_.Outputs({b_.Add(Op::kAdd, {x, value_}, Type().ToString())});
    graph = assay::GraphOf({std::move(b_.block)});
  }

  Graph graph;
  std::vector<Constness> arguments;
  std::vector<Tensor> inputs;

 private:
  int32_t Below(uint64_t bound) { return static_cast<int32_t>(random_.Below(bound)); }
  const TensorType& Type() const { return b_.block.TypeOf(value_); }

  Tensor Values(const TensorType& type) {
    std::vector<double> numbers;
    constexpr double kNasty[] = {-0.0, std::numeric_limits<double>::quiet_NaN(), 0x1p-149, -1e30};
    for (int64_t i = 0; i < type.shape.Elements(); ++i) {
      numbers.push_back(random_.OneIn(4) ? random_.Pick(kNasty) : Below(64) / 8.0 - 4);
    }
    return Tensor::FromFloats(type.type, type.shape, numbers);
  }

  TensorIndex Argument(const TensorType& type, Constness constness) {
    arguments.push_back(constness);
    inputs.push_back(Values(type));
    return b_.Input(type.ToString());
  }

  TensorIndex Literal(const Tensor& value) {
    const Op op = value.type() == DType::kShape ? Op::kConstShape : Op::kConst;
    return b_.Add(op, {}, value.tensor_type().ToString(), {{AttributeId::kValues, value}});
  }

  void Set(Op op, std::vector<TensorIndex> operands, const TensorType& type,
           Attributes attributes = {}) {
    value_ = b_.Add(op, std::move(operands), type.ToString(), std::move(attributes));
  }

  void Unary(Op op, DType type) { Set(op, {value_}, {type, Type().shape}); }

  void Expand() {
    TensorType type = Type();
    std::vector<int64_t> numbers;
    switch (Below(5)) {
      case 0:
        for (int axis = 0; axis < rank_; ++axis) {
          numbers.push_back(type.shape[axis] > 16 ? 1 : Below(3) + 1);
          type.shape[axis] *= static_cast<int32_t>(numbers.back());
        }
        return Set(Op::kTile, {value_, Literal(Tensor::FromShape(numbers))}, type);
      case 1:
        for (int axis = 0; axis < rank_; ++axis) {
          for (int side = 0; side < 2; ++side) {
            numbers.push_back(Below(2));
            type.shape[axis] += static_cast<int32_t>(numbers.back());
          }
        }
        return Set(Op::kPad,
                   {value_, Literal(Tensor::FromShape(numbers)), Literal(Values({type.type, {1}}))},
                   type);
      case 2: {
        const int32_t axis = Below(static_cast<uint64_t>(rank_));
        if (type.shape[axis] > 16) return;
        type.shape[axis] *= 2;
        return Set(Op::kConcat, {value_, value_}, type, {{AttributeId::kAxis, axis}});
      }
      case 3: {
        if (rank_ != 3) return;
        for (int i = 0; i < 6 * type.shape[0]; ++i) {
          numbers.push_back(Below(static_cast<uint64_t>(type.shape[1])));
        }
        const Tensor rows = Tensor::FromIntegers(DType::kInt32, {type.shape[0], 6}, numbers);
        type.shape[1] = 6;
        return Set(Op::kGather, {value_, Literal(rows)}, type);
      }
      default: {
        if (rank_ != 4 || type.shape[1] > 16 || type.shape[2] > 16) return;
        const int64_t scale[] = {2, 1, 3, 1}, offset[] = {0, 0}, border[] = {1, 2};
        type.shape[1] *= 2;
        type.shape[2] *= 3;
        return Set(Op::kResize,
                   {value_, Literal(Tensor::FromShape(scale)), Literal(Tensor::FromShape(offset)),
                    Literal(Tensor::FromShape(border))},
                   type, {{AttributeId::kMode, static_cast<int32_t>(ResizeMode::kNearest)}});
      }
    }
  }

  // Of the value's shape, with some extents 1, or larger ones where that has 1; a CONST may say the
  // same all along.
  TensorIndex Partner() {
    if (random_.OneIn(6)) return value_;
    TensorType type = Type();
    for (int axis = 0; axis < rank_; ++axis) {
      if (!random_.OneIn(4)) type.shape[axis] = type.shape[axis] == 1 ? Below(3) + 1 : 1;
    }
    switch (Below(4)) {
      case 0:
        return Argument(type, kRuntime);
      case 1:
        return Literal(Tensor::Splat(type.type, type.shape, 0));
      case 2:
        return Literal(Values(type));
      default:
        return Argument(type, kCompileTime);
    }
  }

  void Compute() {
    const DType type = Type().type;
    const DType other = type == DType::kFp32 ? DType::kBf16 : DType::kFp32;
    const Attributes nan_mode = {
        {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}};
    std::vector<TensorIndex> operands = {value_, Partner()};
    TensorType result = Type();
    for (int axis = 0; axis < rank_; ++axis) {
      result.shape[axis] = std::max(result.shape[axis], b_.block.TypeOf(operands[1]).shape[axis]);
    }
    if (random_.OneIn(2)) std::swap(operands[0], operands[1]);
    switch (Below(6)) {
      case 0:
        return Unary(Op::kExp, type);
      case 1:
        return Unary(Op::kAbs, type);
      case 2:
        return Unary(Op::kCast, other);
      case 3:
        return Set(Op::kMaximum, operands, result, nan_mode);
      case 4:
        return Set(Op::kSub, operands, result);
      default:
        return Set(Op::kAdd, operands, result);
    }
  }

  Random random_;
  const int rank_;
  BlockBuilder b_;
  TensorIndex value_ = 0;
};

TEST(PostponeExpanders, KeepsTheLawsOnRandomChains) {
  const char* wanted = std::getenv("ASSAY_FOLDED_GRAPHS");
  const uint64_t count = wanted == nullptr ? 500 : std::strtoull(wanted, nullptr, 10);
  std::map<std::string, int> kinds;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const RandomChain chain(seed);
    SCOPED_TRACE("chain " + std::to_string(seed));
    Random random(seed);
    for (const FoldForm form : {FoldForm::kSplit, FoldForm::kRuntime}) {
      FoldOptions options;
      options.form = form;
      options.policy = {static_cast<SizePolicyKind>(random.Below(3)), random.Between(0, 32)};
      if (random.OneIn(3)) options.policy = {SizePolicyKind::kRatio, 1};
      options.execution.level = kLevelNone;
      const Folding folding = Folded(chain.graph, chain.arguments, options);
      for (const Postponement& one : folding.record.certificate.postponements) {
        ++kinds[std::string(NameOf(one.kind))];
      }
      ExpectToAgree(folding, chain.inputs, options.execution);
    }
    if (HasFailure()) return;
  }
  for (const auto& [kind, number] : kinds) std::printf("%s: %d\n", kind.c_str(), number);
  EXPECT_EQ(kinds.size(), 7u);
}

// The attributes of the founding document.
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
            "m: line 2: runtime_const_args_index: there is no argument 3");
  EXPECT_EQ(ConstnessText(" {compiletime_const_args_index = [0], runtime_const_args_index = [0]}"),
            "m: line 2: runtime_const_args_index: argument 0 is there twice");
  EXPECT_EQ(ConstnessText(" {runtime_const_args_index = [-1 : i32]}"),
            "m: line 2: runtime_const_args_index: not a list of positions");
  EXPECT_EQ(ConstnessText(" {runtime_const_args_index = 1 : i32}"),
            "m: line 2: runtime_const_args_index: not a list of positions");
}

// v = op(v, v), ten thousand times: a rule that visits paths rather than values takes 2^10000
// steps.
TEST(FoldGraph, TakesTimeThatGrowsWithTheGraph) {
  for (const bool literal : {true, false}) {
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[1]"), w = b.Input("fp32[1]");
    TensorIndex v = literal ? b.Constant("fp32[1]{0}") : w;
    TensorIndex sum = x;
    for (int i = 0; i < 10'000; ++i)
      v = b.Add(Op::kMaximum, {v, v}, "fp32[1]",
                {{AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
    sum = b.Add(Op::kAdd, {sum, v}, "fp32[1]");
    const Graph graph = GraphOf(b, {sum});
    const std::vector<Constness> arguments = {kVarying, kRuntime};
    const auto start = std::chrono::steady_clock::now();
    const Result<Folding> folding = FoldGraph(graph, arguments, {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(folding);
    EXPECT_EQ(folding->record.cached.size(), 1u);
    EXPECT_LT(took.count(), 5);  // 0.1 s on an idle machine
  }
}

// The case's operators in another order of the list that is one of execution, too.
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

// The laws that hold for every graph: the stages compute what the original does, in both forms; a
// checker that knows nothing of the transform finds no flaw; an entry has nothing left to fold; the
// order of the list does not matter.
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
}  // namespace assay

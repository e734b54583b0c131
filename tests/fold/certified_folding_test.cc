// SPDX-License-Identifier: Apache-2.0
// Tests the checker of certificates on foldings and postponements that are written by hand. It
// accepts the right ones, and names the mistakes of the others.

#include "certified_folding.h"

#include <gtest/gtest.h>

#include <functional>

#include "hand_folding.h"

namespace assay::certified_folding_test {
namespace {

using enum Constness;

std::string TextOf(const std::vector<FoldFlaw>& flaws) {
  std::string text;
  for (const FoldFlaw& flaw : flaws) text += flaw.rule + " " + flaw.where + "\n";
  return text;
}

bool Has(const std::vector<FoldFlaw>& flaws, std::string_view rule) {
  return std::ranges::any_of(flaws, [rule](const FoldFlaw& flaw) { return flaw.rule == rule; });
}

// x varies, w is known at run time, b at compile time:
//   k = b + b, s = w + {1,2,3}, t = s - k, y = x - t; y and s are returned.
Graph Sample() {
  return NamedBuilder()
      .Input("x", "i32[2,3]")
      .Input("w", "i32[1,3]")
      .Input("b", "i32[2,1]")
      .Constant("c", "i32[1,3]{1,2,3}")
      .Add("k", "i32[2,1]", Op::kAdd, {"b", "b"})
      .Add("s", "i32[1,3]", Op::kAdd, {"w", "c"})
      .Add("t", "i32[2,3]", Op::kSub, {"s", "k"})
      .Add("y", "i32[2,3]", Op::kSub, {"x", "t"})
      .Returns({"y", "s"});
}
const std::vector<Constness> kMarks = {kVarying, kRuntime, kCompileTime};

HandFold Split() {
  HandFold fold(Sample(), kMarks);
  fold.Stage(FoldStage::kCompileTime, {"b"}, {"k"}, {"k"})
      .Stage(FoldStage::kRuntime, {"w", "k"}, {"c", "s", "t"}, {"t", "s"})
      .Stage(FoldStage::kEntry, {"x", "t", "s"}, {"y"}, {"y", "s"});
  return fold;
}

HandFold AtRuntime() {
  HandFold fold(Sample(), kMarks);
  fold.folding.record.form = FoldForm::kRuntime;
  fold.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {"w", "b"}, {"c", "k", "s", "t"}, {"t", "s"})
      .Stage(FoldStage::kEntry, {"x", "t", "s"}, {"y"}, {"y", "s"});
  return fold;
}

TEST(FoldCertificate, HoldsForAFoldingInBothForms) {
  EXPECT_EQ(TextOf(FlawsOf(Split().folding)), "");
  EXPECT_EQ(TextOf(FlawsOf(AtRuntime().folding)), "");
}

// A change to a right folding, and the rule that it breaks.
struct Tampering {
  std::string_view rule;
  std::function<void(Folding&)> change;
};

Block& StageOf(Folding& folding, FoldStage stage) {
  return *folding.graphs[static_cast<size_t>(folding.record.at(stage).graph)].Main();
}

const Tampering kTamperings[] = {
    {"R12/record", [](Folding& f) { f.record.certificate.went.pop_back(); }},
    {"R12/record", [](Folding& f) { f.record.at(FoldStage::kEntry).inputs[0].index = 3; }},
    {"R12/record", [](Folding& f) { f.arguments.pop_back(); }},
    {"R12/original", [](Folding& f) { f.graphs[0].Main()->operators[1].inputs.pop_back(); }},
    {"R12/graph", [](Folding& f) { StageOf(f, FoldStage::kEntry).operators[0].inputs.pop_back(); }},
    {"R12/graph",
     [](Folding& f) {
       Block& entry = StageOf(f, FoldStage::kEntry);
       entry.inputs.pop_back();
       f.record.at(FoldStage::kEntry).inputs.pop_back();
     }},
    {"R12/postponed",
     [](Folding& f) { std::ranges::reverse(f.graphs[1].Main()->operators[4].inputs); }},
    {"R12/postponed",
     [](Folding& f) {
       f.graphs[1].Main()->operators[0].attributes.Set(AttributeId::kValues,
                                                       TensorOf("i32[1,3]{1,2,4}"));
     }},
    {"R12/constness", [](Folding& f) { f.arguments[1] = kVarying; }},
    {"R12/constness", [](Folding& f) { f.arguments[2] = kRuntime; }},
    {"R12/operator",
     [](Folding& f) { std::ranges::reverse(StageOf(f, FoldStage::kEntry).operators[0].inputs); }},
    {"R12/operator",
     [](Folding& f) {
       StageOf(f, FoldStage::kRuntime)
           .operators[0]
           .attributes.Set(AttributeId::kValues, TensorOf("i32[1,3]{1,2,4}"));
     }},
    {"R12/operator", [](Folding& f) { f.record.certificate.went[1] = StageSet::FromBits(0); }},
    {"R12/tensor",
     [](Folding& f) {
       for (const int graph : {0, 1}) {
         f.graphs[static_cast<size_t>(graph)].Main()->tensors[0].type = {DType::kInt32, {1, 3}};
       }
     }},
    {"R12/input",
     [](Folding& f) {
       f.record.at(FoldStage::kEntry).inputs[1] = {FoldSource::Kind::kCached, 0};
     }},
    {"R12/input", [](Folding& f) { f.record.cached[0].stage = FoldStage::kRuntime; }},
    {"R12/output",
     [](Folding& f) { std::ranges::reverse(f.record.at(FoldStage::kRuntime).outputs); }},
    {"R12/output", [](Folding& f) { f.record.at(FoldStage::kRuntime).outputs[1] = 1; }},
    {"R12/cached", [](Folding& f) { f.record.cached[0].bytes = 2; }},
    {"R12/cached", [](Folding& f) { f.record.cached[0].global_index = 2; }},
    {"R12/cached",
     [](Folding& f) {
       f.record.cached[0].type.shape = {1, 2};
     }},
    {"R12/form", [](Folding& f) { f.record.form = FoldForm::kRuntime; }},
    {"R13/size",
     [](Folding& f) {
       f.record.policy = {SizePolicyKind::kAbsolute, 23};
     }},
    {"R12/baked",
     [](Folding& f) {
       f.record.certificate.baked = {"c"};
       StageOf(f, FoldStage::kRuntime)
           .operators[0]
           .attributes.Set(AttributeId::kValues, TensorOf("i32[1,3]{1,2,4}"));
     }},
};

TEST(FoldCertificate, NamesTheRuleThatAFoldingBreaks) {
  for (const Tampering& tampering : kTamperings) {
    HandFold fold = Split();
    tampering.change(fold.folding);
    const std::vector<FoldFlaw> flaws = FlawsOf(fold.folding);
    EXPECT_TRUE(Has(flaws, tampering.rule)) << tampering.rule << " of\n" << TextOf(flaws);
  }
}

TEST(FoldCertificate, AsksThatNothingIsComputedTwice) {
  HandFold fold(Sample(), kMarks);
  fold.Stage(FoldStage::kCompileTime, {"b"}, {"k"}, {"k"})
      .Stage(FoldStage::kRuntime, {"w", "k"}, {"c", "s", "t"}, {"t", "s"})
      .Stage(FoldStage::kEntry, {"x", "b", "t", "s"}, {"k", "y"}, {"y", "s"});
  EXPECT_EQ(TextOf(FlawsOf(fold.folding)), "R9/unneeded entry: ADD k\n");
}

TEST(FoldCertificate, AsksThatWhatCanBeFoldedIs) {
  HandFold fold(Sample(), kMarks);
  fold.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {}, {}, {})
      .Stage(FoldStage::kEntry, {"x", "w", "b"}, {"c", "k", "s", "t", "y"}, {"y", "s"});
  EXPECT_EQ(TextOf(FlawsOf(fold.folding)),
            "R9/not-folded entry: ADD k\nR9/not-folded entry: ADD s\nR9/not-folded entry: SUB t\n");
}

// t has 24 bytes. It depends on w with 12, c with 12 and b with 8 bytes: 32.
TEST(FoldCertificate, HoldsTheSizePolicyToTheByte) {
  for (const SizePolicy policy :
       {SizePolicy{SizePolicyKind::kRatio, 1}, SizePolicy{SizePolicyKind::kAdditive, 0},
        SizePolicy{SizePolicyKind::kAbsolute, 24}}) {
    HandFold fold = Split();
    fold.folding.record.policy = policy;
    EXPECT_EQ(TextOf(FlawsOf(fold.folding)), "") << NameOf(policy.kind);
  }
  EXPECT_TRUE(Allows({SizePolicyKind::kRatio, 8}, 64, 8));
  EXPECT_FALSE(Allows({SizePolicyKind::kRatio, 8}, 65, 8));
  EXPECT_TRUE(Allows({SizePolicyKind::kAdditive, 8}, 16, 8));
  EXPECT_FALSE(Allows({SizePolicyKind::kAdditive, 8}, 17, 8));
  EXPECT_TRUE(Allows({SizePolicyKind::kRatio, INT64_MAX}, INT64_MAX, INT64_MAX));
}

// A value that is too large to be cached is computed where it is read, and not before: 16 times 4
// bytes from 4 bytes.
TEST(FoldCertificate, TakesWhatIsTooLargeToBeCachedInTheEntry) {
  const Graph graph = NamedBuilder()
                          .Input("x", "i32[16]")
                          .Input("w", "i32[1]")
                          .Constant("m", "shape[1]{16}")
                          .Add("e", "i32[16]", Op::kTile, {"w", "m"})
                          .Add("y", "i32[16]", Op::kAdd, {"x", "e"})
                          .Returns({"y"});
  HandFold fold(graph, {kVarying, kRuntime});
  fold.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {}, {}, {})
      .Stage(FoldStage::kEntry, {"x", "w"}, {"m", "e", "y"}, {"y"});
  EXPECT_EQ(TextOf(FlawsOf(fold.folding)), "");
  fold.folding.record.policy.limit = 16;
  EXPECT_EQ(TextOf(FlawsOf(fold.folding)), "R9/not-folded entry: TILE e\n");
}

Block Written(std::string name, std::string_view variable) {
  BlockBuilder block(std::move(name));
  const TensorIndex input = block.Input("i8[1]");
  block.Append(Op::kVariableWrite, {input}, {}, {{AttributeId::kName, std::string(variable)}});
  return block.Outputs({input}).block;
}

// The choice of a block, and what the blocks write, is no constant.
TEST(FoldCertificate, LeavesEffectsInTheEntryAndInOrder) {
  const Attributes named = {{AttributeId::kName, std::string("v")}};
  const Graph graph = NamedBuilder()
                          .Input("p", "bool[1]")
                          .Input("w", "i8[1]")
                          .AddAll({}, Op::kVariable, {},
                                  {{AttributeId::kName, std::string("v")},
                                   {AttributeId::kVarShape, std::vector<int32_t>{1}},
                                   {AttributeId::kType, static_cast<int32_t>(DType::kInt8)}})
                          .AddAll({}, Op::kVariableWrite, {"w"}, named)
                          .Add("r", "i8[1]", Op::kVariableRead, {}, named)
                          .Add("y", "i8[1]", Op::kCondIf, {"p", "w"},
                               {{AttributeId::kThenGraph, std::string("then")},
                                {AttributeId::kElseGraph, std::string("else")}})
                          .Returns({"r", "y"}, {Written("then", "v"), Written("else", "v")});
  HandFold fold(graph, {kRuntime, kRuntime});
  fold.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {}, {}, {})
      .Stage(FoldStage::kEntry, {"p", "w"}, {"r", "y"}, {"r", "y"});
  ASSERT_EQ(TextOf(FlawsOf(fold.folding)), "");

  Folding swapped = fold.folding;
  std::swap(StageOf(swapped, FoldStage::kEntry).operators[1],
            StageOf(swapped, FoldStage::kEntry).operators[2]);
  EXPECT_TRUE(Has(FlawsOf(swapped), "R12/effect"));

  Folding other = fold.folding;
  other.graphs[4].regions[0].blocks[1] = Written("then", "v");
  other.graphs[4].regions[0].blocks[1].tensors[0].name = "other";
  EXPECT_TRUE(Has(FlawsOf(other), "R12/block"));

  HandFold folded(graph, {kRuntime, kRuntime});
  folded.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {"p", "w"}, {"y"}, {"y"})
      .Stage(FoldStage::kEntry, {"w", "y"}, {"r"}, {"r", "y"});
  EXPECT_TRUE(Has(FlawsOf(folded.folding), "R12/effect"));
}

TEST(FoldCertificate, TakesTheConditionForAnOperand) {
  const auto block = [](std::string name) {
    BlockBuilder builder(std::move(name));
    const TensorIndex input = builder.Input("i32[1]");
    return builder.Outputs({input}).block;
  };
  const Graph graph = NamedBuilder()
                          .Input("p", "bool[1]")
                          .Input("w", "i32[1]")
                          .Add("y", "i32[1]", Op::kCondIf, {"p", "w"},
                               {{AttributeId::kThenGraph, std::string("then")},
                                {AttributeId::kElseGraph, std::string("else")}})
                          .Returns({"y"}, {block("then"), block("else")});
  const auto folded = [&graph](Constness p) {
    HandFold fold(graph, {p, kRuntime});
    fold.Stage(FoldStage::kCompileTime, {}, {}, {})
        .Stage(FoldStage::kRuntime, {"p", "w"}, {"y"}, {"y"})
        .Stage(FoldStage::kEntry, {"y"}, {}, {"y"});
    return TextOf(FlawsOf(fold.folding));
  };
  EXPECT_EQ(folded(kRuntime), "");
  EXPECT_EQ(folded(kVarying),
            "R12/constness runtime: reads p\nR12/constness runtime: computes COND_IF y\n");
}

// --- Postponements

// An operator and its operands, before and after it changed places with an expansion. All arguments
// vary, so that the entry computes everything.
struct Exchange {
  std::string_view name;
  Graph before, after;
  Postponement step;
};

std::string FlawsOfExchange(const Exchange& exchange) {
  const size_t arguments = exchange.before.Main()->inputs.size();
  HandFold fold(exchange.before, exchange.after, std::vector<Constness>(arguments, kVarying));
  std::vector<std::string> inputs, made, outputs;
  const Block& main = *exchange.after.Main();
  const auto name = [&main](TensorIndex tensor) {
    return main.tensors[static_cast<size_t>(tensor)].name;
  };
  for (const TensorIndex input : main.inputs) inputs.push_back(name(input));
  for (const Operator& op : main.operators) made.push_back(name(op.outputs[0]));
  for (const TensorIndex output : main.outputs) outputs.push_back(name(output));
  fold.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {}, {}, {})
      .Stage(FoldStage::kEntry, inputs, made, outputs);
  fold.folding.record.policy = {SizePolicyKind::kAbsolute, 0};
  fold.folding.record.certificate.postponements = {exchange.step};
  return TextOf(FlawsOf(fold.folding));
}

Graph Tiled(std::string_view p, std::string_view multiples = "shape[2]{3,1}") {
  return NamedBuilder()
      .Input("x", "fp32[2,4]")
      .Input("p", p)
      .Constant("m", multiples)
      .Add("e", "fp32[6,4]", Op::kTile, {"x", "m"})
      .Add("y", "fp32[6,4]", Op::kSub, {"p", "e"})
      .Returns({"y"});
}
Graph TiledLater(std::string_view p, bool exchanged = false) {
  NamedBuilder builder;
  builder.Input("x", "fp32[2,4]").Input("p", p).Constant("m", "shape[2]{3,1}");
  if (exchanged) builder.Add("i", "fp32[2,4]", Op::kSub, {"x", "p"});
  if (!exchanged) builder.Add("i", "fp32[2,4]", Op::kSub, {"p", "x"});
  return builder.Add("y", "fp32[6,4]", Op::kTile, {"i", "m"}).Returns({"y"});
}

TEST(FoldPostponement, MovesTilePastWhatIsOneAlongItsAxes) {
  const Postponement step = {ExpanderKind::kTile, {"e"}, "y", {"i"}, {}};
  EXPECT_EQ(FlawsOfExchange({"", Tiled("fp32[1,4]"), TiledLater("fp32[1,4]"), step}), "");
  // p - e is not e - p.
  EXPECT_EQ(FlawsOfExchange({"", Tiled("fp32[1,4]"), TiledLater("fp32[1,4]", true), step}),
            "R12/postponed SUB i is another\n");
  // p has different rows for each copy of x.
  EXPECT_EQ(FlawsOfExchange({"", Tiled("fp32[6,4]"), TiledLater("fp32[1,4]"), step}).substr(0, 18),
            "R12/postponement y");
  // Without the step the graphs are different.
  EXPECT_NE(FlawsOfExchange({"", Tiled("fp32[1,4]"), TiledLater("fp32[1,4]"), {}}), "");
}

// A constant that repeats itself loses its repetition: {1,2,1,2} of one column is {1,2} twice.
TEST(FoldPostponement, MovesTilePastConstantsThatRepeatThemselves) {
  const auto before = [](std::string_view p) {
    return NamedBuilder()
        .Input("x", "i32[2,1]")
        .Constant("p", p)
        .Constant("m", "shape[2]{2,1}")
        .Add("e", "i32[4,1]", Op::kTile, {"x", "m"})
        .Add("y", "i32[4,1]", Op::kAdd, {"e", "p"})
        .Returns({"y"});
  };
  const Graph after = NamedBuilder()
                          .Input("x", "i32[2,1]")
                          .Constant("q", "i32[2,1]{1,2}")
                          .Constant("m", "shape[2]{2,1}")
                          .Add("i", "i32[2,1]", Op::kAdd, {"x", "q"})
                          .Add("y", "i32[4,1]", Op::kTile, {"i", "m"})
                          .Returns({"y"});
  const Postponement step = {ExpanderKind::kTile, {"e"}, "y", {"i"}, {"q"}};
  EXPECT_EQ(FlawsOfExchange({"", before("i32[4,1]{1,2,1,2}"), after, step}), "");
  EXPECT_EQ(FlawsOfExchange({"", before("i32[4,1]{1,2,1,3}"), after, step}),
            "R12/postponement y: tile: p changes along an axis on which elements move\n");
  EXPECT_EQ(FlawsOfExchange({"", before("i32[4,1]{1,3,1,3}"), after, step}),
            "R12/postponement y: tile: no constant of the certificate is i32[2,1] of 1...\n");
}

TEST(FoldPostponement, KeepsWhatOthersRead) {
  Graph before = Tiled("fp32[1,4]");
  before.Main()->outputs.push_back(before.Main()->FindTensor("e").value());
  Graph after = TiledLater("fp32[1,4]");
  after.Main()->outputs.push_back(after.Main()->FindTensor("y").value());
  EXPECT_EQ(FlawsOfExchange({"", before, after, {ExpanderKind::kTile, {"e"}, "y", {"i"}, {}}}),
            "R12/postponement y: tile: e has other readers\n");
}

TEST(FoldPostponement, KeepsAttributes) {
  const auto graph = [](bool before, double max) {
    const Attributes clamp = {
        {AttributeId::kMinVal, Tensor::FromFloats(DType::kFp32, {}, std::vector{-1.0})},
        {AttributeId::kMaxVal, Tensor::FromFloats(DType::kFp32, {}, std::vector{max})},
        {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}};
    NamedBuilder builder;
    builder.Input("x", "fp32[2]").Constant("m", "shape[1]{3}");
    if (before) builder.Add("e", "fp32[6]", Op::kTile, {"x", "m"});
    if (before) builder.Add("y", "fp32[6]", Op::kClamp, {"e"}, clamp);
    if (!before) builder.Add("i", "fp32[2]", Op::kClamp, {"x"}, clamp);
    if (!before) builder.Add("y", "fp32[6]", Op::kTile, {"i", "m"});
    return builder.Returns({"y"});
  };
  const Postponement step = {ExpanderKind::kTile, {"e"}, "y", {"i"}, {}};
  EXPECT_EQ(FlawsOfExchange({"", graph(true, 2), graph(false, 2), step}), "");
  EXPECT_EQ(FlawsOfExchange({"", graph(true, 2), graph(false, 3), step}),
            "R12/postponed CLAMP i is another\n");
}

// An operand has one row, and a constant has equal rows: the number of rows comes from the
// constant.
TEST(FoldPostponement, TilesForAConstantThatBroadcasts) {
  const auto before = [](std::string_view c) {
    return NamedBuilder()
        .Input("x", "i32[1,2]")
        .Constant("c", c)
        .Add("y", "i32[3,2]", Op::kAdd, {"x", "c"})
        .Returns({"y"});
  };
  const auto after = [](std::string_view multiples) {
    return NamedBuilder()
        .Input("x", "i32[1,2]")
        .Constant("d", "i32[1,2]{7,8}")
        .Constant("m", multiples)
        .Add("i", "i32[1,2]", Op::kAdd, {"x", "d"})
        .Add("y", "i32[3,2]", Op::kTile, {"i", "m"})
        .Returns({"y"});
  };
  const Postponement step = {ExpanderKind::kBroadcast, {"c"}, "y", {"i"}, {"d", "m"}};
  EXPECT_EQ(FlawsOfExchange({"", before("i32[3,2]{7,8,7,8,7,8}"), after("shape[2]{3,1}"), step}),
            "");
  EXPECT_EQ(FlawsOfExchange({"", before("i32[3,2]{7,8,7,8,7,9}"), after("shape[2]{3,1}"), step}),
            "R12/postponement y: broadcast: no constant of the certificate is shape[2] of 1...\n");
}

Graph Padded(std::string_view partner, bool is_constant = true) {
  NamedBuilder builder;
  builder.Input("x", "i32[2]").Constant("p", "shape[2]{1,2}").Constant("c", "i32[1]{5}");
  if (is_constant) builder.Constant("k", partner);
  if (!is_constant) builder.Input("k", partner);
  return builder.Add("e", "i32[5]", Op::kPad, {"x", "p", "c"})
      .Add("y", "i32[5]", Op::kSub, {"k", "e"})
      .Returns({"y"});
}
Graph PaddedLater(std::string_view partner, std::string_view padding, bool is_constant = true) {
  NamedBuilder builder;
  builder.Input("x", "i32[2]").Constant("p", "shape[2]{1,2}").Constant("d", padding);
  if (is_constant) builder.Constant("k", partner);
  if (!is_constant) builder.Input("k", partner);
  return builder.Add("i", "i32[2]", Op::kSub, {"k", "x"})
      .Add("y", "i32[5]", Op::kPad, {"i", "p", "d"})
      .Returns({"y"});
}

// 9 - 5 = 4.
TEST(FoldPostponement, ComputesThePadding) {
  const Postponement step = {ExpanderKind::kPad, {"e"}, "y", {"i"}, {"d"}};
  EXPECT_EQ(FlawsOfExchange({"", Padded("i32[1]{9}"), PaddedLater("i32[1]{9}", "i32[1]{4}"), step}),
            "");
  EXPECT_EQ(FlawsOfExchange({"", Padded("i32[1]{9}"), PaddedLater("i32[1]{9}", "i32[1]{5}"), step}),
            "R12/postponement y: pad: no constant of the certificate is i32[1] of 4\n");
  // The greatest number less than none: -2147483647 - 5 is out of range, where there is padding.
  EXPECT_EQ(FlawsOfExchange({"", Padded("i32[1]{-2147483647}"),
                             PaddedLater("i32[1]{-2147483647}", "i32[1]{0}"), step}),
            "R12/postponement y: pad: the padding cannot be computed\n");
  EXPECT_EQ(FlawsOfExchange(
                {"", Padded("i32[1]", false), PaddedLater("i32[1]", "i32[1]{4}", false), step}),
            "R12/postponement y: pad: k is no constant to compute the padding of\n");
  EXPECT_EQ(FlawsOfExchange(
                {"", Padded("i32[5]{9,9,9,9,8}"), PaddedLater("i32[1]{9}", "i32[1]{4}"), step}),
            "R12/postponement y: pad: k changes along an axis on which elements move\n");
}

TEST(FoldPostponement, ComputesWithEveryOperandOfConcat) {
  const Attributes axis = {{AttributeId::kAxis, int32_t{0}}};
  const Graph before = NamedBuilder()
                           .Input("a", "fp32[2]")
                           .Input("b", "fp32[3]")
                           .Add("e", "fp32[5]", Op::kConcat, {"a", "b"}, axis)
                           .Add("y", "fp32[5]", Op::kExp, {"e"})
                           .Returns({"y"});
  const Graph after = NamedBuilder()
                          .Input("a", "fp32[2]")
                          .Input("b", "fp32[3]")
                          .Add("i", "fp32[2]", Op::kExp, {"a"})
                          .Add("j", "fp32[3]", Op::kExp, {"b"})
                          .Add("y", "fp32[5]", Op::kConcat, {"i", "j"}, axis)
                          .Returns({"y"});
  const Graph wrong = NamedBuilder()
                          .Input("a", "fp32[2]")
                          .Input("b", "fp32[3]")
                          .Add("i", "fp32[2]", Op::kExp, {"a"})
                          .Add("y", "fp32[5]", Op::kConcat, {"i", "b"}, axis)
                          .Returns({"y"});
  EXPECT_EQ(
      FlawsOfExchange({"", before, after, {ExpanderKind::kConcat, {"e"}, "y", {"i", "j"}, {}}}),
      "");
  EXPECT_EQ(FlawsOfExchange({"", before, wrong, {ExpanderKind::kConcat, {"e"}, "y", {"i"}, {}}}),
            "R12/postponement y: concat: not one new tensor for each operand that is expanded\n");
}

// INTDIV is not defined for a divisor of 0. So each row of the operand must be chosen by some
// index, where INTDIV is checked anyway.
TEST(FoldPostponement, MovesGatherPastWhatIsDefinedForAllThatItLeavesOut) {
  const auto graph = [](bool before, Op op, std::string_view indices) {
    NamedBuilder builder;
    builder.Input("x", "i32[1,2,2]").Input("k", "i32[1,1,2]").Constant("n", indices);
    if (before) builder.Add("e", "i32[1,3,2]", Op::kGather, {"x", "n"});
    if (before) builder.Add("y", "i32[1,3,2]", op, {"k", "e"});
    if (!before) builder.Add("i", "i32[1,2,2]", op, {"k", "x"});
    if (!before) builder.Add("y", "i32[1,3,2]", Op::kGather, {"i", "n"});
    return builder.Returns({"y"});
  };
  const Postponement step = {ExpanderKind::kGather, {"e"}, "y", {"i"}, {}};
  const auto flaws = [&](Op op, std::string_view indices) {
    return FlawsOfExchange({"", graph(true, op, indices), graph(false, op, indices), step});
  };
  EXPECT_EQ(flaws(Op::kBitwiseAnd, "i32[1,3]{0,0,0}"), "");
  EXPECT_EQ(flaws(Op::kIntdiv, "i32[1,3]{0,1,0}"), "");
  EXPECT_EQ(flaws(Op::kIntdiv, "i32[1,3]{0,0,0}"),
            "R12/postponement y: gather: INTDIV is not defined for all that is left out\n");
}

TEST(FoldPostponement, MovesResizeOnlyIfItTakesTheNearest) {
  const auto graph = [](bool before, ResizeMode mode) {
    const Attributes resize = {{AttributeId::kMode, static_cast<int32_t>(mode)}};
    NamedBuilder builder;
    builder.Input("x", "fp32[1,2,2,1]")
        .Constant("s", "shape[4]{2,1,2,1}")
        .Constant("o", "shape[2]{0,0}")
        .Constant("b", "shape[2]{1,1}");
    if (before) builder.Add("e", "fp32[1,4,4,1]", Op::kResize, {"x", "s", "o", "b"}, resize);
    if (before) builder.Add("y", "fp32[1,4,4,1]", Op::kExp, {"e"});
    if (!before) builder.Add("i", "fp32[1,2,2,1]", Op::kExp, {"x"});
    if (!before) builder.Add("y", "fp32[1,4,4,1]", Op::kResize, {"i", "s", "o", "b"}, resize);
    return builder.Returns({"y"});
  };
  const Postponement step = {ExpanderKind::kResizeNearest, {"e"}, "y", {"i"}, {}};
  const auto flaws = [&](ResizeMode mode) {
    return FlawsOfExchange({"", graph(true, mode), graph(false, mode), step});
  };
  EXPECT_EQ(flaws(ResizeMode::kNearest), "");
  EXPECT_EQ(flaws(ResizeMode::kBilinear),
            "R12/postponement y: resize-nearest: e is expanded in another way\n");
}

TEST(FoldPostponement, MovesACastPastWhatIsExactOnTheNarrowType) {
  const auto graph = [](bool before, Op op, std::string_view wide, std::string_view narrow) {
    const Attributes nan = {{AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}};
    const Attributes attributes = op == Op::kMaximum ? nan : Attributes();
    NamedBuilder builder;
    builder.Input("x", "bf16[2]");
    if (before) builder.Constant("k", wide).Add("e", "fp32[2]", Op::kCast, {"x"});
    if (before) builder.Add("y", "fp32[2]", op, {"e", "k"}, attributes);
    if (!before) builder.Constant("n", narrow).Add("i", "bf16[2]", op, {"x", "n"}, attributes);
    if (!before) builder.Add("y", "fp32[2]", Op::kCast, {"i"});
    return builder.Returns({"y"});
  };
  const Postponement step = {ExpanderKind::kWideningCast, {"e"}, "y", {"i"}, {"n"}};
  const auto flaws = [&](Op op, std::string_view wide, std::string_view narrow) {
    return FlawsOfExchange(
        {"", graph(true, op, wide, narrow), graph(false, op, wide, narrow), step});
  };
  EXPECT_EQ(flaws(Op::kMaximum, "fp32[1]{0.5}", "bf16[1]{0.5}"), "");
  EXPECT_EQ(flaws(Op::kMaximum, "fp32[1]{-0}", "bf16[1]{-0}"), "");
  EXPECT_EQ(flaws(Op::kMaximum, "fp32[1]{-0}", "bf16[1]{0}"),
            "R12/postponement y: widening-cast: no constant of the certificate is bf16[1] of -0\n");
  // bf16 cannot represent 0.1.
  EXPECT_EQ(flaws(Op::kMaximum, "fp32[1]{0.1}", "bf16[1]{0.1}"),
            "R12/postponement y: widening-cast: k is no constant of numbers of the narrow type\n");
  EXPECT_EQ(flaws(Op::kAdd, "fp32[1]{0.5}", "bf16[1]{0.5}"),
            "R12/postponement y: widening-cast: ADD rounds, or overflows, on the narrow type\n");
}

// Equal numbers are equal in either type, and no value is left to widen.
TEST(FoldPostponement, ComparesNarrowNumbers) {
  const Graph before = NamedBuilder()
                           .Input("x", "fp16[2]")
                           .Input("z", "fp16[2]")
                           .Add("e", "fp32[2]", Op::kCast, {"x"})
                           .Add("f", "fp32[2]", Op::kCast, {"z"})
                           .Add("y", "bool[2]", Op::kGreater, {"f", "e"})
                           .Returns({"y"});
  const auto after = [](bool exchanged) {
    NamedBuilder builder;
    builder.Input("x", "fp16[2]").Input("z", "fp16[2]");
    if (exchanged) builder.Add("y", "bool[2]", Op::kGreater, {"x", "z"});
    if (!exchanged) builder.Add("y", "bool[2]", Op::kGreater, {"z", "x"});
    return builder.Returns({"y"});
  };
  const Postponement step = {ExpanderKind::kWideningCast, {"e", "f"}, "y", {}, {}};
  EXPECT_EQ(FlawsOfExchange({"", before, after(false), step}), "");
  EXPECT_NE(FlawsOfExchange({"", before, after(true), step}), "");
}

TEST(FoldPostponement, IsRefusedWhereItNamesWhatIsNotThere) {
  const Graph before = Tiled("fp32[1,4]"), after = TiledLater("fp32[1,4]");
  const Postponement steps[] = {
      {ExpanderKind::kTile, {"e"}, "q", {"i"}, {}},
      {ExpanderKind::kTile, {"q"}, "y", {"i"}, {}},
      {ExpanderKind::kTile, {}, "y", {"i"}, {}},
      {ExpanderKind::kTile, {"e", "e"}, "y", {"i"}, {}},
      {ExpanderKind::kTile, {"e"}, "y", {}, {}},
      {ExpanderKind::kTile, {"e"}, "y", {"q"}, {}},
      {ExpanderKind::kTile, {"e"}, "y", {"x"}, {}},
      {ExpanderKind::kPad, {"e"}, "y", {"i"}, {}},
      {ExpanderKind::kTile, {"e"}, "x", {"i"}, {}},
      {ExpanderKind::kTile, {"p"}, "y", {"i"}, {}},
      {ExpanderKind::kBroadcast, {"p"}, "y", {"i"}, {}},
      {ExpanderKind::kTile, {"x"}, "e", {"i"}, {}},
  };
  for (const Postponement& step : steps) {
    EXPECT_EQ(FlawsOfExchange({"", before, after, step}).substr(0, 12), "R12/postpone");
  }
}

}  // namespace
}  // namespace assay::certified_folding_test

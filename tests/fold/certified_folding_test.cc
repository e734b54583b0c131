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
  return GraphOf(R"(
    block main (%x:i32[2,3],%w:i32[1,3],%b:i32[2,1]) -> (%y,%s)
      %c = i32[1,3]{1,2,3}
      %k:i32[2,1] = ADD(%b,%b)
      %s:i32[1,3] = ADD(%w,%c)
      %t:i32[2,3] = SUB(%s,%k)
      %y:i32[2,3] = SUB(%x,%t))");
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
  const Graph graph = GraphOf(R"(
    block main (%x:i32[16],%w:i32[1]) -> (%y)
      %m = shape[1]{16}
      %e:i32[16] = TILE(%w,%m)
      %y:i32[16] = ADD(%x,%e))");
  HandFold fold(graph, {kVarying, kRuntime});
  fold.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {}, {}, {})
      .Stage(FoldStage::kEntry, {"x", "w"}, {"m", "e", "y"}, {"y"});
  EXPECT_EQ(TextOf(FlawsOf(fold.folding)), "");
  fold.folding.record.policy.limit = 16;
  EXPECT_EQ(TextOf(FlawsOf(fold.folding)), "R9/not-folded entry: TILE e\n");
}

// The choice of a block, and what the blocks write, is no constant.
TEST(FoldCertificate, LeavesEffectsInTheEntryAndInOrder) {
  const Graph graph = GraphOf(R"(
    block main (%p:bool[1],%w:i8[1]) -> (%r,%y)
      VARIABLE() name=v type=i8 var_shape=[1]
      VARIABLE_WRITE(%w) name=v
      %r:i8[1] = VARIABLE_READ() name=v
      %y:i8[1] = COND_IF(%p,%w) then_graph=then else_graph=else
    block then (%t0:i8[1]) -> (%t0)
      VARIABLE_WRITE(%t0) name=v
    block else (%t0:i8[1]) -> (%t0)
      VARIABLE_WRITE(%t0) name=v)");
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
  other.graphs[4].regions[0].blocks[1].tensors[0].name = "other";
  EXPECT_TRUE(Has(FlawsOf(other), "R12/block"));

  HandFold folded(graph, {kRuntime, kRuntime});
  folded.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {"p", "w"}, {"y"}, {"y"})
      .Stage(FoldStage::kEntry, {"w", "y"}, {"r"}, {"r", "y"});
  EXPECT_TRUE(Has(FlawsOf(folded.folding), "R12/effect"));
}

TEST(FoldCertificate, TakesTheConditionForAnOperand) {
  const Graph graph = GraphOf(R"(
    block main (%p:bool[1],%w:i32[1]) -> (%y)
      %y:i32[1] = COND_IF(%p,%w) then_graph=then else_graph=else
    block then (%a:i32[1]) -> (%a)
    block else (%a:i32[1]) -> (%a))");
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

Graph Tiled(const std::string& p) {
  return GraphOf("block main (%x:fp32[2,4],%p:" + p + R"() -> (%y)
      %m = shape[2]{3,1}
      %e:fp32[6,4] = TILE(%x,%m)
      %y:fp32[6,4] = SUB(%p,%e))");
}
Graph TiledLater(const std::string& p, bool exchanged = false) {
  return GraphOf("block main (%x:fp32[2,4],%p:" + p + R"() -> (%y)
      %m = shape[2]{3,1}
      %i:fp32[2,4] = SUB)" +
                 (exchanged ? "(%x,%p)" : "(%p,%x)") + R"(
      %y:fp32[6,4] = TILE(%i,%m))");
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
  const auto before = [](const std::string& p) {
    return GraphOf("block main (%x:i32[2,1]) -> (%y)\n%p = " + p + R"(
      %m = shape[2]{2,1}
      %e:i32[4,1] = TILE(%x,%m)
      %y:i32[4,1] = ADD(%e,%p))");
  };
  const Graph after = GraphOf(R"(
    block main (%x:i32[2,1]) -> (%y)
      %q = i32[2,1]{1,2}
      %m = shape[2]{2,1}
      %i:i32[2,1] = ADD(%x,%q)
      %y:i32[4,1] = TILE(%i,%m))");
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
  const auto before = [](const std::string& max) {
    return GraphOf(R"(
    block main (%x:fp32[2]) -> (%y)
      %m = shape[1]{3}
      %e:fp32[6] = TILE(%x,%m)
      %y:fp32[6] = CLAMP(%e) min_val=-1 max_val=)" +
                   max);
  };
  const auto after = [](const std::string& max) {
    return GraphOf(R"(
    block main (%x:fp32[2]) -> (%y)
      %m = shape[1]{3}
      %i:fp32[2] = CLAMP(%x) min_val=-1 max_val=)" +
                   max + R"(
      %y:fp32[6] = TILE(%i,%m))");
  };
  const Postponement step = {ExpanderKind::kTile, {"e"}, "y", {"i"}, {}};
  EXPECT_EQ(FlawsOfExchange({"", before("2"), after("2"), step}), "");
  EXPECT_EQ(FlawsOfExchange({"", before("2"), after("3"), step}),
            "R12/postponed CLAMP i is another\n");
}

// An operand has one row, and a constant has equal rows: the number of rows comes from the
// constant.
TEST(FoldPostponement, TilesForAConstantThatBroadcasts) {
  const auto before = [](const std::string& c) {
    return GraphOf("block main (%x:i32[1,2]) -> (%y)\n%c = " + c + "\n%y:i32[3,2] = ADD(%x,%c)");
  };
  const auto after = [](const std::string& multiples) {
    return GraphOf(R"(
    block main (%x:i32[1,2]) -> (%y)
      %d = i32[1,2]{7,8}
      %m = )" + multiples +
                   R"(
      %i:i32[1,2] = ADD(%x,%d)
      %y:i32[3,2] = TILE(%i,%m))");
  };
  const Postponement step = {ExpanderKind::kBroadcast, {"c"}, "y", {"i"}, {"d", "m"}};
  EXPECT_EQ(FlawsOfExchange({"", before("i32[3,2]{7,8,7,8,7,8}"), after("shape[2]{3,1}"), step}),
            "");
  EXPECT_EQ(FlawsOfExchange({"", before("i32[3,2]{7,8,7,8,7,9}"), after("shape[2]{3,1}"), step}),
            "R12/postponement y: broadcast: no constant of the certificate is shape[2] of 1...\n");
}

// Returns a graph that subtracts from `partner`, a constant or the type of an input.
Graph WithPartner(const std::string& partner, const std::string& lines) {
  const bool is_constant = partner.ends_with('}');
  return GraphOf("block main (%x:i32[2]" + (is_constant ? "" : ",%k:" + partner) + ") -> (%y)\n" +
                 (is_constant ? "%k = " + partner : "") + "\n%p = shape[2]{1,2}\n" + lines);
}
Graph Padded(const std::string& partner) {
  return WithPartner(partner, R"(
      %c = i32[1]{5}
      %e:i32[5] = PAD(%x,%p,%c)
      %y:i32[5] = SUB(%k,%e))");
}
Graph PaddedLater(const std::string& partner, const std::string& padding) {
  return WithPartner(partner, "%d = " + padding + R"(
      %i:i32[2] = SUB(%k,%x)
      %y:i32[5] = PAD(%i,%p,%d))");
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
  EXPECT_EQ(FlawsOfExchange({"", Padded("i32[1]"), PaddedLater("i32[1]", "i32[1]{4}"), step}),
            "R12/postponement y: pad: k is no constant to compute the padding of\n");
  EXPECT_EQ(FlawsOfExchange(
                {"", Padded("i32[5]{9,9,9,9,8}"), PaddedLater("i32[1]{9}", "i32[1]{4}"), step}),
            "R12/postponement y: pad: k changes along an axis on which elements move\n");
}

TEST(FoldPostponement, ComputesWithEveryOperandOfConcat) {
  const Graph before = GraphOf(R"(
    block main (%a:fp32[2],%b:fp32[3]) -> (%y)
      %e:fp32[5] = CONCAT(%a,%b) axis=0
      %y:fp32[5] = EXP(%e))");
  const Graph after = GraphOf(R"(
    block main (%a:fp32[2],%b:fp32[3]) -> (%y)
      %i:fp32[2] = EXP(%a)
      %j:fp32[3] = EXP(%b)
      %y:fp32[5] = CONCAT(%i,%j) axis=0)");
  const Graph wrong = GraphOf(R"(
    block main (%a:fp32[2],%b:fp32[3]) -> (%y)
      %i:fp32[2] = EXP(%a)
      %y:fp32[5] = CONCAT(%i,%b) axis=0)");
  EXPECT_EQ(
      FlawsOfExchange({"", before, after, {ExpanderKind::kConcat, {"e"}, "y", {"i", "j"}, {}}}),
      "");
  EXPECT_EQ(FlawsOfExchange({"", before, wrong, {ExpanderKind::kConcat, {"e"}, "y", {"i"}, {}}}),
            "R12/postponement y: concat: not one new tensor for each operand that is expanded\n");
}

// INTDIV is not defined for a divisor of 0. So each row of the operand must be chosen by some
// index, where INTDIV is checked anyway.
TEST(FoldPostponement, MovesGatherPastWhatIsDefinedForAllThatItLeavesOut) {
  const auto graph = [](bool before, const std::string& op, const std::string& indices) {
    return GraphOf("block main (%x:i32[1,2,2],%k:i32[1,1,2]) -> (%y)\n%n = " + indices +
                   (before ? "\n%e:i32[1,3,2] = GATHER(%x,%n)\n%y:i32[1,3,2] = " + op + "(%k,%e)"
                           : "\n%i:i32[1,2,2] = " + op + "(%k,%x)\n%y:i32[1,3,2] = GATHER(%i,%n)"));
  };
  const Postponement step = {ExpanderKind::kGather, {"e"}, "y", {"i"}, {}};
  const auto flaws = [&](const std::string& op, const std::string& indices) {
    return FlawsOfExchange({"", graph(true, op, indices), graph(false, op, indices), step});
  };
  EXPECT_EQ(flaws("BITWISE_AND", "i32[1,3]{0,0,0}"), "");
  EXPECT_EQ(flaws("INTDIV", "i32[1,3]{0,1,0}"), "");
  EXPECT_EQ(flaws("INTDIV", "i32[1,3]{0,0,0}"),
            "R12/postponement y: gather: INTDIV is not defined for all that is left out\n");
}

TEST(FoldPostponement, MovesResizeOnlyIfItTakesTheNearest) {
  const auto graph = [](bool before, const std::string& mode) {
    const std::string resize = ",[2,1,2,1],[0,0],[1,1]) mode=" + mode;
    return GraphOf("block main (%x:fp32[1,2,2,1]) -> (%y)\n" +
                   (before
                        ? "%e:fp32[1,4,4,1] = RESIZE(%x" + resize + "\n%y:fp32[1,4,4,1] = EXP(%e)"
                        : "%i:fp32[1,2,2,1] = EXP(%x)\n%y:fp32[1,4,4,1] = RESIZE(%i" + resize));
  };
  const Postponement step = {ExpanderKind::kResizeNearest, {"e"}, "y", {"i"}, {}};
  const auto flaws = [&](const std::string& mode) {
    return FlawsOfExchange({"", graph(true, mode), graph(false, mode), step});
  };
  EXPECT_EQ(flaws("NEAREST"), "");
  EXPECT_EQ(flaws("BILINEAR"),
            "R12/postponement y: resize-nearest: e is expanded in another way\n");
}

TEST(FoldPostponement, MovesACastPastWhatIsExactOnTheNarrowType) {
  const auto before = [](const std::string& op, const std::string& wide) {
    return GraphOf("block main (%x:bf16[2]) -> (%y)\n%k = " + wide +
                   "\n%e:fp32[2] = CAST(%x)\n%y:fp32[2] = " + op + "(%e,%k)");
  };
  const auto after = [](const std::string& op, const std::string& narrow) {
    return GraphOf("block main (%x:bf16[2]) -> (%y)\n%n = " + narrow + "\n%i:bf16[2] = " + op +
                   "(%x,%n)\n%y:fp32[2] = CAST(%i)");
  };
  const Postponement step = {ExpanderKind::kWideningCast, {"e"}, "y", {"i"}, {"n"}};
  const auto flaws = [&](const std::string& op, const std::string& wide,
                         const std::string& narrow) {
    return FlawsOfExchange({"", before(op, wide), after(op, narrow), step});
  };
  EXPECT_EQ(flaws("MAXIMUM", "fp32[1]{0.5}", "bf16[1]{0.5}"), "");
  EXPECT_EQ(flaws("MAXIMUM", "fp32[1]{-0}", "bf16[1]{-0}"), "");
  EXPECT_EQ(flaws("MAXIMUM", "fp32[1]{-0}", "bf16[1]{0}"),
            "R12/postponement y: widening-cast: no constant of the certificate is bf16[1] of -0\n");
  // bf16 cannot represent 0.1.
  EXPECT_EQ(flaws("MAXIMUM", "fp32[1]{0.1}", "bf16[1]{0.1}"),
            "R12/postponement y: widening-cast: k is no constant of numbers of the narrow type\n");
  EXPECT_EQ(flaws("ADD", "fp32[1]{0.5}", "bf16[1]{0.5}"),
            "R12/postponement y: widening-cast: ADD rounds, or overflows, on the narrow type\n");
}

// Equal numbers are equal in either type, and no value is left to widen.
TEST(FoldPostponement, ComparesNarrowNumbers) {
  const Graph before = GraphOf(R"(
    block main (%x:fp16[2],%z:fp16[2]) -> (%y)
      %e:fp32[2] = CAST(%x)
      %f:fp32[2] = CAST(%z)
      %y:bool[2] = GREATER(%f,%e))");
  const auto after = [](const std::string& operands) {
    return GraphOf("block main (%x:fp16[2],%z:fp16[2]) -> (%y)\n%y:bool[2] = GREATER" + operands);
  };
  const Postponement step = {ExpanderKind::kWideningCast, {"e", "f"}, "y", {}, {}};
  EXPECT_EQ(FlawsOfExchange({"", before, after("(%z,%x)"), step}), "");
  EXPECT_NE(FlawsOfExchange({"", before, after("(%x,%z)"), step}), "");
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

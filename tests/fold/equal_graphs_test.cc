// SPDX-License-Identifier: Apache-2.0
// Tests pairs of graphs worked out by hand: right results of a folder, and wrong ones that look
// similar.
#include "equal_graphs.h"

#include <gtest/gtest.h>

#include "graph_pairs.h"
#include "paired_runs.h"

namespace assay::testing::equal_graphs_test {
namespace {

TEST(FoldStructureTest, NamesOrderCopiesAndDeadCodeDoNotMatter) {
  const Graph before = GraphOf(R"(
    block main (%x:i32[2]) -> (%y)
      %one = i32[2]{1,1}
      %p:i32[2] = ABS(%x)
      %q:i32[2] = BITWISE_AND(%x,%one)
      %dead:i32[2] = BITWISE_NOT(%q)
      %y:i32[2] = BITWISE_OR(%p,%q))");
  const Graph after = GraphOf(R"(
    block main (%renamed:i32[2]) -> (%t)
      %copy:i32[2] = IDENTITY(%renamed)
      %r:i32[2] = BITWISE_AND(%copy,i32[2]{1,1})
      %s:i32[2] = ABS(%renamed)
      %t:i32[2] = BITWISE_OR(%s,%r))");
  EXPECT_EQ(TextOf(Checked(before, after)),
            "equal for all inputs: they are one graph but for names, order, copies and dead code");
  // In the other direction there is one more operator, the dead one. It can break no REQUIRE, which
  // the terms decide.
  EXPECT_EQ(Checked(after, before).argument, FoldArgument::kTerms);
}

TEST(FoldStructureTest, BitsOfConstantsAndAttributesMatter) {
  const auto graph = [](std::string_view constant, int32_t axis) {
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[2,2]");
    const TensorIndex sum = b.Add(Op::kAdd, {x, b.Constant(constant)}, "fp32[2,2]");
    return GraphWith(b, {b.Add(Op::kReverse, {sum}, "fp32[2,2]", {{AttributeId::kAxis, axis}})});
  };
  const Graph before = graph("fp32[1,1]{0}", 0);
  EXPECT_EQ(CheckFold(before, graph("fp32[1,1]{0}", 0), {}).argument, FoldArgument::kIsomorphic);
  // -0 + 0 is 0, -0 + -0 is -0.
  EXPECT_EQ(Checked(before, graph("fp32[1,1]{-0}", 0)).kind, FoldVerdictKind::kDifferent);
  EXPECT_EQ(Checked(before, graph("fp32[1,1]{0}", 1)).kind, FoldVerdictKind::kDifferent);
}

TEST(FoldDifferentialTest, WitnessesOfNearlyLaws) {
  // x + 0 of -0 is 0; x * 0 of NaN is NaN.
  EXPECT_EQ(TextOf(Checked(WithConstant("fp32[3]", Op::kAdd, "fp32[1]{0}"), Identity("fp32[3]"))),
            "different: output t2, element 1: 0 before, -0 after");
  EXPECT_EQ(Checked(WithConstant("fp32[3]", Op::kMul, "fp32[1]{0}"),
                    WithConstant("fp32[3]", Op::kBitwiseAnd, "fp32[1]{0}"))
                .kind,
            FoldVerdictKind::kDifferent);
  // x + 1 leaves the range of i32 if x is its maximum. Such inputs do not count.
  EXPECT_EQ(Checked(WithConstant("i32[3]", Op::kAdd, "i32[1]{1}"), Identity("i32[3]")).kind,
            FoldVerdictKind::kDifferent);
  // The graph is valid before, and unpredictable after.
  EXPECT_EQ(Checked(Identity("i32[3]"), WithConstant("i32[3]", Op::kIntdiv, "i32[1]{0}")).kind,
            FoldVerdictKind::kDifferent);
  // The graph before is never valid.
  EXPECT_EQ(TextOf(Checked(WithConstant("i32[3]", Op::kIntdiv, "i32[1]{0}"), Identity("i32[3]"))),
            "undecided: on every input tried, BEFORE is not valid: INTDIV/REQUIRE/1");
}

TEST(FoldDifferentialTest, ModesOfComparison) {
  // exp(1) = 2.7182817459..., its neighbor above in fp32 is 2.7182819843...: within the bound of
  // EXP, but another number.
  BlockBuilder a;
  a.Input("fp32[1]");
  const Graph before = GraphWith(a, {a.Add(Op::kExp, {a.Constant("fp32[1]{1}")}, "fp32[1]")});
  BlockBuilder b;
  b.Input("fp32[1]");
  const Graph after = GraphWith(b, {b.Constant("fp32[1]{2.7182819843}")});
  FoldCheckOptions options;
  EXPECT_EQ(Checked(before, after, options).kind, FoldVerdictKind::kDifferent);
  options.mode = FoldMode::kBounded;
  EXPECT_EQ(Checked(before, after, options).kind, FoldVerdictKind::kUndecided);
  BlockBuilder c;
  c.Input("fp32[1]");
  const Graph wrong = GraphWith(c, {c.Constant("fp32[1]{2.72}")});
  EXPECT_EQ(CheckFold(before, wrong, options).kind, FoldVerdictKind::kDifferent);
}

TEST(FoldDifferentialTest, WithoutInputsOneRunDecides) {
  BlockBuilder a, b;
  const Graph before =
      GraphWith(a, {a.Add(Op::kAdd, {a.Constant("i32[1]{2}"), a.Constant("i32[1]{3}")}, "i32[1]")});
  const Graph after = GraphWith(b, {b.Constant("i32[1]{5}")});
  EXPECT_EQ(CheckFold(before, after, {}).argument, FoldArgument::kEnumeration);
}

// -1 + 1 + max is in range, but max + 1 - 1 is not, on the way. An implementation may sum in either
// order, so such inputs show nothing. If no order overflows, different sums are a difference.
TEST(FoldDifferentialTest, SumsThatOverflowInAnotherOrderShowNothing) {
  const auto sum = [](bool reversed, const std::string& added) {
    return GraphOf(R"(
    block main (%x:i32[3]) -> (%sum)
      %r:i32[3] = )" +
                   std::string(reversed ? "REVERSE(%x) axis=0" : "IDENTITY(%x)") + R"(
      %a:i32[3] = BITWISE_XOR(%r,)" +
                   added + R"()
      %sum:i32[1] = REDUCE_SUM(%a) axis=0)");
  };
  const Graph before = sum(false, "i32[1]{0}"), after = sum(true, "i32[1]{0}");
  const std::vector<FoldInvocation> overflows = {{TensorOf("i32[3]{-1,1,2147483647}")}};
  for (const FoldMode mode : {FoldMode::kExact, FoldMode::kBounded}) {
    FoldCheckOptions options;
    options.mode = mode;
    EXPECT_EQ(RunBoth(before, after, overflows, options).kind, FoldRunKind::kExcluded);
    const std::vector<FoldInvocation> small = {{TensorOf("i32[3]{-1,1,5}")}};
    EXPECT_EQ(RunBoth(before, after, small, options).kind, FoldRunKind::kAgree);
    EXPECT_EQ(RunBoth(before, sum(true, "i32[1]{1}"), small, options).kind, FoldRunKind::kDiffer);
  }
}

// Returns x OP y. The result has the type of x.
Graph Binary(Op op, std::string_view x_type, std::string_view y_type, Attributes attributes = {}) {
  BlockBuilder b;
  const TensorIndex x = b.Input(x_type), y = b.Input(y_type);
  return GraphWith(b, {b.Add(op, {x, y}, x_type, std::move(attributes))});
}

TEST(FoldDifferentialTest, EverySpecialValueIsTriedWhateverTheShape) {
  for (const auto& [type, zeros] :
       {std::pair("fp32[1]", "fp32[1]{0}"), std::pair("fp32[4]", "fp32[4]{0,0,0,0}"),
        std::pair("fp16[1,3]", "fp16[1,3]{0,0,0}")}) {
    BlockBuilder a, b;
    const TensorIndex x = a.Input(type);
    b.Input(type);
    const FoldVerdict verdict =
        Checked(GraphWith(a, {a.Add(Op::kSub, {x, x}, type)}), GraphWith(b, {b.Constant(zeros)}));
    EXPECT_EQ(verdict.kind, FoldVerdictKind::kDifferent) << type;
    EXPECT_EQ(verdict.classes, 0) << "found by a term";
  }
}

TEST(FoldDifferentialTest, EveryPairOfSpecialValuesIsTriedWhateverTheShapes) {
  const auto minimum = [](NanMode mode, std::string_view x, std::string_view y) {
    return Binary(Op::kMinimum, x, y, {{AttributeId::kNanMode, static_cast<int32_t>(mode)}});
  };
  for (const auto& [x, y] : {std::pair("fp32[1]", "fp32[1]"), std::pair("fp32[4]", "fp32[4]"),
                             std::pair("fp16[2,4]", "fp16[2,1]")}) {
    const FoldVerdict verdict =
        Checked(minimum(NanMode::kPropagate, x, y), minimum(NanMode::kIgnore, x, y));
    EXPECT_EQ(verdict.kind, FoldVerdictKind::kDifferent) << x;
    EXPECT_EQ(verdict.classes, 0) << "found by a term";
  }
}

// The largest number overflows, so that a run with it shows nothing. Only the number below it shows
// that the bound is one too low.
TEST(FoldDifferentialTest, AnInvalidSpecialValueDoesNotHideTheOthers) {
  const auto bounded = [](const std::string& bound) {
    return GraphOf(R"(
    block main (%x:i32[64]) -> (%y)
      %sum:i32[64] = ADD(%x,1)
      %y:i32[64] = MINIMUM(%sum,)" +
                   bound + ")");
  };
  FoldCheckOptions no_random;
  no_random.runs = 1;
  const FoldVerdict verdict =
      Checked(bounded("i32[1]{2147483647}"), bounded("i32[1]{2147483646}"), no_random);
  EXPECT_EQ(verdict.kind, FoldVerdictKind::kDifferent);
  EXPECT_EQ(verdict.classes, 0) << "found by a term";
}

TEST(FoldDifferentialTest, WithoutProveTheSolverHasAShortTurn) {
  const Graph once = GraphOf(R"(
    block main (%x:i32[4],%y:i32[4]) -> (%z)
      %z:i32[4] = BITWISE_XOR(%x,%y))");
  const Graph twice = GraphOf(R"(
    block main (%x:i32[4],%y:i32[4]) -> (%z)
      %both:i32[4] = BITWISE_AND(%x,%y)
      %any:i32[4] = BITWISE_OR(%x,%y)
      %none:i32[4] = BITWISE_NOT(%both)
      %z:i32[4] = BITWISE_AND(%any,%none))");
  EXPECT_EQ(Checked(once, twice).argument, FoldArgument::kSolver);
  FoldCheckOptions no_effort;
  no_effort.effort_max = 40;
  const FoldVerdict open = Checked(once, twice, no_effort);
  EXPECT_EQ(open.kind, FoldVerdictKind::kUndecided);
  EXPECT_TRUE(open.cut_short);
  no_effort.prove = true;
  EXPECT_FALSE(Checked(once, twice, no_effort).cut_short);
}

TEST(FoldDifferentialTest, OtherInterfacesAreNoPair) {
  EXPECT_EQ(TextOf(Checked(Identity("i32[3]"), Identity("i32[4]"))),
            "undecided: the inputs are not of the same number and types");
}

// --- control flow and variables

Graph Branches(const std::string& then_line, const std::string& else_line) {
  return GraphOf(R"(
    block main (%c:bool[1],%x:i32[2],%y:i32[2]) -> (%z)
      %z:i32[2] = COND_IF(%c,%x,%y) then_graph=then else_graph=else
    block then (%x:i32[2],%y:i32[2]) -> (%p)
      %p:i32[2] = )" +
                 then_line + R"(
    block else (%x:i32[2],%y:i32[2]) -> (%q)
      %q:i32[2] = )" +
                 else_line);
}

Graph Selected(const std::string& then_line, const std::string& else_line) {
  return GraphOf("block main (%c:bool[1],%x:i32[2],%y:i32[2]) -> (%z)\n%p:i32[2] = " + then_line +
                 "\n%q:i32[2] = " + else_line + "\n%z:i32[2] = SELECT(%c,%p,%q)");
}

TEST(FoldControlFlowTest, BranchesAreSelections) {
  const std::string x = "IDENTITY(%x)", y = "IDENTITY(%y)", both = "BITWISE_AND(%x,%y)",
                    quotient = "INTDIV(%x,%y)";
  EXPECT_EQ(Checked(Branches(both, y), Selected(both, y), Proving()).argument,
            FoldArgument::kTerms);
  EXPECT_EQ(Checked(Branches(x, y), Selected(x, "BITWISE_OR(%x,%y)"), Proving()).kind,
            FoldVerdictKind::kDifferent);
  // The quotient is computed only if its branch is taken: y = 0 is valid before.
  EXPECT_EQ(Checked(Branches(quotient, y), Selected(quotient, y), Proving()).kind,
            FoldVerdictKind::kDifferent);
  EXPECT_EQ(Checked(Selected(quotient, y), Branches(quotient, y), Proving()).argument,
            FoldArgument::kTerms);
}

// The graph doubles x while i < limit.
Graph Loop(bool limit_is_input) {
  return GraphOf(
      "block main (%x:i32[2],%given:i32[1]) -> (%y)\n"
      "%i:i32[1],%y:i32[2],%last:i32[1] = WHILE_LOOP(i32[1]{0},%x," +
      std::string(limit_is_input ? "%given" : "i32[1]{3}") +
      R"() cond_graph=cond body_graph=body
    block cond (%i:i32[1],%x:i32[2],%limit:i32[1]) -> (%more)
      %more:bool[1] = GREATER(%limit,%i)
    block body (%i:i32[1],%x:i32[2],%limit:i32[1]) -> (%next,%twice,%limit)
      %next:i32[1] = ADD(%i,1)
      %twice:i32[2] = MUL(%x,2,0))");
}

TEST(FoldControlFlowTest, LoopsOfKnownLengthAreUnrolled) {
  const Graph eightfold = GraphOf(R"(
    block main (%x:i32[2],%given:i32[1]) -> (%y)
      %y:i32[2] = MUL(%x,8,0))");
  EXPECT_EQ(Checked(Loop(false), eightfold, Proving()).argument, FoldArgument::kTerms);
  EXPECT_EQ(Checked(Loop(true), eightfold, Proving()).kind, FoldVerdictKind::kDifferent);
  const FoldVerdict same = Checked(Loop(true), Loop(true), Proving());
  EXPECT_EQ(same.kind, FoldVerdictKind::kUndecided);
  EXPECT_NE(same.reason.find("WHILE_LOOP: how often it runs"), std::string::npos) << same.reason;
}

// A counter: y = count ^ x; count = y, or another value.
Graph Counter(const std::string& op, bool reads_back, const std::string& initial = "i8[1]{0}") {
  return GraphOf("block main (%x:i8[1]) -> (" + std::string(reads_back ? "%back" : "%y") + R"()
      VARIABLE() name=count type=i8 var_shape=[1] initial_value=)" +
                 initial + R"(
      %count:i8[1] = VARIABLE_READ() name=count
      %y:i8[1] = )" +
                 op + R"((%count,%x)
      VARIABLE_WRITE(%y) name=count)" +
                 (reads_back ? "\n%back:i8[1] = VARIABLE_READ() name=count" : ""));
}

TEST(FoldControlFlowTest, VariablesHoldAnything) {
  EXPECT_EQ(
      Checked(Counter("BITWISE_XOR", false), Counter("BITWISE_XOR", true), Proving()).argument,
      FoldArgument::kTerms);
  EXPECT_EQ(Checked(Counter("BITWISE_XOR", false), Counter("BITWISE_OR", false), Proving()).kind,
            FoldVerdictKind::kDifferent);
  EXPECT_EQ(
      Checked(Counter("BITWISE_XOR", false), Counter("BITWISE_XOR", false, "i8[1]{1}"), Proving())
          .kind,
      FoldVerdictKind::kDifferent);
}

}  // namespace
}  // namespace assay::testing::equal_graphs_test

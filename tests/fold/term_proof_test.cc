// SPDX-License-Identifier: Apache-2.0
// Tests pairs of graphs that are proved equal for all inputs, or refuted: laws, near laws, and the
// pairs of the generator.
#include <cstdio>
#include <cstdlib>

#include "generator_table.h"
#include "graph_pairs.h"

namespace assay::testing::term_proof_test {
namespace {

// Returns the graph of a side: operators that make %y; "" is x itself.
Graph Written(const std::string& inputs, const std::string& side) {
  return GraphOf("block main (" + inputs + ") -> (" + (side.empty() ? "%x" : "%y") + ")\n" + side);
}

struct Law {
  std::string text;
  std::string inputs;
  std::string before, after;
};

// A law without a reason here has one in integer_terms.cc or float_terms.cc.
const Law kLaws[] = {
    {"x + -0 = x", "%x:fp32[3]", "%y:fp32[3] = ADD(%x,-0)", ""},
    {"x - 0 = x: -0 - 0 = -0", "%x:fp32[3]", "%y:fp32[3] = SUB(%x,0)", ""},
    {"x * -1 = -x", "%x:fp32[3]", "%y:fp32[3] = MUL(%x,-1,0)", "%y:fp32[3] = NEGATE(%x,0,0)"},
    {"x + 0 = x of an x that is no -0: EXP gives none", "%x:fp32[3]",
     "%e:fp32[3] = EXP(%x)\n%y:fp32[3] = ADD(%e,0)", "%y:fp32[3] = EXP(%x)"},
    {"(x * 2) * 4 = x * 8", "%x:fp32[3]", "%a:fp32[3] = MUL(%x,2,0)\n%y:fp32[3] = MUL(%a,4,0)",
     "%y:fp32[3] = MUL(%x,8,0)"},
    {"a clamp of a clamp that replaces NaN", "%x:fp32[3]",
     "%a:fp32[3] = CLAMP(%x) min_val=-1 max_val=4 nan_mode=IGNORE\n"
     "%y:fp32[3] = CLAMP(%a) min_val=0 max_val=9",
     "%y:fp32[3] = CLAMP(%x) min_val=0 max_val=4 nan_mode=IGNORE"},
    {"fp16 added in fp32 and rounded back", "%x:fp16[3],%z:fp16[3]",
     "%a:fp32[3] = CAST(%x)\n%b:fp32[3] = CAST(%z)\n%c:fp32[3] = ADD(%a,%b)\n%y:fp16[3] = CAST(%c)",
     "%y:fp16[3] = ADD(%x,%z)"},
    {"max(x, y) = max(y, x) where no -0 meets 0", "%x:fp32[3],%z:fp32[3]",
     "%a:fp32[3] = ABS(%x)\n%b:fp32[3] = ABS(%z)\n%y:fp32[3] = MAXIMUM(%a,%b)",
     "%a:fp32[3] = ABS(%x)\n%b:fp32[3] = ABS(%z)\n%y:fp32[3] = MAXIMUM(%b,%a)"},
    {"max(max(x, y), z) = max(x, max(y, z))", "%x:fp32[3],%z:fp32[3],%w:fp32[3]",
     "%a:fp32[3] = MAXIMUM(%x,%z)\n%y:fp32[3] = MAXIMUM(%a,%w)",
     "%a:fp32[3] = MAXIMUM(%z,%w)\n%y:fp32[3] = MAXIMUM(%x,%a)"},
    {"x - x = 0", "%x:i32[3]", "%y:i32[3] = SUB(%x,%x)", "%y = i32[3]{0}"},
    {"x * 0 = 0", "%x:i32[3]", "%y:i32[3] = MUL(%x,0,0)", "%y = i32[3]{0}"},
    {"sums of bytes associate in 32 bits", "%x:i8[3],%z:i8[3],%w:i8[3]",
     "%a:i32[3] = CAST(%x)\n%b:i32[3] = CAST(%z)\n%c:i32[3] = CAST(%w)\n"
     "%d:i32[3] = ADD(%a,%b)\n%y:i32[3] = ADD(%d,%c)",
     "%a:i32[3] = CAST(%x)\n%b:i32[3] = CAST(%z)\n%c:i32[3] = CAST(%w)\n"
     "%d:i32[3] = ADD(%b,%c)\n%y:i32[3] = ADD(%a,%d)"},
    {"i8(i32(x)) = x", "%x:i8[3]", "%a:i32[3] = CAST(%x)\n%y:i8[3] = CAST(%a)", ""},
    {"i8(fp32(x)) = x", "%x:i8[3]", "%a:fp32[3] = CAST(%x)\n%y:i8[3] = CAST(%a)", ""},
    {"(x >> 3) >> 4 = x >> 7", "%x:i32[3]",
     "%a:i32[3] = ARITHMETIC_RIGHT_SHIFT(%x,3)\n%y:i32[3] = ARITHMETIC_RIGHT_SHIFT(%a,4)",
     "%y:i32[3] = ARITHMETIC_RIGHT_SHIFT(%x,7)"},
    {"(x * 4 + 2) >> 2 = x", "%x:i32[3]", "%y:i32[3] = MUL(%x,4,2)", ""},
    {"the low 32 bits of a product, of products or not", "%x:i32[3],%z:i32[3],%w:i32[3]",
     "%a:i32[3] = MUL(%x,%z,0)\n%y:i32[3] = MUL(%a,%w,0)",
     "%a:i32[3] = MUL(%w,%z,0)\n%y:i32[3] = MUL(%x,%a,0)"},
    {"~(x & y) = ~x | ~y", "%x:i32[3],%z:i32[3]",
     "%a:i32[3] = BITWISE_AND(%x,%z)\n%y:i32[3] = BITWISE_NOT(%a)",
     "%a:i32[3] = BITWISE_NOT(%x)\n%b:i32[3] = BITWISE_NOT(%z)\n%y:i32[3] = BITWISE_OR(%a,%b)"},
    {"abs(abs(x)) = abs(x)", "%x:i32[3]", "%a:i32[3] = ABS(%x)\n%y:i32[3] = ABS(%a)",
     "%y:i32[3] = ABS(%x)"},
    {"sum over a, then b: bytes in 32 bits", "%x:i8[2,3]",
     "%a:i32[2,3] = CAST(%x)\n%b:i32[1,3] = REDUCE_SUM(%a) axis=0\n"
     "%y:i32[1,1] = REDUCE_SUM(%b) axis=1",
     "%a:i32[2,3] = CAST(%x)\n%b:i32[2,1] = REDUCE_SUM(%a) axis=1\n"
     "%y:i32[1,1] = REDUCE_SUM(%b) axis=0"},
    {"transposes compose", "%x:fp32[2,3,4]",
     "%a:fp32[3,4,2] = TRANSPOSE(%x) perms=[1,2,0]\n%y:fp32[4,2,3] = TRANSPOSE(%a) perms=[1,2,0]",
     "%y:fp32[4,2,3] = TRANSPOSE(%x) perms=[2,0,1]"},
    {"select(not c, x, y) = select(c, y, x)", "%x:bool[3],%z:fp32[3],%w:fp32[3]",
     "%a:bool[3] = LOGICAL_NOT(%x)\n%y:fp32[3] = SELECT(%a,%z,%w)",
     "%y:fp32[3] = SELECT(%x,%w,%z)"},
};

const Law kNearLaws[] = {
    {"x * 0 = 0 but for NaN, infinities and x < 0", "%x:fp32[3]", "%y:fp32[3] = MUL(%x,0,0)",
     "%y = fp32[3]{0}"},
    {"x - x = 0 but for NaN and infinities", "%x:fp32[3]", "%y:fp32[3] = SUB(%x,%x)",
     "%y = fp32[3]{0}"},
    {"x + 0 = x but for -0", "%x:fp32[3]", "%y:fp32[3] = ADD(%x,0)", ""},
    {"a sum starts at 0: of -0 alone it is 0", "%x:fp32[3,1]",
     "%y:fp32[3,1] = REDUCE_SUM(%x) axis=1", ""},
    {"(x + y) + z: 1e8 + 1 - 1e8", "%x:fp32[3],%z:fp32[3],%w:fp32[3]",
     "%a:fp32[3] = ADD(%x,%z)\n%y:fp32[3] = ADD(%a,%w)",
     "%a:fp32[3] = ADD(%z,%w)\n%y:fp32[3] = ADD(%x,%a)"},
    {"(x + y) + z: y + z may leave the range where all sums before stay",
     "%x:i32[3],%z:i32[3],%w:i32[3]", "%a:i32[3] = ADD(%x,%z)\n%y:i32[3] = ADD(%a,%w)",
     "%a:i32[3] = ADD(%z,%w)\n%y:i32[3] = ADD(%x,%a)"},
    {"max(x, y) gives the first of two zeros", "%x:fp32[3],%z:fp32[3]",
     "%y:fp32[3] = MAXIMUM(%x,%z)", "%y:fp32[3] = MAXIMUM(%z,%x)"},
    {"the second clamp replaces NaN by its bound, the merged one by the other", "%x:fp32[3]",
     "%a:fp32[3] = CLAMP(%x) min_val=1 max_val=4\n"
     "%y:fp32[3] = CLAMP(%a) min_val=0 max_val=9 nan_mode=IGNORE",
     "%y:fp32[3] = CLAMP(%x) min_val=1 max_val=4 nan_mode=IGNORE"},
    {"-0 as the lower and 0 as the upper bound", "%x:fp32[3]",
     "%a:fp32[3] = CLAMP(%x) min_val=-4 max_val=0\n%y:fp32[3] = CLAMP(%a) min_val=-0 max_val=9",
     "%y:fp32[3] = CLAMP(%x) min_val=-0 max_val=0"},
    {"the upper bound 0, then the lower bound -0: of x > 0 it is 0", "%x:fp32[3]",
     "%a:fp32[3] = CLAMP(%x) min_val=-4 max_val=0\n%y:fp32[3] = CLAMP(%a) min_val=-0 max_val=9",
     "%y:fp32[3] = CLAMP(%x) min_val=-0 max_val=-0"},
    {"(x * 2) * 0.5 = x but for what overflows", "%x:fp32[3]",
     "%a:fp32[3] = MUL(%x,2,0)\n%y:fp32[3] = MUL(%a,0.5,0)", ""},
    {"fp32(fp16(x)) rounds", "%x:fp32[3]", "%a:fp16[3] = CAST(%x)\n%y:fp32[3] = CAST(%a)", ""},
    {"i32(fp32(x)): 2^24 + 1 is no fp32", "%x:i32[3]",
     "%a:fp32[3] = CAST(%x)\n%y:i32[3] = CAST(%a)", ""},
    {"i32(i8(x)) drops bits", "%x:i32[3]", "%a:i8[3] = CAST(%x)\n%y:i32[3] = CAST(%a)", ""},
    {"-(-x) of bytes: -128 becomes 127", "%x:i8[3]",
     "%a:i8[3] = NEGATE(%x,0,0)\n%y:i8[3] = NEGATE(%a,0,0)", ""},
    {"shifts that round: 2 >> 2 is 1, (2 >> 1) >> 1 is 1, but 1 is 1 and 0", "%x:i32[3]",
     "%a:i32[3] = ARITHMETIC_RIGHT_SHIFT(%x,1) round=true\n"
     "%y:i32[3] = ARITHMETIC_RIGHT_SHIFT(%a,1) round=true",
     "%y:i32[3] = ARITHMETIC_RIGHT_SHIFT(%x,2) round=true"},
    {"a transpose is no reshape", "%x:i32[2,3]", "%y:i32[3,2] = TRANSPOSE(%x) perms=[1,0]",
     "%y:i32[3,2] = RESHAPE(%x,[3,2])"},
    {"(x * 0.5) * 4 = x * 2 but for the least number: half of it is 0", "%x:fp32[3]",
     "%a:fp32[3] = MUL(%x,0.5,0)\n%y:fp32[3] = MUL(%a,4,0)", "%y:fp32[3] = MUL(%x,2,0)"},
    {"max(exp(x), -1) is positive, unless a NaN is ignored", "%x:fp32[3]",
     "%e:fp32[3] = EXP(%x)\n%a:fp32[3] = CLAMP(%e) min_val=-1 max_val=inf nan_mode=IGNORE\n"
     "%y:fp32[3] = ABS(%a)",
     "%e:fp32[3] = EXP(%x)\n%y:fp32[3] = CLAMP(%e) min_val=-1 max_val=inf nan_mode=IGNORE"},
    {"x * c / c: the product wraps", "%x:i32[3]",
     "%a:i32[3] = MUL(%x,3,0)\n%y:i32[3] = INTDIV(%a,3)", ""},
};

TEST(FoldProofTest, LawsHoldForAllInputs) {
  for (const Law& law : kLaws) {
    const FoldVerdict verdict =
        Checked(Written(law.inputs, law.before), Written(law.inputs, law.after), Proving());
    EXPECT_EQ(verdict.kind, FoldVerdictKind::kEqual) << law.text << ": " << TextOf(verdict);
  }
}

TEST(FoldProofTest, NearLawsHaveWitnesses) {
  for (const Law& law : kNearLaws) {
    const FoldVerdict verdict =
        Checked(Written(law.inputs, law.before), Written(law.inputs, law.after), Proving());
    EXPECT_EQ(verdict.kind, FoldVerdictKind::kDifferent) << law.text << ": " << TextOf(verdict);
    // Terms do not make the graphs equal, even if no inputs are tried.
    FoldCheckOptions blind = Proving();
    blind.runs = 0;
    EXPECT_NE(Checked(Written(law.inputs, law.before), Written(law.inputs, law.after), blind).kind,
              FoldVerdictKind::kEqual)
        << law.text;
    // The opposite direction is not proved either.
    const FoldVerdict back =
        Checked(Written(law.inputs, law.after), Written(law.inputs, law.before), Proving());
    EXPECT_NE(back.kind, FoldVerdictKind::kEqual) << law.text << ": " << TextOf(back);
  }
}

// Bounds do not show the signs of zeros, but they show values computed from them.
TEST(FoldProofTest, BoundsDoNotSeeSignsOfZeros) {
  FoldCheckOptions options = Proving();
  options.mode = FoldMode::kBounded;
  const Graph plus_zero = WithConstant("fp32[3]", Op::kAdd, "fp32[1]{0}");
  EXPECT_EQ(CheckFold(plus_zero, Identity("fp32[3]"), options).argument, FoldArgument::kTerms);
  EXPECT_EQ(CheckFold(Identity("fp32[3]"), plus_zero, options).argument, FoldArgument::kTerms);
  const std::string two = "%x:fp32[3],%z:fp32[3]", one = "%x:fp32[3]";
  EXPECT_EQ(CheckFold(Written(two, "%y:fp32[3] = MAXIMUM(%x,%z)"),
                      Written(two, "%y:fp32[3] = MAXIMUM(%z,%x)"), options)
                .argument,
            FoldArgument::kTerms);
  // 1 / -0 is -inf, 1 / (-0 + 0) is inf.
  EXPECT_NE(CheckFold(Written(one, "%y:fp32[3] = RECIPROCAL(%x)"),
                      Written(one, "%a:fp32[3] = ADD(%x,0)\n%y:fp32[3] = RECIPROCAL(%a)"), options)
                .kind,
            FoldVerdictKind::kEqual);
}

// x & 4 > 0 and (x >> 2) & 1 are the same bit. No law says this: enumeration proves it for i16, Z3
// for i32.
TEST(FoldProofTest, ArgumentsBeyondLaws) {
  const Graph masks = Written("%x:i32[3]",
                              "%a:i32[3] = BITWISE_AND(%x,4)\n"
                              "%y:bool[3] = GREATER(%a,0)");
  const Graph shifts = Written("%x:i32[3]",
                               "%a:i32[3] = LOGICAL_RIGHT_SHIFT(%x,2)\n"
                               "%b:i32[3] = BITWISE_AND(%a,1)\n"
                               "%y:bool[3] = EQUAL(%b,1)");
  const FoldVerdict wide = CheckFold(masks, shifts, Proving());
  EXPECT_EQ(wide.argument, FoldArgument::kSolver) << TextOf(wide);
  EXPECT_EQ(wide.elements, 3);
  EXPECT_EQ(wide.classes, 1);
  EXPECT_EQ(wide.questions, 1);
}

// The table x -> -1 - x is applied twice: there are 8 bits to try.
TEST(FoldProofTest, TablesAreTriedOut) {
  std::string reversed = "i8[256]{";
  for (int i = 127; i >= -128; --i) reversed += std::to_string(i) + (i > -128 ? "," : "}");
  const Graph before = Written("%x:i8[3]", "%t = " + reversed + R"(
      %once:i8[3] = TABLE(%x,%t)
      %y:i8[3] = TABLE(%once,%t))");
  EXPECT_EQ(CheckFold(before, Identity("i8[3]"), Proving()).argument, FoldArgument::kEnumeration);
}

// An odd factor has an inverse modulo 2^32, so one x in 2^32 gives the product. No tried input is
// this x, but Z3 finds it.
TEST(FoldProofTest, WitnessesBeyondInputsTried) {
  const Graph before = Written("%x:i32[1]", R"(
      %product:i32[1] = MUL(%x,-1640531535,0)
      %y:bool[1] = EQUAL(%product,123456789))");
  const Graph after = Written("%x:i32[1]", "%y = bool[1]{false}");
  FoldCheckOptions options = Proving();
  options.prove = false;  // a short turn of the solver finds it as well
  EXPECT_EQ(Checked(before, after, options).kind, FoldVerdictKind::kDifferent);
  EXPECT_EQ(Checked(before, after, Proving()).kind, FoldVerdictKind::kDifferent);
}

// There is one class, whatever the number of elements.
TEST(FoldProofTest, ElementsFallIntoClasses) {
  const std::string inputs = "%x:i32[64,64],%z:i32[64,64]";
  const Graph once = Written(inputs, "%y:i32[64,64] = BITWISE_XOR(%x,%z)");
  const Graph twice = Written(inputs, R"(
      %both:i32[64,64] = BITWISE_AND(%x,%z)
      %any:i32[64,64] = BITWISE_OR(%x,%z)
      %none:i32[64,64] = BITWISE_NOT(%both)
      %y:i32[64,64] = BITWISE_AND(%any,%none))");
  const FoldVerdict verdict = CheckFold(once, twice, Proving());
  EXPECT_EQ(verdict.argument, FoldArgument::kSolver) << TextOf(verdict);
  EXPECT_EQ(verdict.elements, 4096);
  EXPECT_EQ(verdict.classes, 1);
}

// The pairs are laws, near laws, and whole graphs with a part that must, or must not, fold back. No
// answer may be wrong, and few may be undecided. FOLD_PAIRS is the number of pairs.
TEST(FoldProofTest, GeneratedPairs) {
  const char* const wish = std::getenv("FOLD_PAIRS");
  const int64_t pairs = wish == nullptr ? 600 : std::atoll(wish);
  const Generator* generator = GeneratorByKind("fold");
  ASSERT_NE(generator, nullptr);
  GeneratorOptions generation;
  generation.level = kLevel8K;
  int64_t all = 0, open = 0;
  for (int64_t i = 0; i < pairs; ++i) {
    const auto vector = generator->make(generation, static_cast<uint64_t>(i));
    if (!vector) continue;
    const FoldPair& pair = vector->fold_pairs.at(0);
    const FoldVerdict verdict =
        Checked(vector->graphs.at(static_cast<size_t>(pair.before)),
                vector->graphs.at(static_cast<size_t>(pair.after)), Proving());
    ++all;
    if (verdict.kind == FoldVerdictKind::kUndecided) {
      ++open;
      if (wish != nullptr) std::printf("%s: %s\n", pair.law.c_str(), TextOf(verdict).c_str());
      continue;
    }
    // A difference has been replayed, so it is real, even for laws that hold on some inputs.
    EXPECT_TRUE(pair.equal || verdict.kind == FoldVerdictKind::kDifferent)
        << vector->name << ", " << pair.law << ": " << TextOf(verdict);
  }
  EXPECT_GE(all, pairs * 9 / 10);
  EXPECT_LE(open * 20, all) << open << " of " << all << " are open";
}

}  // namespace
}  // namespace assay::testing::term_proof_test

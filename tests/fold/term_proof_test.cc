// SPDX-License-Identifier: Apache-2.0
// Tests pairs of graphs that are proved equal for all inputs, or refuted: laws, near laws, and the
// pairs of the generator.
#include <cstdio>
#include <cstdlib>

#include "generator_table.h"
#include "graph_pairs.h"

namespace assay::testing::term_proof_test {
namespace {

using Inputs = std::vector<TensorIndex>;
using Side = TensorIndex (*)(BlockBuilder& b, const Inputs& x);

Graph Written(std::string_view inputs, Side side) {
  BlockBuilder b;
  Inputs x;
  while (!inputs.empty()) {
    const size_t end = std::min(inputs.find(' '), inputs.size());
    x.push_back(b.Input(inputs.substr(0, end)));
    inputs.remove_prefix(std::min(end + 1, inputs.size()));
  }
  return GraphWith(b, {side(b, x)});
}

struct Law {
  std::string_view text;
  std::string_view inputs;
  Side before, after;
};

constexpr std::string_view kF = "fp32[3]", kI = "i32[3]", kByte = "i8[3]";

TensorIndex Add(BlockBuilder& b, TensorIndex x, TensorIndex y, std::string_view type) {
  return b.Add(Op::kAdd, {x, y}, type);
}
TensorIndex Sub(BlockBuilder& b, TensorIndex x, TensorIndex y, std::string_view type) {
  return b.Add(Op::kSub, {x, y}, type);
}
TensorIndex Cast(BlockBuilder& b, TensorIndex x, std::string_view type) {
  return b.Add(Op::kCast, {x}, type);
}
TensorIndex Extreme(BlockBuilder& b, Op op, TensorIndex x, TensorIndex y, std::string_view type) {
  return b.Add(op, {x, y}, type,
               {{AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
}
TensorIndex Clamp(BlockBuilder& b, TensorIndex x, std::string_view low, std::string_view high,
                  NanMode mode, std::string_view type = kF) {
  return b.Add(Op::kClamp, {x}, type,
               {{AttributeId::kMinVal, TensorOf(low)},
                {AttributeId::kMaxVal, TensorOf(high)},
                {AttributeId::kNanMode, static_cast<int32_t>(mode)}});
}
TensorIndex Negate(BlockBuilder& b, TensorIndex x, std::string_view type, std::string_view zero) {
  return b.Add(Op::kNegate, {x, b.Constant(zero), b.Constant(zero)}, type);
}
TensorIndex ShiftRight(BlockBuilder& b, TensorIndex x, std::string_view by, bool round) {
  return b.Add(Op::kArithmeticRightShift, {x, b.Constant(by)}, kI, {{AttributeId::kRound, round}});
}
TensorIndex Transpose(BlockBuilder& b, TensorIndex x, std::vector<int32_t> perms,
                      std::string_view type) {
  return b.Add(Op::kTranspose, {x}, type, {{AttributeId::kPerms, std::move(perms)}});
}
TensorIndex Sum(BlockBuilder& b, TensorIndex x, int32_t axis, std::string_view type) {
  return b.Add(Op::kReduceSum, {x}, type, {{AttributeId::kAxis, axis}});
}

constexpr auto kPropagate = NanMode::kPropagate;
constexpr auto kIgnore = NanMode::kIgnore;

TensorIndex Same(BlockBuilder&, const Inputs& x) { return x[0]; }

// A law without a reason here has one in integer_terms.cc or float_terms.cc.
constexpr Law kLaws[] = {
    {"x + -0 = x", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Add(b, x[0], b.Constant("fp32[1]{-0}"), kF); },
     Same},
    {"x - 0 = x: -0 - 0 = -0", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Sub(b, x[0], b.Constant("fp32[1]{0}"), kF); },
     Same},
    {"x * -1 = -x", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Mul(b, x[0], b.Constant("fp32[1]{-1}"), kF); },
     [](BlockBuilder& b, const Inputs& x) { return Negate(b, x[0], kF, "fp32[1]{0}"); }},
    {"x + 0 = x of an x that is no -0: EXP gives none", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Add(b, b.Add(Op::kExp, {x[0]}, kF), b.Constant("fp32[1]{0}"), kF);
     },
     [](BlockBuilder& b, const Inputs& x) { return b.Add(Op::kExp, {x[0]}, kF); }},
    {"(x * 2) * 4 = x * 8", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Mul(b, Mul(b, x[0], b.Constant("fp32[1]{2}"), kF), b.Constant("fp32[1]{4}"), kF);
     },
     [](BlockBuilder& b, const Inputs& x) { return Mul(b, x[0], b.Constant("fp32[1]{8}"), kF); }},
    {"a clamp of a clamp that replaces NaN", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, Clamp(b, x[0], "fp32[]{-1}", "fp32[]{4}", kIgnore), "fp32[]{0}", "fp32[]{9}",
                    kPropagate);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, x[0], "fp32[]{0}", "fp32[]{4}", kIgnore);
     }},
    {"fp16 added in fp32 and rounded back", "fp16[3] fp16[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Cast(b, Add(b, Cast(b, x[0], kF), Cast(b, x[1], kF), kF), "fp16[3]");
     },
     [](BlockBuilder& b, const Inputs& x) { return Add(b, x[0], x[1], "fp16[3]"); }},
    {"max(x, y) = max(y, x) where no -0 meets 0", "fp32[3] fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Extreme(b, Op::kMaximum, b.Add(Op::kAbs, {x[0]}, kF), b.Add(Op::kAbs, {x[1]}, kF),
                      kF);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Extreme(b, Op::kMaximum, b.Add(Op::kAbs, {x[1]}, kF), b.Add(Op::kAbs, {x[0]}, kF),
                      kF);
     }},
    {"max(max(x, y), z) = max(x, max(y, z))", "fp32[3] fp32[3] fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Extreme(b, Op::kMaximum, Extreme(b, Op::kMaximum, x[0], x[1], kF), x[2], kF);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Extreme(b, Op::kMaximum, x[0], Extreme(b, Op::kMaximum, x[1], x[2], kF), kF);
     }},
    {"x - x = 0", "i32[3]", [](BlockBuilder& b, const Inputs& x) { return Sub(b, x[0], x[0], kI); },
     [](BlockBuilder& b, const Inputs&) { return b.Constant("i32[3]{0,0,0}"); }},
    {"x * 0 = 0", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Mul(b, x[0], b.Constant("i32[1]{0}"), kI); },
     [](BlockBuilder& b, const Inputs&) { return b.Constant("i32[3]{0,0,0}"); }},
    {"sums of bytes associate in 32 bits", "i8[3] i8[3] i8[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Add(b, Add(b, Cast(b, x[0], kI), Cast(b, x[1], kI), kI), Cast(b, x[2], kI), kI);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Add(b, Cast(b, x[0], kI), Add(b, Cast(b, x[1], kI), Cast(b, x[2], kI), kI), kI);
     }},
    {"i8(i32(x)) = x", "i8[3]",
     [](BlockBuilder& b, const Inputs& x) { return Cast(b, Cast(b, x[0], kI), kByte); }, Same},
    {"i8(fp32(x)) = x", "i8[3]",
     [](BlockBuilder& b, const Inputs& x) { return Cast(b, Cast(b, x[0], kF), kByte); }, Same},
    {"(x >> 3) >> 4 = x >> 7", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return ShiftRight(b, ShiftRight(b, x[0], "i32[1]{3}", false), "i32[1]{4}", false);
     },
     [](BlockBuilder& b, const Inputs& x) { return ShiftRight(b, x[0], "i32[1]{7}", false); }},
    {"(x * 4 + 2) >> 2 = x", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Mul(b, x[0], b.Constant("i32[1]{4}"), kI, "i8[1]{2}");
     },
     Same},
    {"the low 32 bits of a product, of products or not", "i32[3] i32[3] i32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Mul(b, Mul(b, x[0], x[1], kI), x[2], kI); },
     [](BlockBuilder& b, const Inputs& x) { return Mul(b, x[0], Mul(b, x[2], x[1], kI), kI); }},
    {"~(x & y) = ~x | ~y", "i32[3] i32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return b.Add(Op::kBitwiseNot, {b.Add(Op::kBitwiseAnd, {x[0], x[1]}, kI)}, kI);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return b.Add(Op::kBitwiseOr,
                    {b.Add(Op::kBitwiseNot, {x[0]}, kI), b.Add(Op::kBitwiseNot, {x[1]}, kI)}, kI);
     }},
    {"abs(abs(x)) = abs(x)", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return b.Add(Op::kAbs, {b.Add(Op::kAbs, {x[0]}, kI)}, kI);
     },
     [](BlockBuilder& b, const Inputs& x) { return b.Add(Op::kAbs, {x[0]}, kI); }},
    {"sum over a, then b: bytes in 32 bits", "i8[2,3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Sum(b, Sum(b, Cast(b, x[0], "i32[2,3]"), 0, "i32[1,3]"), 1, "i32[1,1]");
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Sum(b, Sum(b, Cast(b, x[0], "i32[2,3]"), 1, "i32[2,1]"), 0, "i32[1,1]");
     }},
    {"transposes compose", "fp32[2,3,4]",
     [](BlockBuilder& b, const Inputs& x) {
       return Transpose(b, Transpose(b, x[0], {1, 2, 0}, "fp32[3,4,2]"), {1, 2, 0}, "fp32[4,2,3]");
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Transpose(b, x[0], {2, 0, 1}, "fp32[4,2,3]");
     }},
    {"select(not c, x, y) = select(c, y, x)", "bool[3] fp32[3] fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return b.Add(Op::kSelect, {b.Add(Op::kLogicalNot, {x[0]}, "bool[3]"), x[1], x[2]}, kF);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return b.Add(Op::kSelect, {x[0], x[2], x[1]}, kF);
     }},
};

constexpr Law kNearLaws[] = {
    {"x * 0 = 0 but for NaN, infinities and x < 0", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Mul(b, x[0], b.Constant("fp32[1]{0}"), kF); },
     [](BlockBuilder& b, const Inputs&) { return b.Constant("fp32[3]{0,0,0}"); }},
    {"x - x = 0 but for NaN and infinities", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Sub(b, x[0], x[0], kF); },
     [](BlockBuilder& b, const Inputs&) { return b.Constant("fp32[3]{0,0,0}"); }},
    {"x + 0 = x but for -0", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Add(b, x[0], b.Constant("fp32[1]{0}"), kF); },
     Same},
    {"a sum starts at 0: of -0 alone it is 0", "fp32[3,1]",
     [](BlockBuilder& b, const Inputs& x) { return Sum(b, x[0], 1, "fp32[3,1]"); }, Same},
    {"(x + y) + z: 1e8 + 1 - 1e8", "fp32[3] fp32[3] fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Add(b, Add(b, x[0], x[1], kF), x[2], kF); },
     [](BlockBuilder& b, const Inputs& x) { return Add(b, x[0], Add(b, x[1], x[2], kF), kF); }},
    {"(x + y) + z: y + z may leave the range where all sums before stay", "i32[3] i32[3] i32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Add(b, Add(b, x[0], x[1], kI), x[2], kI); },
     [](BlockBuilder& b, const Inputs& x) { return Add(b, x[0], Add(b, x[1], x[2], kI), kI); }},
    {"max(x, y) gives the first of two zeros", "fp32[3] fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Extreme(b, Op::kMaximum, x[0], x[1], kF); },
     [](BlockBuilder& b, const Inputs& x) { return Extreme(b, Op::kMaximum, x[1], x[0], kF); }},
    {"the second clamp replaces NaN by its bound, the merged one by the other", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, Clamp(b, x[0], "fp32[]{1}", "fp32[]{4}", kPropagate), "fp32[]{0}",
                    "fp32[]{9}", kIgnore);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, x[0], "fp32[]{1}", "fp32[]{4}", kIgnore);
     }},
    {"-0 as the lower and 0 as the upper bound", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, Clamp(b, x[0], "fp32[]{-4}", "fp32[]{0}", kPropagate), "fp32[]{-0}",
                    "fp32[]{9}", kPropagate);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, x[0], "fp32[]{-0}", "fp32[]{0}", kPropagate);
     }},
    {"the upper bound 0, then the lower bound -0: of x > 0 it is 0", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, Clamp(b, x[0], "fp32[]{-4}", "fp32[]{0}", kPropagate), "fp32[]{-0}",
                    "fp32[]{9}", kPropagate);
     },
     [](BlockBuilder& b, const Inputs& x) {
       return Clamp(b, x[0], "fp32[]{-0}", "fp32[]{-0}", kPropagate);
     }},
    {"(x * 2) * 0.5 = x but for what overflows", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Mul(b, Mul(b, x[0], b.Constant("fp32[1]{2}"), kF), b.Constant("fp32[1]{0.5}"), kF);
     },
     Same},
    {"fp32(fp16(x)) rounds", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Cast(b, Cast(b, x[0], "fp16[3]"), kF); }, Same},
    {"i32(fp32(x)): 2^24 + 1 is no fp32", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Cast(b, Cast(b, x[0], kF), kI); }, Same},
    {"i32(i8(x)) drops bits", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) { return Cast(b, Cast(b, x[0], kByte), kI); }, Same},
    {"-(-x) of bytes: -128 becomes 127", "i8[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Negate(b, Negate(b, x[0], kByte, "i8[1]{0}"), kByte, "i8[1]{0}");
     },
     Same},
    {"shifts that round: 2 >> 2 is 1, (2 >> 1) >> 1 is 1, but 1 is 1 and 0", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return ShiftRight(b, ShiftRight(b, x[0], "i32[1]{1}", true), "i32[1]{1}", true);
     },
     [](BlockBuilder& b, const Inputs& x) { return ShiftRight(b, x[0], "i32[1]{2}", true); }},
    {"a transpose is no reshape", "i32[2,3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Transpose(b, x[0], {1, 0}, "i32[3,2]");
     },
     [](BlockBuilder& b, const Inputs& x) {
       return b.Add(Op::kReshape, {x[0], b.Constant("shape[2]{3,2}")}, "i32[3,2]");
     }},
    {"(x * 0.5) * 4 = x * 2 but for the least number: half of it is 0", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return Mul(b, Mul(b, x[0], b.Constant("fp32[1]{0.5}"), kF), b.Constant("fp32[1]{4}"), kF);
     },
     [](BlockBuilder& b, const Inputs& x) { return Mul(b, x[0], b.Constant("fp32[1]{2}"), kF); }},
    {"max(exp(x), -1) is positive, unless a NaN is ignored", "fp32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       const TensorIndex e = b.Add(Op::kExp, {x[0]}, kF);
       return b.Add(Op::kAbs, {Clamp(b, e, "fp32[]{-1}", "fp32[]{inf}", kIgnore)}, kF);
     },
     [](BlockBuilder& b, const Inputs& x) {
       const TensorIndex e = b.Add(Op::kExp, {x[0]}, kF);
       return Clamp(b, e, "fp32[]{-1}", "fp32[]{inf}", kIgnore);
     }},
    {"x * c / c: the product wraps", "i32[3]",
     [](BlockBuilder& b, const Inputs& x) {
       return b.Add(Op::kIntdiv,
                    {Mul(b, x[0], b.Constant("i32[1]{3}"), kI), b.Constant("i32[1]{3}")}, kI);
     },
     Same},
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
  const Side max = [](BlockBuilder& b, const Inputs& x) {
    return Extreme(b, Op::kMaximum, x[0], x[1], kF);
  };
  const Side other_max = [](BlockBuilder& b, const Inputs& x) {
    return Extreme(b, Op::kMaximum, x[1], x[0], kF);
  };
  EXPECT_EQ(
      CheckFold(Written("fp32[3] fp32[3]", max), Written("fp32[3] fp32[3]", other_max), options)
          .argument,
      FoldArgument::kTerms);
  // 1 / -0 is -inf, 1 / (-0 + 0) is inf.
  const Side reciprocal = [](BlockBuilder& b, const Inputs& x) {
    return b.Add(Op::kReciprocal, {x[0]}, kF);
  };
  const Side of_sum = [](BlockBuilder& b, const Inputs& x) {
    return b.Add(Op::kReciprocal, {Add(b, x[0], b.Constant("fp32[1]{0}"), kF)}, kF);
  };
  EXPECT_NE(CheckFold(Written("fp32[3]", reciprocal), Written("fp32[3]", of_sum), options).kind,
            FoldVerdictKind::kEqual);
}

// x & 4 > 0 and (x >> 2) & 1 are the same bit. No law says this: enumeration proves it for i16, Z3
// for i32.
TEST(FoldProofTest, ArgumentsBeyondLaws) {
  const auto graph = [](std::string type, bool shifts) {
    BlockBuilder b;
    const TensorIndex x = b.Input(type + "[3]");
    const std::string shape = type + "[3]";
    if (!shifts) {
      const TensorIndex masked = b.Add(Op::kBitwiseAnd, {x, b.Constant(type + "[1]{4}")}, shape);
      return GraphWith(b, {b.Add(Op::kGreater, {masked, b.Constant(type + "[1]{0}")}, "bool[3]")});
    }
    const TensorIndex shifted =
        b.Add(Op::kLogicalRightShift, {x, b.Constant(type + "[1]{2}")}, shape);
    const TensorIndex bit = b.Add(Op::kBitwiseAnd, {shifted, b.Constant(type + "[1]{1}")}, shape);
    return GraphWith(b, {b.Add(Op::kEqual, {bit, b.Constant(type + "[1]{1}")}, "bool[3]")});
  };
  const FoldVerdict wide = CheckFold(graph("i32", false), graph("i32", true), Proving());
  EXPECT_EQ(wide.argument, FoldArgument::kSolver) << TextOf(wide);
  EXPECT_EQ(wide.elements, 3);
  EXPECT_EQ(wide.classes, 1);
  EXPECT_EQ(wide.questions, 1);
}

// The table x -> -1 - x is applied twice: there are 8 bits to try.
TEST(FoldProofTest, TablesAreTriedOut) {
  std::string reversed = "i8[256]{";
  for (int i = 127; i >= -128; --i) reversed += std::to_string(i) + (i > -128 ? "," : "}");
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[3]");
  const TensorIndex once = b.Add(Op::kTable, {x, b.Constant(reversed)}, "i8[3]");
  const Graph before = GraphWith(b, {b.Add(Op::kTable, {once, b.Constant(reversed)}, "i8[3]")});
  EXPECT_EQ(CheckFold(before, Identity("i8[3]"), Proving()).argument, FoldArgument::kEnumeration);
}

// An odd factor has an inverse modulo 2^32, so one x in 2^32 gives the product. No tried input is
// this x, but Z3 finds it.
TEST(FoldProofTest, WitnessesBeyondInputsTried) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[1]");
  const TensorIndex product = Mul(b, x, b.Constant("i32[1]{-1640531535}"), "i32[1]");
  const TensorIndex found =
      b.Add(Op::kEqual, {product, b.Constant("i32[1]{123456789}")}, "bool[1]");
  const Graph before = GraphWith(b, {found});
  BlockBuilder c;
  c.Input("i32[1]");
  const Graph after = GraphWith(c, {c.Constant("bool[1]{false}")});
  FoldCheckOptions options = Proving();
  options.prove = false;  // a short turn of the solver finds it as well
  EXPECT_EQ(Checked(before, after, options).kind, FoldVerdictKind::kDifferent);
  EXPECT_EQ(Checked(before, after, Proving()).kind, FoldVerdictKind::kDifferent);
}

// There is one class, whatever the number of elements.
TEST(FoldProofTest, ElementsFallIntoClasses) {
  const auto graph = [](bool twice) {
    BlockBuilder b;
    const TensorIndex x = b.Input("i32[64,64]"), y = b.Input("i32[64,64]");
    const TensorIndex z = b.Add(Op::kBitwiseXor, {x, y}, "i32[64,64]");
    if (!twice) return GraphWith(b, {z});
    const TensorIndex both = b.Add(Op::kBitwiseAnd, {x, y}, "i32[64,64]");
    const TensorIndex any = b.Add(Op::kBitwiseOr, {x, y}, "i32[64,64]");
    const TensorIndex none = b.Add(Op::kBitwiseNot, {both}, "i32[64,64]");
    return GraphWith(b, {b.Add(Op::kBitwiseAnd, {any, none}, "i32[64,64]")});
  };
  const FoldVerdict verdict = CheckFold(graph(false), graph(true), Proving());
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

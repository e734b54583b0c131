// SPDX-License-Identifier: Apache-2.0
// Compares what coverage counts of floating point with counts made by hand.
#include <gtest/gtest.h>

#include "block_builder.h"
#include "coverage.h"
#include "float_flow.h"
#include "float_idioms.h"
#include "generator_table.h"
#include "idiom_pattern.h"
#include "inexact_operators.h"

namespace assay::float_coverage_test {
namespace {

TestVector VectorOf(const BlockBuilder& b, const std::vector<std::string_view>& inputs) {
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  Step step;
  for (const std::string_view input : inputs) step.inputs.push_back(TensorOf(input));
  vector.steps.push_back(std::move(step));
  return vector;
}

CoverageGroup GroupOf(Coverage& coverage, std::string_view name) {
  for (const CoverageGroup& group : coverage.Table()) {
    if (group.name == name) return group;
  }
  ADD_FAILURE() << "no group " << name;
  return {};
}

// Returns "2: 1, 4-7: 1".
std::string CountsOf(Coverage& coverage, std::string_view name) {
  std::string text;
  for (const ItemCount& entry : GroupOf(coverage, name).counts) {
    text += (text.empty() ? "" : ", ") + entry.item + ": " + std::to_string(entry.count);
  }
  return text;
}

bool Reaches(Coverage& coverage, std::string_view group, std::string_view item) {
  const CoverageGroup counted = GroupOf(coverage, group);
  return std::ranges::find(counted.missed, item) == counted.missed.end();
}

const Attributes kClampToOne = {{AttributeId::kMinVal, TensorOf("fp32[]{-1}")},
                                {AttributeId::kMaxVal, TensorOf("fp32[]{1}")},
                                {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}};

TEST(FloatCoverage, KnowsInexactOperators) {
  const std::vector<std::string> pairs = AllInexactPairs();
  const auto has = [&](std::string_view pair) {
    return std::ranges::find(pairs, pair) != pairs.end();
  };
  EXPECT_TRUE(has("MATMUL -> TANH fp16"));
  EXPECT_TRUE(has("CONV2D -> CONV2D bf16"));
  EXPECT_TRUE(has("TANH -> CAST fp32"));
  EXPECT_TRUE(has("CAST -> ADD fp16"));
  EXPECT_FALSE(has("ABS -> TANH fp32"));       // exact
  EXPECT_FALSE(has("MATMUL -> CONV2D fp32"));  // ranks 3 and 4
  EXPECT_FALSE(has("MATMUL -> CLAMP fp32"));
  EXPECT_FALSE(has("CAST -> CAST i32"));
}

// x + x, |.|, tanh: depth 2. CAST of fp16 to fp32 and CLAMP add nothing. An integer counts nowhere.
TEST(FloatCoverage, CountsTheInexactOperatorsOfTheLongestChain) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp16[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, x}, "fp16[2]");
  const TensorIndex size = b.Add(Op::kAbs, {sum}, "fp16[2]");
  const TensorIndex tanh = b.Add(Op::kTanh, {size}, "fp16[2]");
  const TensorIndex wide = b.Add(Op::kCast, {tanh}, "fp32[2]");
  const TensorIndex clamped = b.Add(Op::kClamp, {wide}, "fp32[2]", kClampToOne);
  const TensorIndex sine = b.Add(Op::kSin, {tanh}, "fp16[2]");
  const TensorIndex last = b.Add(Op::kCos, {sine}, "fp16[2]");
  b.Outputs({clamped, last, b.Add(Op::kCast, {x}, "i32[2]"), x});
  Coverage coverage;
  coverage.Add(VectorOf(b, {"fp16[2]{0.5,-0.25}"}));
  EXPECT_EQ(CountsOf(coverage, "float_depths"), "2: 1, 4-7: 1");
  EXPECT_EQ(GroupOf(coverage, "float_depths").reached, 2);
  EXPECT_EQ(GroupOf(coverage, "float_pairs").reached, 2);
  EXPECT_TRUE(Reaches(coverage, "float_pairs", "TANH -> SIN fp16"));
  EXPECT_TRUE(Reaches(coverage, "float_pairs", "SIN -> COS fp16"));
  EXPECT_FALSE(Reaches(coverage, "float_pairs", "ADD -> TANH fp16"));
  EXPECT_TRUE(coverage.unlisted().empty());
}

TEST(FloatCoverage, HasClassesOfDepths) {
  EXPECT_EQ(DepthClassOf(1), "1");
  EXPECT_EQ(DepthClassOf(3), "3");
  EXPECT_EQ(DepthClassOf(4), "4-7");
  EXPECT_EQ(DepthClassOf(7), "4-7");
  EXPECT_EQ(DepthClassOf(8), "8-15");
  EXPECT_EQ(DepthClassOf(15), "8-15");
  EXPECT_EQ(DepthClassOf(16), "16+");
  EXPECT_EQ(DepthClassOf(100), "16+");
}

// Returns "informative of all" for one operator on one input, and a constant if there is one.
std::string InformativeOf(Op op, std::string_view input, const Attributes& attributes = {},
                          std::string_view constant = "") {
  BlockBuilder b;
  const Tensor value = TensorOf(input);
  const std::string type = value.tensor_type().ToString();
  std::vector<TensorIndex> operands = {b.Input(type)};
  if (!constant.empty()) operands.push_back(b.Constant(constant));
  if (op == Op::kMul) operands.push_back(b.Constant("i8[1]{0}"));
  b.Outputs({b.Add(op, operands, type, attributes)});
  Coverage coverage;
  coverage.Add(VectorOf(b, {input}));
  const CoverageGroup group = GroupOf(coverage, "informative_elements");
  return std::to_string(group.reached) + " of " + std::to_string(group.total);
}

TEST(FloatCoverage, CountsElementsThatChangeWithAnOperand) {
  const Attributes ignore = {{AttributeId::kNanMode, static_cast<int32_t>(NanMode::kIgnore)}};
  EXPECT_EQ(InformativeOf(Op::kClamp, "fp32[4]{0.5,-0.25,3,-8}", kClampToOne), "2 of 4");
  EXPECT_EQ(InformativeOf(Op::kTanh, "fp32[4]{0.5,-2,30,-30}"), "2 of 4");
  EXPECT_EQ(InformativeOf(Op::kSigmoid, "fp32[3]{0.5,-3,40}"), "2 of 3");
  EXPECT_EQ(InformativeOf(Op::kErf, "fp32[3]{0.5,-1,9}"), "2 of 3");
  EXPECT_EQ(InformativeOf(Op::kExp, "fp32[3]{0.5,200,nan}"), "1 of 3");
  EXPECT_EQ(InformativeOf(Op::kMaximum, "fp32[4]{0.5,-2,3,-3}", ignore, "fp32[4]{0,0,0,0}"),
            "2 of 4");
  EXPECT_EQ(InformativeOf(Op::kMul, "fp32[3]{0.5,0,3}", {}, "fp32[3]{2,2,0}"), "1 of 3");
  EXPECT_EQ(InformativeOf(Op::kAdd, "fp32[3]{0.5,0,3}", {}, "fp32[3]{2,2,0}"), "2 of 3");
  EXPECT_EQ(InformativeOf(Op::kFloor, "fp32[3]{0.5,0,inf}"), "1 of 3");
  // Data movement is not counted.
  EXPECT_EQ(InformativeOf(Op::kReverse, "fp32[2]{1,2}", {{AttributeId::kAxis, 0}}), "0 of 0");
}

// x - x is 0 whatever x is; a sum of zeros depends on nothing; constants do not vary.
TEST(FloatCoverage, TakesBothReadingsOfATensorForOne) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2,2]");
  const TensorIndex none = b.Add(Op::kSub, {x, x}, "fp32[2,2]");
  const TensorIndex sum = b.Add(Op::kReduceSum, {x}, "fp32[2,1]", {{AttributeId::kAxis, 1}});
  const TensorIndex c = b.Constant("fp32[2]{1,2}");
  b.Outputs({none, sum, b.Add(Op::kTanh, {c}, "fp32[2]")});
  Coverage coverage;
  coverage.Add(VectorOf(b, {"fp32[2,2]{1,2,0,0}"}));
  EXPECT_EQ(GroupOf(coverage, "informative_elements").reached, 1);
  EXPECT_EQ(GroupOf(coverage, "informative_elements").total, 6);
  EXPECT_EQ(CountsOf(coverage, "informative_elements"), "SUB: 4, REDUCE_SUM: 1");
}

// ---- Idioms

class Expressions {
 public:
  TensorIndex Given(std::string_view type = "fp32[2,3]") { return b.Input(type); }
  TensorIndex Of(Op op, std::vector<TensorIndex> inputs) {
    return b.Add(op, std::move(inputs), "fp32[2,3]");
  }
  // Returns true if the idiom is found at a tensor.
  bool Is(std::string_view idiom, TensorIndex result) {
    const Graph graph = GraphOf({b.block});
    const Block& main = *graph.Main();
    for (const auto& [op, names] : FloatIdiomsOf(graph)) {
      if (op == main.ProducerOf(result) && std::ranges::find(names, idiom) != names.end()) {
        return true;
      }
    }
    return false;
  }
  TensorIndex Softmax(TensorIndex x, TensorIndex of_maximum) {
    const TensorIndex power = Of(Op::kExp, {Of(Op::kSub, {x, Of(Op::kReduceMax, {of_maximum})})});
    return Of(Op::kMul, {Of(Op::kReciprocal, {Of(Op::kReduceSum, {power})}), power});
  }

  BlockBuilder b;
};

TEST(FloatIdioms, AreFoundInEitherOrderAndBehindCopies) {
  Expressions e;
  const TensorIndex x = e.Given(), y = e.Given();
  EXPECT_TRUE(e.Is("softmax", e.Softmax(x, x)));
  EXPECT_FALSE(e.Is("softmax", e.Softmax(x, y)));
  const TensorIndex dot = e.Of(Op::kMatmul, {x, y});
  const TensorIndex copy = e.Of(Op::kReshape, {dot});
  EXPECT_TRUE(e.Is("dot product, activation", e.Of(Op::kTanh, {copy})));
  EXPECT_FALSE(e.Is("dot product, activation", e.Of(Op::kTanh, {x})));
  const TensorIndex biased = e.Of(Op::kAdd, {y, copy});
  EXPECT_TRUE(e.Is("dot product, bias, activation", e.Of(Op::kClamp, {biased})));
  EXPECT_FALSE(e.Is("dot product, activation", e.Of(Op::kClamp, {biased})));
}

TEST(FloatIdioms, AreGroupsThatNetworksConsistOf) {
  Expressions e;
  const TensorIndex x = e.Given(), k = e.Given();
  const auto mul = [&](TensorIndex a, TensorIndex b) { return e.Of(Op::kMul, {a, b}); };
  const auto add = [&](TensorIndex a, TensorIndex b) { return e.Of(Op::kAdd, {a, b}); };
  const TensorIndex erf = add(e.Of(Op::kErf, {mul(x, k)}), k);
  EXPECT_TRUE(e.Is("GELU by ERF", mul(mul(k, x), erf)));
  EXPECT_FALSE(e.Is("GELU by ERF", mul(mul(k, erf), erf)));
  const TensorIndex cubic = mul(add(mul(k, mul(x, mul(x, x))), x), k);
  EXPECT_TRUE(e.Is("GELU by TANH", mul(mul(x, k), add(e.Of(Op::kTanh, {cubic}), k))));
  const TensorIndex centered = e.Of(Op::kSub, {x, mul(e.Of(Op::kReduceSum, {x}), k)});
  const TensorIndex variance = mul(e.Of(Op::kReduceSum, {mul(centered, centered)}), k);
  const TensorIndex rsqrt = e.Of(Op::kRsqrt, {add(variance, k)});
  EXPECT_TRUE(e.Is("layer normalization", mul(centered, rsqrt)));
  EXPECT_FALSE(e.Is("layer normalization", mul(x, rsqrt)));
  EXPECT_TRUE(e.Is("batch normalization", add(mul(e.Of(Op::kSub, {x, k}), k), k)));
  const TensorIndex scores = mul(e.Of(Op::kMatmul, {x, k}), k);
  EXPECT_TRUE(e.Is("attention head", e.Of(Op::kMatmul, {e.Softmax(scores, scores), k})));
  EXPECT_FALSE(e.Is("attention head", e.Of(Op::kMatmul, {e.Softmax(x, x), k})));
  EXPECT_TRUE(e.Is("gated unit", mul(x, e.Of(Op::kSigmoid, {k}))));
  const TensorIndex excited =
      e.Of(Op::kMatmul, {e.Of(Op::kClamp, {e.Of(Op::kMatmul, {e.Of(Op::kReduceSum, {x}), k})}), k});
  EXPECT_TRUE(e.Is("squeeze-and-excite", mul(x, e.Of(Op::kSigmoid, {excited}))));
  EXPECT_FALSE(e.Is("squeeze-and-excite", mul(k, e.Of(Op::kSigmoid, {excited}))));
  EXPECT_TRUE(e.Is("residual", add(x, e.Of(Op::kClamp, {mul(x, k)}))));
  EXPECT_FALSE(e.Is("residual", add(k, e.Of(Op::kClamp, {mul(x, x)}))));
}

TEST(FloatIdioms, LookAtKernelsAndTypes) {
  Expressions e;
  const TensorIndex x = e.Given("fp32[1,4,4,2]");
  const TensorIndex one = e.Given("fp32[3,1,1,2]"), three = e.Given("fp32[3,3,3,2]");
  const TensorIndex depthwise = e.Of(Op::kDepthwiseConv2d, {x, three, x});
  const TensorIndex clamped = e.Of(Op::kClamp, {depthwise});
  EXPECT_TRUE(e.Is("depthwise separable block", e.Of(Op::kConv2d, {clamped, one, x})));
  EXPECT_FALSE(e.Is("depthwise separable block", e.Of(Op::kConv2d, {clamped, three, x})));
  const TensorIndex i = e.b.Input("i8[2,3]");
  const TensorIndex real = e.Of(Op::kMul, {e.Of(Op::kCast, {i}), x});
  EXPECT_TRUE(e.Is("dequantize, float, quantize", e.b.Add(Op::kCast, {real}, "i8[2,3]")));
  EXPECT_FALSE(e.Is("dequantize, float, quantize", e.b.Add(Op::kCast, {x}, "i8[2,3]")));
  // Quantized dot products are no floats.
  const TensorIndex integers = e.b.Add(Op::kMatmul, {i, i}, "i32[2,3]");
  EXPECT_FALSE(e.Is("dot product, activation", e.b.Add(Op::kClamp, {integers}, "i32[2,3]")));
}

TEST(FloatIdioms, OfACycleEnd) {
  Expressions e;
  const TensorIndex x = e.Given();
  const TensorIndex copy = e.Of(Op::kReshape, {x});
  const TensorIndex sum = e.Of(Op::kAdd, {copy, x});
  e.b.block.operators[0].inputs = {copy};
  EXPECT_FALSE(e.Is("residual", sum));
}

// The goals of kind `graph`: each idiom, and each class of depths.
TEST(FloatCoverage, OfGraphsIsCompleteInIdiomsAndDepths) {
  GeneratorOptions options;
  options.seed = 1;
  options.level = kLevel8K;
  Coverage coverage;
  for (uint64_t i = 0; i < 600; ++i) {
    const auto vector = GeneratorByKind("graph")->make(options, i);
    if (vector) coverage.Add(*vector);
  }
  for (const char* group : {"float_idioms", "float_depths"}) {
    for (const std::string& item : GroupOf(coverage, group).missed) ADD_FAILURE() << item;
  }
  for (const std::string& item : coverage.unlisted()) ADD_FAILURE() << item;
  const CoverageGroup informative = GroupOf(coverage, "informative_elements");
  EXPECT_GT(informative.reached, informative.total * 3 / 4);
  EXPECT_GT(GroupOf(coverage, "float_pairs").reached, 500);
}

}  // namespace
}  // namespace assay::float_coverage_test

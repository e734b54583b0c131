// SPDX-License-Identifier: Apache-2.0
// Compares the bounds that operators get from the dot product rule (KS, accumulator, local_bound,
// padding) with errors worked by hand from "Dot product accuracy requirements".

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "fourier_in_fp32.h"
#include "mutants.h"
#include "random.h"
#include "run_operator.h"
#include "value_parser.h"

namespace assay::dot_operators_test {
namespace {

BoundTensor Given(std::string_view text) {
  const Result<Tensor> tensor = ParseTensor(text);
  Check(static_cast<bool>(tensor), "the test's tensor is readable");
  return ToFlight<BoundDomain>(*tensor);
}

// Returns the elements of the outputs, which are declared as `outputs`.
std::vector<std::vector<Bounded>> AllOutputs(Op op, Attributes attributes,
                                             std::initializer_list<std::string_view> inputs,
                                             std::initializer_list<std::string_view> outputs) {
  const Operator node{op, std::move(attributes), {}, {}};
  std::vector<BoundTensor> operands;
  for (const std::string_view text : inputs) operands.push_back(Given(text));
  OperatorRun<BoundDomain> run;
  run.op = &node;
  for (const auto& operand : operands) run.inputs.push_back(&operand);
  for (const std::string_view output : outputs) {
    run.output_types.push_back(*ParseTensorType(output));
  }
  BoundDomain d;
  RunOperator(d, kLevel8K, Kernels::kTemplate, run);
  EXPECT_TRUE(d.judgement().valid()) << d.judgement().rule();
  std::vector<std::vector<Bounded>> elements(outputs.size());
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    elements[i] = *run.outputs[i].elements().elements;
  }
  return elements;
}

std::vector<Bounded> Outputs(Op op, Attributes attributes,
                             std::initializer_list<std::string_view> inputs,
                             std::string_view output) {
  return AllOutputs(op, std::move(attributes), inputs, {output})[0];
}

void ExpectBounds(const std::vector<Bounded>& elements,
                  std::initializer_list<std::pair<double, double>> references_and_errors) {
  ASSERT_EQ(elements.size(), references_and_errors.size());
  size_t i = 0;
  for (const auto& [reference, error] : references_and_errors) {
    EXPECT_EQ(elements[i].certainty, Certainty::kBounded) << "element " << i;
    EXPECT_EQ(elements[i].reference, reference) << "element " << i;
    EXPECT_EQ(elements[i].error, error) << "element " << i;
    ++i;
  }
}

Attributes Convolution(DType acc_type, bool local_bound, std::vector<int32_t> pad) {
  return {{AttributeId::kPad, std::move(pad)},
          {AttributeId::kStride, std::vector<int32_t>{1, 1}},
          {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
          {AttributeId::kAccType, static_cast<int32_t>(acc_type)},
          {AttributeId::kLocalBound, local_bound}};
}

TEST(DotOperators, Conv2dTakesTheLocalOrTheTensorMaximum) {
  // KS = 2, ksb = 2 + 1, ABS_BOUND = 6, in units of 2^-24. Local: |1| + |-2|, |-2| + |8|; else 8
  // + 8.
  const auto inputs = {std::string_view("fp32[1,1,3,1]{1,-2,8}"),
                       std::string_view("fp32[1,1,2,1]{1}"), std::string_view("fp32[1]{0}"),
                       std::string_view("fp32[1]{0}"), std::string_view("fp32[1]{0}")};
  ExpectBounds(
      Outputs(Op::kConv2d, Convolution(DType::kFp32, true, {0, 0, 0, 0}), inputs, "fp32[1,1,2,1]"),
      {{-1, 6 * 3 * 0x1p-24}, {6, 6 * 10 * 0x1p-24}});
  ExpectBounds(
      Outputs(Op::kConv2d, Convolution(DType::kFp32, false, {0, 0, 0, 0}), inputs, "fp32[1,1,2,1]"),
      {{-1, 6 * 16 * 0x1p-24}, {6, 6 * 16 * 0x1p-24}});
  Attributes by_default = Convolution(DType::kFp32, true, {0, 0, 0, 0});
  by_default.Remove(AttributeId::kLocalBound);
  ExpectBounds(Outputs(Op::kConv2d, by_default, inputs, "fp32[1,1,2,1]"),
               {{-1, 6 * 16 * 0x1p-24}, {6, 6 * 16 * 0x1p-24}});
}

TEST(DotOperators, Conv2dCountsTheWholeKernelAndTheBias) {
  // KS = 1 * 3 * 2 = 6 also where a column is padding, ksb = 7, ABS_BOUND = 14; bounds
  // 4 * 1 + |-3| and 6 * 1 + |-3|.
  ExpectBounds(
      Outputs(Op::kConv2d, Convolution(DType::kFp32, true, {0, 0, 1, 0}),
              {"fp32[1,1,3,2]{1}", "fp32[1,1,3,2]{1}", "fp32[1]{-3}", "fp32[1]{0}", "fp32[1]{0}"},
              "fp32[1,1,2,1]"),
      {{1, 14 * 7 * 0x1p-24}, {3, 14 * 9 * 0x1p-24}});
}

TEST(DotOperators, Conv2dTakesTheAccumulatorIntoAccount) {
  // fp16: half an ULP is 2^-11. Accumulated in fp32, ksb = ceil(2 / 2^((23-10)/2)) + 1 = 2; in
  // fp16, 3.
  const auto inputs = {std::string_view("fp16[1,1,2,1]{1,2}"), std::string_view("fp16[1,1,2,1]{1}"),
                       std::string_view("fp16[1]{0}"), std::string_view("fp16[1]{0}"),
                       std::string_view("fp16[1]{0}")};
  // The bias counts as normal_min of the input, 2^-14.
  const double bound = 3 + 0x1p-14;
  ExpectBounds(
      Outputs(Op::kConv2d, Convolution(DType::kFp32, true, {0, 0, 0, 0}), inputs, "fp16[1,1,1,1]"),
      {{3, 4 * bound * 0x1p-11}});
  ExpectBounds(
      Outputs(Op::kConv2d, Convolution(DType::kFp16, true, {0, 0, 0, 0}), inputs, "fp16[1,1,1,1]"),
      {{3, 6 * bound * 0x1p-11}});
}

TEST(DotOperators, Conv2dPoisonsTheBoundWithPaddingWeights) {
  // The reference is 2 * 3, but an implementation may have multiplied 0 by the NaN in the padding.
  const auto out = Outputs(
      Op::kConv2d, Convolution(DType::kFp32, true, {0, 0, 1, 0}),
      {"fp32[1,1,1,1]{2}", "fp32[1,1,2,1]{nan,3}", "fp32[1]{0}", "fp32[1]{0}", "fp32[1]{0}"},
      "fp32[1,1,1,1]");
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].value.real(), 6);
  EXPECT_EQ(out[0].certainty, Certainty::kUndecided);
}

TEST(DotOperators, Conv3dCountsTheWholeKernel) {
  // KS = 2 * 1 * 3 * 2 = 12 also where a plane is padding, ksb = 13, ABS_BOUND = 26; bounds
  // 6 * 1 + |-3| and 12 * 1 + |-3|.
  const Attributes attributes = {{AttributeId::kPad, std::vector<int32_t>{1, 0, 0, 0, 0, 0}},
                                 {AttributeId::kStride, std::vector<int32_t>{1, 1, 1}},
                                 {AttributeId::kDilation, std::vector<int32_t>{1, 1, 1}},
                                 {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)},
                                 {AttributeId::kLocalBound, true}};
  ExpectBounds(Outputs(Op::kConv3d, attributes,
                       {"fp32[1,2,1,3,2]{1}", "fp32[1,2,1,3,2]{1}", "fp32[1]{-3}", "fp32[1]{0}",
                        "fp32[1]{0}"},
                       "fp32[1,2,1,1,1]"),
               {{3, 26 * 9 * 0x1p-24}, {9, 26 * 15 * 0x1p-24}});
}

TEST(DotOperators, DepthwiseConv2dCountsOneChannelAndTakesTheMaximumOfAll) {
  // KS = 1 * 2, ksb = 3, ABS_BOUND = 6. Local: |1| + |3|, |-2| + |8|; else 8 + 8 for both.
  const auto inputs = {std::string_view("fp32[1,1,2,2]{1,-2,3,8}"),
                       std::string_view("fp32[1,2,2,1]{1}"), std::string_view("fp32[1]{0}"),
                       std::string_view("fp32[1]{0}"), std::string_view("fp32[1]{0}")};
  ExpectBounds(Outputs(Op::kDepthwiseConv2d, Convolution(DType::kFp32, true, {0, 0, 0, 0}), inputs,
                       "fp32[1,1,1,2]"),
               {{4, 6 * 4 * 0x1p-24}, {6, 6 * 10 * 0x1p-24}});
  ExpectBounds(Outputs(Op::kDepthwiseConv2d, Convolution(DType::kFp32, false, {0, 0, 0, 0}), inputs,
                       "fp32[1,1,1,2]"),
               {{4, 6 * 16 * 0x1p-24}, {6, 6 * 16 * 0x1p-24}});
}

TEST(DotOperators, TransposeConv2dCountsTheWholeKernelAndPoisonsTheBoundBetweenElements) {
  // KS = 2, ksb = 3, ABS_BOUND = 6, though every output meets one tap: 2 * 1, 2 * -5, and the same
  // of 4, each with a bound of its product. With a NaN as second weight, the outputs that do not
  // meet this weight are undecided.
  const auto outputs = [](std::string_view weight) {
    const Attributes attributes = {{AttributeId::kOutPad, std::vector<int32_t>{0, 0, 0, 0}},
                                   {AttributeId::kStride, std::vector<int32_t>{1, 2}},
                                   {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)},
                                   {AttributeId::kLocalBound, true}};
    return Outputs(Op::kTransposeConv2d, attributes,
                   {"fp32[1,1,2,1]{2,4}", weight, "fp32[1]{0}", "fp32[1]{0}", "fp32[1]{0}"},
                   "fp32[1,1,4,1]");
  };
  ExpectBounds(outputs("fp32[1,1,2,1]{1,-5}"), {{2, 6 * 2 * 0x1p-24},
                                                {-10, 6 * 10 * 0x1p-24},
                                                {4, 6 * 4 * 0x1p-24},
                                                {-20, 6 * 20 * 0x1p-24}});
  const auto poisoned = outputs("fp32[1,1,2,1]{1,nan}");
  ASSERT_EQ(poisoned.size(), 4u);
  EXPECT_EQ(poisoned[0].certainty, Certainty::kUndecided);
  EXPECT_EQ(poisoned[1].certainty, Certainty::kExact);
  EXPECT_EQ(poisoned[2].certainty, Certainty::kUndecided);
}

// Returns columns at 1/4 of the way (bilinear), or the elements themselves.
std::vector<Bounded> Resized(ResizeMode mode, std::string_view input, std::string_view output) {
  const Attributes attributes = {{AttributeId::kMode, static_cast<int32_t>(mode)}};
  return Outputs(Op::kResize, attributes,
                 {input, "shape[4]{1,1,4,4}", "shape[2]{0,1}", "shape[2]{0,-3}"}, output);
}

TEST(DotOperators, ResizeBilinearTakesTheMaximumOfTheTensor) {
  // (3*1 - 2) / 4, (-3*2 + 100) / 4; max(20 * 100 * 2^-23, 0.6) and max(20 * 100 * 2^-7, 0.6).
  ExpectBounds(Resized(ResizeMode::kBilinear, "fp32[1,1,3,1]{1,-2,100}", "fp32[1,1,2,1]"),
               {{0.25, 100 * 0.006}, {23.5, 100 * 0.006}});
  ExpectBounds(Resized(ResizeMode::kBilinear, "bf16[1,1,3,1]{1,-2,100}", "bf16[1,1,2,1]"),
               {{0.25, 0x1p-7 * 100 * 20}, {23.5, 0x1p-7 * 100 * 20}});
}

TEST(DotOperators, ResizeNearestIsExactAndAnInfinityLeavesBilinearOpen) {
  for (const Bounded& x :
       Resized(ResizeMode::kNearest, "fp32[1,1,3,1]{0.25,inf,-2}", "fp32[1,1,2,1]")) {
    EXPECT_EQ(x.certainty, Certainty::kExact);
  }
  // No error bound holds beside an infinity. Even between equal rows there is a product 0 * inf.
  const auto open = Resized(ResizeMode::kBilinear, "fp32[1,1,4,1]{1,2,3,inf}", "fp32[1,1,3,1]");
  ASSERT_EQ(open.size(), 3u);
  EXPECT_EQ(open[0].certainty, Certainty::kUndecided);
  EXPECT_EQ(open[1].certainty, Certainty::kUndecided);
  EXPECT_TRUE(std::isnan(open[2].value.real()));
  EXPECT_EQ(open[2].certainty, Certainty::kExact);
}

// At 1023 / 2047 of the way the first element is nearer. In bf16 that is 1024 / 2048, one half.
TEST(DotOperators, ResizeNearestAdmitsWhatTheFractionInItsTypeLeadsTo) {
  for (const DType type : {DType::kBf16, DType::kFp16, DType::kFp32}) {
    const std::string name(TypeName(type));
    const std::string input = name + "[1,1,2,1]{1,3}", output = name + "[1,1,3,1]";
    const auto elements =
        Outputs(Op::kResize, {{AttributeId::kMode, static_cast<int32_t>(ResizeMode::kNearest)}},
                {input, "shape[4]{1,1,2047,1023}", "shape[2]{0,0}", "shape[2]{0,-1}"}, output);
    const auto admits = [&](size_t i, double x) {
      return x == elements[i].value.real() ||
             (elements[i].certainty == Certainty::kBounded &&
              WithinBound(type, x, elements[i].reference, elements[i].error));
    };
    EXPECT_TRUE(admits(0, 1) && admits(1, 1) && admits(2, 3)) << name;
    EXPECT_EQ(admits(1, 3), type == DType::kBf16) << name;
    EXPECT_FALSE(admits(0, 3) || admits(1, 4) || admits(2, 1)) << name;
  }
}

TEST(DotOperators, MatmulHasALocalBoundAndTheOutputAsAccumulator) {
  // KS = C = 3, ksb = 4, ABS_BOUND = 8; bounds 1 + 2 + 3 and 4 + 5 + 6. H and W are others.
  ExpectBounds(Outputs(Op::kMatmul, {},
                       {"fp16[1,2,3]{1,2,-3,4,5,-6}", "fp16[1,3,1]{1}", "fp16[1]{0}", "fp16[1]{0}"},
                       "fp32[1,2,1]"),
               {{0, 8 * 6 * 0x1p-24}, {3, 8 * 15 * 0x1p-24}});
}

TEST(DotOperators, AveragesCountTheKernelAndDivideTheBound) {
  // KS = 2 * 3 = 6, ksb = 7, ABS_BOUND = 14. Four elements are inside: (1 + 2 + 3 - 4) / 4 within
  // 14 * (10 / 4) * 2^-24.
  const Attributes attributes = {{AttributeId::kKernel, std::vector<int32_t>{2, 3}},
                                 {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                                 {AttributeId::kPad, std::vector<int32_t>{0, 0, 1, 0}},
                                 {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)}};
  ExpectBounds(Outputs(Op::kAvgPool2d, attributes,
                       {"fp32[1,2,2,1]{1,2,3,-4}", "fp32[1]{0}", "fp32[1]{0}"}, "fp32[1,1,1,1]"),
               {{0.5, 14 * 2.5 * 0x1p-24}});
}

TEST(DotOperators, AveragesTakeTheAccumulatorIntoAccount) {
  // KS = 2: ksb = ceil(2 / 64) + 1 = 2 with fp32, 3 with fp16.
  Attributes attributes = {{AttributeId::kKernel, std::vector<int32_t>{1, 2}},
                           {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                           {AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                           {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)}};
  const auto inputs = {std::string_view("fp16[1,1,2,1]{1,2}"), std::string_view("fp16[1]{0}"),
                       std::string_view("fp16[1]{0}")};
  ExpectBounds(Outputs(Op::kAvgPool2d, attributes, inputs, "fp16[1,1,1,1]"),
               {{1.5, 4 * 1.5 * 0x1p-11}});
  attributes.Set(AttributeId::kAccType, static_cast<int32_t>(DType::kFp16));
  ExpectBounds(Outputs(Op::kAvgPool2d, attributes, inputs, "fp16[1,1,1,1]"),
               {{1.5, 6 * 1.5 * 0x1p-11}});
}

// Reading `average-count`: fp16 cannot hold 65536 = 256 * 256, so the pseudocode divides by
// infinity. fp16 can hold 256 * 255.
TEST(DotOperators, AveragesAreOpenWhereTheCountIsBeyondTheirType) {
  for (const auto& [width, certainty] :
       {std::pair{256, Certainty::kUndecided}, std::pair{255, Certainty::kBounded}}) {
    const Attributes attributes = {{AttributeId::kKernel, std::vector<int32_t>{256, width}},
                                   {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                                   {AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                                   {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)}};
    for (const char* type : {"fp16", "bf16"}) {
      const std::string zero = std::string(type) + "[1]{0}";
      const std::string input = fmt::format("{}[1,256,{},1]{{1}}", type, width);
      const auto average =
          Outputs(Op::kAvgPool2d, attributes, {input, zero, zero}, type + std::string("[1,1,1,1]"));
      EXPECT_EQ(average[0].value.real(), 1);
      const bool is_narrow = std::string_view(type) == "fp16";
      EXPECT_EQ(average[0].certainty, is_narrow ? certainty : Certainty::kBounded) << type << width;
    }
  }
}

TEST(DotOperators, SumsCountTheAxis) {
  // KS = 3, ksb = 4, ABS_BOUND = 8; 1 + |-3| + 5 and 2 + 4 + 6.
  ExpectBounds(
      Outputs(Op::kReduceSum, {{AttributeId::kAxis, 0}}, {"fp32[3,2]{1,2,-3,4,5,6}"}, "fp32[1,2]"),
      {{3, 8 * 9 * 0x1p-24}, {12, 8 * 12 * 0x1p-24}});
  // bf16 is accumulated in fp32: ksb = ceil(3 / 2^8) + 1 = 2, ABS_BOUND = 4; half an ULP is 2^-8.
  ExpectBounds(Outputs(Op::kReduceSum, {{AttributeId::kAxis, 0}}, {"bf16[3]{1,2,4}"}, "bf16[1]"),
               {{7, 4 * 7 * 0x1p-8}});
}

TEST(DotOperators, Fft2dTakesRealAndImaginaryValuesAsOneInput) {
  // KS = 2 * 1 * 2 = 4, ksb = 5, ABS_BOUND = 10. Local: |1| + |-2|, and |3| + |0.5|: the other half
  // of the coefficients, sines, counts normal_min or 1e-16, which disappears. All of them may be
  // off by 2^-19. Else the largest of both operands, 3, in 2 of the 4 products.
  Attributes attributes = {{AttributeId::kInverse, false}, {AttributeId::kLocalBound, true}};
  const auto inputs = {std::string_view("fp32[1,1,2]{1,-2}"),
                       std::string_view("fp32[1,1,2]{3,0.5}")};
  const auto types = {std::string_view("fp32[1,1,2]"), std::string_view("fp32[1,1,2]")};
  auto out = AllOutputs(Op::kFft2d, attributes, inputs, types);
  const double spread = (1 + 2 + 3 + 0.5) * 0x1p-19;
  ExpectBounds(out[0], {{-1, 10 * 3 * 0x1p-24 + spread}, {3, 10 * 3 * 0x1p-24 + spread}});
  // 3 + 2 * sin(pi()) is one ulp of fp64 more than 3, in the bound as in the reference.
  ExpectBounds(out[1], {{3.5, 10 * 3.5 * 0x1p-24 + spread},
                        {2.5 + 0x1p-51, 10 * (3.5 + 0x1p-51) * 0x1p-24 + spread}});
  attributes.Remove(AttributeId::kLocalBound);
  out = AllOutputs(Op::kFft2d, attributes, inputs, types);
  ExpectBounds(out[0], {{-1, 10 * 6 * 0x1p-24 + spread}, {3, 10 * 6 * 0x1p-24 + spread}});
}

TEST(DotOperators, TransformsAdmitCoefficientsOfAnyPrecisionFromFp32On) {
  // 1 and 2^60 a quarter turn further: the real part is 1 + 2^60 * cos(pi/2). That is 1, 71.6 if
  // cos(pi()/2) is 6.1e-17 as in fp64, or -5e10 of an angle in fp32, but not 4.4e12, 2^-18 of 2^60.
  const Attributes local = {{AttributeId::kInverse, false}, {AttributeId::kLocalBound, true}};
  const auto image = std::string_view("fp32[1,1,4]{1,1152921504606846976,0,0}");
  const auto types = {std::string_view("fp32[1,1,4]"), std::string_view("fp32[1,1,4]")};
  const auto halves = {std::string_view("fp32[1,1,3]"), std::string_view("fp32[1,1,3]")};
  for (const auto& out :
       {AllOutputs(Op::kFft2d, local, {image, "fp32[1,1,4]{0}"}, types),
        AllOutputs(Op::kRfft2d, {{AttributeId::kLocalBound, true}}, {image}, halves)}) {
    const Bounded& quarter = out[0][1];
    EXPECT_NEAR(quarter.reference, 71.6, 0.1);
    EXPECT_TRUE(WithinBound(DType::kFp32, 1, quarter.reference, quarter.error));
    EXPECT_TRUE(WithinBound(DType::kFp32, -5e10, quarter.reference, quarter.error));
    EXPECT_FALSE(WithinBound(DType::kFp32, 4.4e12, quarter.reference, quarter.error));
    // 1 - 2^60.
    EXPECT_EQ(out[0][2].reference, -0x1p60);
    EXPECT_FALSE(WithinBound(DType::kFp32, -0x1p60 * (1 + 0x1p-18), -0x1p60, out[0][2].error));
  }
}

TEST(DotOperators, TransformsAdmitThePseudocodeInFp32) {
  Random random(1);
  // The magnitudes range from 2^-40 to 2^40, so that in most sums one value dominates and the error
  // comes from the others.
  const auto draw = [&](int count) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i) {
      const auto digits = static_cast<float>(random.Between(-1 << 24, 1 << 24));
      values.push_back(std::ldexp(digits, static_cast<int>(random.Between(-64, 16))));
    }
    return values;
  };
  int judged = 0;
  for (const auto [H, W] : {std::array{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 4}, {4, 2}, {8, 8}}) {
    for (int i = 0; i < 64; ++i) {
      const std::vector<float> real = draw(H * W), imag = draw(H * W);
      const bool inverse = i % 2 == 1, local_bound = i % 4 < 2;
      const auto type = fmt::format("fp32[1,{},{}]", H, W);
      const auto text = [&](const std::vector<float>& x) {
        return fmt::format("{}{{{:.9g}}}", type, fmt::join(x, ","));
      };
      const auto bounds = AllOutputs(
          Op::kFft2d, {{AttributeId::kInverse, inverse}, {AttributeId::kLocalBound, local_bound}},
          {text(real), text(imag)}, {type, type});
      const auto literal = TransformInFp32(H, W, inverse, real, imag);
      for (size_t half = 0; half < 2; ++half) {
        for (size_t k = 0; k < literal[half].size(); ++k) {
          const Bounded& x = bounds[half][k];
          EXPECT_TRUE(WithinBound(DType::kFp32, literal[half][k], x.reference, x.error))
              << type << " " << i << ": element " << k << " of output " << half;
          ++judged;
        }
      }
    }
  }
  EXPECT_EQ(judged, 2 * 64 * (1 + 2 + 2 + 4 + 4 + 8 + 64));
}

TEST(DotOperators, TransformsSayNothingOfInfinitiesTimesWhatMayBeZero) {
  const Attributes local = {{AttributeId::kLocalBound, true}};
  const auto types = {std::string_view("fp32[1,1,3]"), std::string_view("fp32[1,1,3]")};
  const auto real = [&](std::string_view image) {
    return AllOutputs(Op::kRfft2d, local, {image}, types)[0];
  };
  // x0 - inf * cos(pi/2) + inf * cos(3 pi/2): of both signs in fp64 as it happens, NaN if these are
  // zero, and an infinity if both errors have one sign. Then inf + inf, and inf - inf.
  const auto open = real("fp32[1,1,4]{1,-inf,0,-inf}");
  EXPECT_EQ(open[0].value.real(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(open[1].certainty, Certainty::kUndecided);
  // inf - inf of the even elements, whatever the others are.
  const auto nan = real("fp32[1,1,4]{inf,-inf,inf,1}");
  EXPECT_TRUE(std::isnan(nan[1].value.real()));
  EXPECT_EQ(nan[1].certainty, Certainty::kExact);
  // NaN times anything, also times sin(0) (reading `zero-coefficients`).
  EXPECT_EQ(real("fp32[1,1,4]{1,nan,0,0}")[1].certainty, Certainty::kExact);
  const Bounded imaginary =
      AllOutputs(Op::kFft2d, {{AttributeId::kInverse, false}, {AttributeId::kLocalBound, true}},
                 {"fp32[1,1,1]{nan}", "fp32[1,1,1]{0}"}, {"fp32[1,1,1]", "fp32[1,1,1]"})[1][0];
  EXPECT_TRUE(std::isnan(imaginary.value.real()));
  EXPECT_EQ(imaginary.certainty, Certainty::kExact);
}

TEST(DotOperators, Rfft2dCountsTheValuesThatAreMultiplied) {
  // KS = 1 * 4, ksb = 5, ABS_BOUND = 10; 1 + 2 + 4 + 8. In the middle the real part has the
  // coefficients 1 and -1 twice each 0, the imaginary part -2 + 8 only.
  Attributes attributes = {{AttributeId::kLocalBound, true}};
  const auto inputs = {std::string_view("fp32[1,1,4]{1,2,4,8}")};
  const auto types = {std::string_view("fp32[1,1,3]"), std::string_view("fp32[1,1,3]")};
  auto out = AllOutputs(Op::kRfft2d, attributes, inputs, types);
  EXPECT_EQ(out[0][0].error, 10 * 15 * 0x1p-24 + 15 * 0x1p-19);
  EXPECT_NEAR(out[0][1].error, 10 * 5 * 0x1p-24 + 15 * 0x1p-19, 1e-15);
  EXPECT_EQ(out[1][1].error, 10 * 10 * 0x1p-24 + 15 * 0x1p-19);
  // Zero, or the sum of all values times sines that are nearly zero.
  ExpectBounds({out[1][0], out[1][2]}, {{0, 15 * 0x1p-19}, {0, 15 * 0x1p-19}});
  // The largest value stands for each that is multiplied.
  attributes.Remove(AttributeId::kLocalBound);
  out = AllOutputs(Op::kRfft2d, attributes, inputs, types);
  EXPECT_EQ(out[0][0].error, 10 * 32 * 0x1p-24 + 15 * 0x1p-19);
  EXPECT_EQ(out[1][1].error, 10 * 16 * 0x1p-24 + 15 * 0x1p-19);
  ExpectBounds({out[1][0]}, {{0, 15 * 0x1p-19}});
}

// The text lets an implementation skip the imaginary values at (0,0), (0,W/2), (H/2,0) and
// (H/2,W/2). So the implementation may also calculate them.
TEST(DotOperators, Rfft2dAdmitsSinesThatMayBeSkipped) {
  for (const auto [H, W] : {std::array{1, 2}, {2, 1}, {2, 2}, {4, 8}}) {
    std::vector<float> real;
    for (int i = 0; i < H * W; ++i) real.push_back(static_cast<float>(i % 3 == 0 ? -1000 : i + 1));
    for (const bool local_bound : {true, false}) {
      const auto output = fmt::format("fp32[1,{},{}]", H, W / 2 + 1);
      const auto bounds = AllOutputs(
          Op::kRfft2d, {{AttributeId::kLocalBound, local_bound}},
          {fmt::format("fp32[1,{},{}]{{{}}}", H, W, fmt::join(real, ","))}, {output, output})[1];
      const std::vector<float> zeros(real.size());
      const auto imag = TransformInFp32(H, W, false, real, zeros)[1];
      for (int y = 0; y < H; ++y) {
        for (int x = 0; x <= W / 2; ++x) {
          const Bounded& bound = bounds[static_cast<size_t>(y * (W / 2 + 1) + x)];
          const double value = imag[static_cast<size_t>(y * W + x)];
          EXPECT_TRUE(WithinBound(DType::kFp32, value, bound.reference, bound.error)) << y << x;
          if (y % std::max(H / 2, 1) > 0 || x % std::max(W / 2, 1) > 0) continue;
          EXPECT_TRUE(WithinBound(DType::kFp32, 0, bound.reference, bound.error)) << y << x;
          EXPECT_FALSE(WithinBound(DType::kFp32, 1, bound.reference, bound.error)) << y << x;
        }
      }
    }
  }
}

TEST(DotOperators, Rfft2dLetsImplementationsMultiplyByZero) {
  // An infinity times 0 is NaN. An implementation may have multiplied the values without a sine by
  // 0: in the same image, or in the whole tensor if the bound is not local.
  const auto inputs = {std::string_view("fp32[2,1,4]{1,2,inf,8,1,2,4,8}")};
  const auto types = {std::string_view("fp32[2,1,3]"), std::string_view("fp32[2,1,3]")};
  Attributes attributes = {{AttributeId::kLocalBound, true}};
  auto out = AllOutputs(Op::kRfft2d, attributes, inputs, types);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(out[1][i].certainty, Certainty::kUndecided) << i;
  ExpectBounds({out[1][3]}, {{0, 15 * 0x1p-19}});
  EXPECT_EQ(out[1][4].certainty, Certainty::kBounded);
  attributes.Remove(AttributeId::kLocalBound);
  out = AllOutputs(Op::kRfft2d, attributes, inputs, types);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(out[1][i].certainty, Certainty::kUndecided) << i;
}

TEST(DotOperators, TransformsHaveNoShapeWithoutTheirOperands) {
  const auto infers = [](Op op, std::vector<Shape> shapes) {
    const Attributes none;
    std::vector<TensorType> inputs;
    for (const Shape& shape : shapes) inputs.push_back({DType::kFp32, shape});
    const std::vector<std::span<const Scalar>> constants(inputs.size());
    std::vector<TensorType> outputs(2);
    return InferOutputs({op, &none, inputs, {}, constants}, outputs);
  };
  EXPECT_TRUE(infers(Op::kFft2d, {{1, 2, 4}, {1, 2, 4}}));
  EXPECT_FALSE(infers(Op::kFft2d, {{1, 2, 4}, {1, 4, 2}}));
  EXPECT_FALSE(infers(Op::kFft2d, {{2, 4}, {2, 4}}));
  EXPECT_TRUE(infers(Op::kRfft2d, {{1, 2, 4}}));
  EXPECT_FALSE(infers(Op::kRfft2d, {{2, 4}}));
}

// 8192 is a power of two and the limit of the level; examples cannot afford it.
TEST(DotOperators, TransformsReachTheLevel) {
  const Attributes inverse = {{AttributeId::kInverse, false}};
  const Attributes none;
  for (const Op op : {Op::kFft2d, Op::kRfft2d}) {
    for (const auto& [shape, last] :
         {std::pair<Shape, int32_t>{{1, 8192, 1}, 1}, {{1, 1, 8192}, 4097}}) {
      const bool complex = op == Op::kFft2d;
      const std::vector<TensorType> inputs(complex ? 2 : 1, {DType::kFp32, shape});
      const Shape half = {1, shape[1], last};
      const std::vector<TensorType> outputs(2, {DType::kFp32, complex ? shape : half});
      const std::vector<std::span<const Scalar>> constants(inputs.size());
      Judgement judgement;
      CheckOperator({op, complex ? &inverse : &none, inputs, outputs, constants}, kLevel8K,
                    judgement);
      EXPECT_TRUE(judgement.valid()) << judgement.rule();
    }
  }
}

// Integers are never known floats, even if the specification does not determine some of them.
TEST(DotOperators, TakeIntegersThatAreNotDetermined) {
  const Operator sum{Op::kReduceSum, {{AttributeId::kAxis, 0}}, {}, {}};
  auto elements = std::make_shared<std::vector<Bounded>>(
      std::vector<Bounded>{BoundDomain::Given(1), BoundDomain::Given(2)});
  (*elements)[1].certainty = Certainty::kUndecided;
  const BoundTensor operand(DomainTensor<Bounded>{*ParseTensorType("i32[2]"), elements});
  OperatorRun<BoundDomain> run;
  run.op = &sum;
  run.inputs = {&operand};
  run.output_types = {*ParseTensorType("i32[1]")};
  BoundDomain d;
  RunOperator(d, kLevel8K, Kernels::kFast, run);
  EXPECT_EQ(run.outputs[0].elements()[0].value.integer(), 3);
  EXPECT_EQ(run.outputs[0].elements()[0].certainty, Certainty::kUndecided);
}

// Native kernels have no faults, so that none may run where one is seeded.
TEST(DotOperators, ShowAFaultWhateverTheKernels) {
  const Operator sum{Op::kReduceSum, {{AttributeId::kAxis, 0}}, {}, {}};
  const ValueTensor operand = ToFlight<ValueDomain>(ParseTensor("fp32[3]{1,2,4}").value());
  for (const Kernels kernels : {Kernels::kFast, Kernels::kTemplate}) {
    OperatorRun<ValueDomain> run;
    run.op = &sum;
    run.inputs = {&operand};
    run.output_types = {*ParseTensorType("fp32[1]")};
    run.mutant = MutantById("reduce_sum/last-lost");
    ValueDomain d;
    RunOperator(d, kLevel8K, kernels, run);
    EXPECT_EQ(run.outputs[0].tensor().Float(0), 3);  // 1 + 2
  }
}

}  // namespace
}  // namespace assay::dot_operators_test

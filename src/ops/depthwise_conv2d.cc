// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

namespace assay::ops {
namespace {

void Checks(const Signature& s, const Level& level, Judgement& j) {
  // The C * M channels of the Arguments table come before all other rules.
  j.ErrorIf(s.out_shape()[3] != Convolution(s).OC, "DEPTHWISE_CONV2D/ERROR_IF/arguments");
  if (j.valid() || j.broken() != nullptr) CheckConvolution(s, level, j);
}

// Channel c of the input is a group of its own and makes the channels c * M ... of the output.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const Convolution g(call.signature);
  std::vector<Element> input_storage;
  std::vector<Element> weight_storage;
  const auto input = LessZeroPoint(d, call, 0, 3, input_storage);
  const auto weight = LessZeroPoint(d, call, 1, 4, weight_storage);
  // From [ky,kx][c,m] to [c,m][ky,kx].
  std::vector<Element> by_channel;
  by_channel.reserve(weight.size());
  for (int64_t oc = 0; oc < g.OC; ++oc) {
    for (int64_t position = 0; position < g.KernelPositions(); ++position) {
      by_channel.push_back(weight[static_cast<size_t>(position * g.OC + oc)]);
    }
  }
  Convolve(d, call, g, input, std::span<const Element>(by_channel),
           "DEPTHWISE_CONV2D/REQUIRE/apply_add_s");
}

// Operands of 1 x 1 for the rules about attributes.
constexpr std::string_view kPixel = "i8[1,1,1,1]{1} i8[1,1,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}";

constexpr Example kExamples[] = {
    // Two channels, three outputs of each: 3*1, 3*2, 3*3 and -4*5, -4*7, -4*11, with a bias each.
    {"i8[1,1,1,2]{3,-4} i8[1,1,2,3]{1,2,3,5,7,11} i32[6]{10,20,30,40,50,60} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32", "i32[1,1,1,6]{13,26,39,20,22,16}"},
    // Columns -1,0,1 of two channels {5,6},{7,8} less 5: {0,0},{0,1},{2,3}; weights
    // {3,4},{2,5},{3,1} less 1: {2,3},{1,4},{2,0}; 0*1+2*2+100, 1*4+3*0+200. The padding is 0 after
    // the zero point, not before.
    {"i8[1,1,2,2]{5,6,7,8} i8[1,3,2,1]{3,4,2,5,3,1} i32[2]{100,200} i8[1]{5} i8[1]{1}",
     "pad=[0,0,1,0] stride=[1,1] dilation=[1,1] acc_type=i32", "i32[1,1,1,2]{104,204}"},
    // Rows -1,1 and 0,2 (one row of padding above, dilation 2), columns 0,1 and 3,4 (stride 3, one
    // column of padding on the right) of 1 2 3 4 / 5 6 7 8 / 9 10 11 12:
    // 25*5+125*6; 25*8; 1*1+5*2+25*9+125*10; 1*4+25*12.
    {"i8[1,3,4,1]{1,2,3,4,5,6,7,8,9,10,11,12} i8[2,2,1,1]{1,5,25,125} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[1,0,0,1] stride=[1,3] dilation=[2,1] acc_type=i32", "i32[1,2,2,1]{875,200,1486,304}"},
    // Rows 0,1 and 3,4 (stride 3, one row of padding below), columns -1,1 and 0,2 (one column of
    // padding on the left, dilation 2) of 1 2 3 / 4 5 6 / 7 8 9 / 10 11 12:
    // 5*2+125*5; 1*1+5*3+25*4+125*6; 5*11; 1*10+5*12.
    {"i16[1,4,3,1]{1,2,3,4,5,6,7,8,9,10,11,12} i8[2,2,1,1]{1,5,25,125} i48[1]{0} i16[1]{0} "
     "i8[1]{0}",
     "pad=[0,1,1,0] stride=[3,1] dilation=[1,2] acc_type=i48", "i48[1,2,2,1]{635,866,55,70}"},
    // Two images of two channels, {1,2},{3,4} and {5,6},{7,8}; two columns of weights, {1,5} and
    // {-1,-2} for channel 0, {2,4} and {-3,-4} for channel 1; one bias for all four:
    // 1*1+5*3+7, -1*1-2*3+7, 2*2+4*4+7, -3*2-4*4+7; 1*5+5*7+7, -1*5-2*7+7, 2*6+4*8+7, -3*6-4*8+7.
    {"i8[2,1,2,2]{1,2,3,4,5,6,7,8} i4[1,2,2,2]{1,-1,2,-3,5,-2,4,-4} i32[1]{7} i8[1]{0} i4[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32",
     "i32[2,1,1,4]{23,0,27,-15,47,-12,51,-43}"},
    // A weight that meets padding is not multiplied, though it is NaN: 2*3+1; NaN*2+3*0+1.
    {"fp32[1,1,2,1]{2,0} fp32[1,2,1,1]{nan,3} fp32[1]{1} fp32[1]{0} fp32[1]{-0}",
     "pad=[0,0,1,0] stride=[1,1] dilation=[1,1] acc_type=fp32 local_bound=true",
     "fp32[1,1,2,1]{7,nan}"},
    // 2048 + 1 lies halfway between fp16 2048 and 2050, and 2048 is even; with a bias of 1 the sum
    // is 2050: products and bias are rounded once.
    {"fp16[1,1,2,1]{2048,1} fp16[1,2,1,2]{1} fp16[2]{0,1} fp16[1]{0} fp16[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=fp32", "fp16[1,1,1,2]{2048,2050}"},
    // The bounds as biases: 1*-1 + 2^31-1, 1*1 - 2^31; 1*-1 + 2^47-1, 1*1 - 2^47.
    {"i8[1,1,1,1]{1} i8[1,1,1,2]{-1,1} i32[2]{2147483647,-2147483648} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32",
     "i32[1,1,1,2]{2147483646,-2147483647}"},
    {"i16[1,1,1,1]{1} i8[1,1,1,2]{-1,1} i48[2]{140737488355327,-140737488355328} i16[1]{0} "
     "i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48",
     "i48[1,1,1,2]{140737488355326,-140737488355327}"},
    // 1*1 + 2^31 - 1 is no i32; 1*(2-1) + 2^31 - 1 is an i48.
    {"i8[1,1,1,1]{1} i8[1,1,1,1]{1} i32[1]{2147483647} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable DEPTHWISE_CONV2D/REQUIRE/apply_add_s"},
    {"i16[1,1,1,1]{1} i8[1,1,1,1]{2} i48[1]{2147483647} i16[1]{0} i8[1]{1}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48", "i48[1,1,1,1]{2147483648}"},
    {"i16[1,1,1,1]{1} i8[1,1,1,1]{1} i48[1]{0} i16[1]{1} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48 output=i48[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/1"},
    {"i8[1,1,1,1]{1} i4[1,1,1,1]{1} i32[1]{0} i8[1]{0} i4[1]{1}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/2"},
    {kPixel, "pad=[-1,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,-1,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,0,-1,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,0,0,-1] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,0,0,0] stride=[0,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/4"},
    {kPixel, "pad=[0,0,0,0] stride=[1,0] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/4"},
    {kPixel, "pad=[0,0,0,0] stride=[1,1] dilation=[0,1] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/5"},
    {kPixel, "pad=[0,0,0,0] stride=[1,1] dilation=[1,0] acc_type=i32 output=i32[1,1,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/5"},
    // (4 - 1) / 2 leaves a rest.
    {"i8[1,4,1,1]{1} i8[1,1,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[2,1] dilation=[1,1] acc_type=i32 output=i32[1,2,1,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/idiv_check"},
    // 3 - 1 + 1 = 3; 3 - 1 - 1 + 1 = 2.
    {"i8[1,3,3,1]{1} i8[1,2,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,2,2,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/6"},
    {"i8[1,3,3,1]{1} i8[1,2,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,3,3,1]",
     "error DEPTHWISE_CONV2D/ERROR_IF/7"},
    // Six channels of output, two or three biases: those of the input or its multiplier.
    {"i8[1,1,1,2]{1} i8[1,1,2,3]{1} i32[2]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,6]",
     "error DEPTHWISE_CONV2D/ERROR_IF/8"},
    {"i8[1,1,1,2]{1} i8[1,1,2,3]{1} i32[3]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,6]",
     "error DEPTHWISE_CONV2D/ERROR_IF/8"},
    // 3 channels of data, 2 of weights; 2 * 3 channels of output, not 3.
    {"i8[1,1,1,3]{1} i8[1,1,2,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,2]",
     "error DEPTHWISE_CONV2D/ERROR_IF/arguments"},
    {"i8[1,1,1,2]{1} i8[1,1,2,3]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,3]",
     "error DEPTHWISE_CONV2D/ERROR_IF/arguments"},
    // At the limits of the level: 4096 * 2 = 8192. Rows -4096 and 0, columns 0 and 4096: weight 3.
    {"i8[1,1,1,1]{5} i8[2,2,1,1]{1,2,3,4} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[4096,0,0,4096] stride=[1,1] dilation=[4096,4096] acc_type=i32", "i32[1,1,1,1]{15}"},
    // Rows -8192 and 0, columns 0 and 8192: 2*3+1 in one place, the bias in the others.
    {"i8[1,1,1,1]{2} i8[1,1,1,1]{3} i32[1]{1} i8[1]{0} i8[1]{0}",
     "pad=[8192,0,0,8192] stride=[8192,8192] dilation=[1,1] acc_type=i32", "i32[1,2,2,1]{1,1,7,1}"},
    // Rows 0 and 8192, columns -8192 and 0.
    {"i8[1,1,1,1]{2} i8[1,1,1,1]{3} i32[1]{1} i8[1]{0} i8[1]{0}",
     "pad=[0,8192,8192,0] stride=[8192,8192] dilation=[1,1] acc_type=i32", "i32[1,2,2,1]{1,7,1,1}"},
    // Beyond them: 4097 * 2 = 8194 > 8192.
    {"i8[1,1,1,1]{1} i8[2,1,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[4097,0,0,0] stride=[1,1] dilation=[4097,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/1"},
    {"i8[1,1,1,1]{1} i8[1,2,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,4097,0] stride=[1,1] dilation=[1,4097] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/2"},
    {kPixel, "pad=[8193,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,8194,1,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/3"},
    {kPixel, "pad=[0,8193,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,8194,1,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/4"},
    {kPixel, "pad=[0,0,8193,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,8194,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/5"},
    {kPixel, "pad=[0,0,0,8193] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,8194,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/6"},
    {kPixel, "pad=[0,0,0,0] stride=[8193,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/7"},
    {kPixel, "pad=[0,0,0,0] stride=[1,8193] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable DEPTHWISE_CONV2D/LEVEL_CHECK/8"},
    // -32768 * -128 * 520 = 2^22 * 520: the sum is no i32.
    {"i16[1,520,1,1]{-32768} i8[520,1,1,1]{-128} i48[1]{0} i16[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48", "i48[1,1,1,1]{2181038080}"},
};

}  // namespace

extern const OperatorDefinition depthwise_conv2d_operator = {
    .op = Op::kDepthwiseConv2d,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kAccumulatorAndPadding,
               Specials::kNone, 3},
    .infer = InferConvolution,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops

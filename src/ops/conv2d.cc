// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  ConvolveByChannel(d, call, "CONV2D/REQUIRE/apply_add_s");
}

// Operands of 1 x 1 for the rules about attributes.
constexpr std::string_view kPixel = "i8[1,1,1,1]{1} i8[1,1,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}";

constexpr Example kExamples[] = {
    // Two channels in, two out: 3*1-4*2+10, 3*3-4*4+20.
    {"i8[1,1,1,2]{3,-4} i8[2,1,1,2]{1,2,3,4} i32[2]{10,20} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32", "i32[1,1,1,2]{5,13}"},
    // Columns -1,0,1: input {pad,5,7} - 5 = {0,0,2}, weights {3,2,3} - 1 = {2,1,2}; 0*1+2*2+100.
    // The padding is 0 after the zero point, not before.
    {"i8[1,1,2,1]{5,7} i8[1,1,3,1]{3,2,3} i32[1]{100} i8[1]{5} i8[1]{1}",
     "pad=[0,0,1,0] stride=[1,1] dilation=[1,1] acc_type=i32", "i32[1,1,1,1]{104}"},
    // Rows -1,1 and 0,2 (one row of padding above, dilation 2), columns 0,1 and 3,4 (stride 3, one
    // column of padding on the right) of 1 2 3 4 / 5 6 7 8 / 9 10 11 12:
    // 25*5+125*6; 25*8; 1*1+5*2+25*9+125*10; 1*4+25*12.
    {"i8[1,3,4,1]{1,2,3,4,5,6,7,8,9,10,11,12} i8[1,2,2,1]{1,5,25,125} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[1,0,0,1] stride=[1,3] dilation=[2,1] acc_type=i32", "i32[1,2,2,1]{875,200,1486,304}"},
    // Rows 0,1 and 3,4 (stride 3, one row of padding below), columns -1,1 and 0,2 (one column of
    // padding on the left, dilation 2) of 1 2 3 / 4 5 6 / 7 8 9 / 10 11 12:
    // 5*2+125*5; 1*1+5*3+25*4+125*6; 5*11; 1*10+5*12.
    {"i16[1,4,3,1]{1,2,3,4,5,6,7,8,9,10,11,12} i8[1,2,2,1]{1,5,25,125} i48[1]{0} i16[1]{0} "
     "i8[1]{0}",
     "pad=[0,1,1,0] stride=[3,1] dilation=[1,2] acc_type=i48", "i48[1,2,2,1]{635,866,55,70}"},
    // Two images of 1 2 3 4 / 5 6 7 8 and 9 10 11 12 / 13 14 15 16, rows -1,0,1, columns 0,3 and
    // 1,4, weights 1 2 / 3 4 / 5 6: 3*1+4*4+5*5+6*8, 3*2+5*6; 3*9+4*12+5*13+6*16, 3*10+5*14.
    {"i8[2,2,4,1]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} i8[1,3,2,1]{1,2,3,4,5,6} i32[1]{0} "
     "i8[1]{0} i8[1]{0}",
     "pad=[1,0,0,1] stride=[1,1] dilation=[1,3] acc_type=i32", "i32[2,1,2,1]{92,36,236,100}"},
    // Two images, one bias for two channels: 2*3+7, 2*-5+7; -4*3+7, -4*-5+7.
    {"i8[2,1,1,1]{2,-4} i4[2,1,1,1]{3,-5} i32[1]{7} i8[1]{0} i4[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32", "i32[2,1,1,2]{13,-3,-5,27}"},
    // A weight that meets padding is not multiplied, though it is NaN: 2*3+1; NaN*2+3*0+1.
    {"fp32[1,1,2,1]{2,0} fp32[1,1,2,1]{nan,3} fp32[1]{1} fp32[1]{0} fp32[1]{-0}",
     "pad=[0,0,1,0] stride=[1,1] dilation=[1,1] acc_type=fp32 local_bound=true",
     "fp32[1,1,2,1]{7,nan}"},
    // 2048 + 1 lies halfway between fp16 2048 and 2050, and 2048 is even; with a bias of 1 the sum
    // is 2050: products and bias are rounded once.
    {"fp16[1,1,1,2]{2048,1} fp16[2,1,1,2]{1} fp16[2]{0,1} fp16[1]{0} fp16[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=fp32", "fp16[1,1,1,2]{2048,2050}"},
    // The bounds as biases: 1*-1 + 2^31-1, 1*1 - 2^31; 1*-1 + 2^47-1, 1*1 - 2^47.
    {"i8[1,1,1,1]{1} i8[2,1,1,1]{-1,1} i32[2]{2147483647,-2147483648} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32",
     "i32[1,1,1,2]{2147483646,-2147483647}"},
    {"i16[1,1,1,1]{1} i8[2,1,1,1]{-1,1} i48[2]{140737488355327,-140737488355328} i16[1]{0} "
     "i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48",
     "i48[1,1,1,2]{140737488355326,-140737488355327}"},
    // 1*1 + 2^31 - 1 is no i32; 1*(2-1) + 2^31 - 1 is an i48.
    {"i8[1,1,1,1]{1} i8[1,1,1,1]{1} i32[1]{2147483647} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable CONV2D/REQUIRE/apply_add_s"},
    // (-128 - 127)^2 * 33026 = 2147515650 is no i32, whatever the bias makes of it.
    {"i8[1,1,1,33026]{-128} i8[1,1,1,33026]{-128} i32[1]{-65025} i8[1]{127} i8[1]{127}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable CONV2D/REQUIRE/apply_add_s"},
    {"i16[1,1,1,1]{1} i8[1,1,1,1]{2} i48[1]{2147483647} i16[1]{0} i8[1]{1}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48", "i48[1,1,1,1]{2147483648}"},
    {"i16[1,1,1,1]{1} i8[1,1,1,1]{1} i48[1]{0} i16[1]{1} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48 output=i48[1,1,1,1]",
     "error CONV2D/ERROR_IF/1"},
    {"i8[1,1,1,1]{1} i4[1,1,1,1]{1} i32[1]{0} i8[1]{0} i4[1]{1}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/2"},
    {kPixel, "pad=[-1,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,-1,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,0,-1,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,0,0,-1] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/3"},
    {kPixel, "pad=[0,0,0,0] stride=[0,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/4"},
    {kPixel, "pad=[0,0,0,0] stride=[1,0] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/4"},
    {kPixel, "pad=[0,0,0,0] stride=[1,1] dilation=[0,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/5"},
    {kPixel, "pad=[0,0,0,0] stride=[1,1] dilation=[1,0] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/5"},
    // (4 - 1) / 2 leaves a rest.
    {"i8[1,4,1,1]{1} i8[1,1,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[2,1] dilation=[1,1] acc_type=i32 output=i32[1,2,1,1]",
     "error CONV2D/ERROR_IF/idiv_check"},
    // 3 - 1 + 1 = 3; 3 - 1 - 1 + 1 = 2.
    {"i8[1,3,3,1]{1} i8[1,1,2,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,2,2,1]",
     "error CONV2D/ERROR_IF/6"},
    {"i8[1,3,3,1]{1} i8[1,1,2,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,3,3,1]",
     "error CONV2D/ERROR_IF/7"},
    {"i8[1,1,1,1]{1} i8[3,1,1,1]{1} i32[2]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,3]",
     "error CONV2D/ERROR_IF/8"},
    // 3 channels of data, 2 of weights.
    {"i8[1,1,1,3]{1} i8[1,1,1,2]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error CONV2D/ERROR_IF/arguments"},
    // At the limits of the level: 4096 * 2 = 8192. Rows -4096 and 0, columns 0 and 4096: weight 3.
    {"i8[1,1,1,1]{5} i8[1,2,2,1]{1,2,3,4} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[4096,0,0,4096] stride=[1,1] dilation=[4096,4096] acc_type=i32", "i32[1,1,1,1]{15}"},
    // Rows -8192 and 0, columns 0 and 8192: 2*3+1 in one place, the bias in the others.
    {"i8[1,1,1,1]{2} i8[1,1,1,1]{3} i32[1]{1} i8[1]{0} i8[1]{0}",
     "pad=[8192,0,0,8192] stride=[8192,8192] dilation=[1,1] acc_type=i32", "i32[1,2,2,1]{1,1,7,1}"},
    // Rows 0 and 8192, columns -8192 and 0.
    {"i8[1,1,1,1]{2} i8[1,1,1,1]{3} i32[1]{1} i8[1]{0} i8[1]{0}",
     "pad=[0,8192,8192,0] stride=[8192,8192] dilation=[1,1] acc_type=i32", "i32[1,2,2,1]{1,7,1,1}"},
    // Beyond them: 4097 * 2 = 8194 > 8192.
    {"i8[1,1,1,1]{1} i8[1,2,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[4097,0,0,0] stride=[1,1] dilation=[4097,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable CONV2D/LEVEL_CHECK/1"},
    {"i8[1,1,1,1]{1} i8[1,1,2,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "pad=[0,0,4097,0] stride=[1,1] dilation=[1,4097] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable CONV2D/LEVEL_CHECK/2"},
    {kPixel, "pad=[8193,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,8194,1,1]",
     "unpredictable CONV2D/LEVEL_CHECK/3"},
    {kPixel, "pad=[0,8193,0,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,8194,1,1]",
     "unpredictable CONV2D/LEVEL_CHECK/4"},
    {kPixel, "pad=[0,0,8193,0] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,8194,1]",
     "unpredictable CONV2D/LEVEL_CHECK/5"},
    {kPixel, "pad=[0,0,0,8193] stride=[1,1] dilation=[1,1] acc_type=i32 output=i32[1,1,8194,1]",
     "unpredictable CONV2D/LEVEL_CHECK/6"},
    {kPixel, "pad=[0,0,0,0] stride=[8193,1] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable CONV2D/LEVEL_CHECK/7"},
    {kPixel, "pad=[0,0,0,0] stride=[1,8193] dilation=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable CONV2D/LEVEL_CHECK/8"},
    // -32768 * -128 * 520 = 2^22 * 520: the sum is no i32.
    {"i16[1,1,1,520]{-32768} i8[1,1,1,520]{-128} i48[1]{0} i16[1]{0} i8[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48", "i48[1,1,1,1]{2181038080}"},
    // (32 + 2^-5)^2 - 1026 = 2^-10: products are not rounded to fp16.
    {"fp16[1,1,1,2]{32.03125,1026} fp16[1,1,1,2]{32.03125,-1} fp16[1]{0} fp16[1]{0} fp16[1]{0}",
     "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=fp32", "fp16[1,1,1,1]{0.0009765625}"},
};

}  // namespace

extern const OperatorDefinition conv2d_operator = {
    .op = Op::kConv2d,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kAccumulatorAndPadding,
               Specials::kNone, 3},
    .infer = InferConvolution,
    .check = CheckConvolution,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops

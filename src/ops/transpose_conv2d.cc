// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  ConvolveByChannel(d, call, "TRANSPOSE_CONV2D/REQUIRE/apply_add_s");
}

// Operands of 1 x 1 for the rules about attributes.
constexpr std::string_view kPixel = "i8[1,1,1,1]{1} i8[1,1,1,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}";

constexpr Example kExamples[] = {
    // Two channels in, two out: 3*1-4*2+10, 3*3-4*4+20.
    {"i8[1,1,1,2]{3,-4} i8[2,1,1,2]{1,2,3,4} i32[2]{10,20} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i32", "i32[1,1,1,2]{5,13}"},
    // The kernel 1 2 / 3 4 / 5 6, times 1 at row 0, column 0, times 2 at column 3, times 3 at row
    // 2, times 4 at row 2, column 3. The rows overlap in row 2: 5+3, 6+6, 10+4, 12+8. Column 2 is
    // met by nothing. The bias is 100.
    {"i8[1,2,2,1]{1,2,3,4} i8[1,3,2,1]{1,2,3,4,5,6} i32[1]{100} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[2,3] acc_type=i32",
     "i32[1,5,5,1]{101,102,100,102,104,103,104,100,106,108,108,112,100,114,120,109,112,100,112,116,"
     "115,118,100,120,124}"},
    // 1 2 3 / 4 5 6 times 1 at row 0, column 0, times 2 at column 2, times 3 at row 1, times 4 at
    // row 1, column 2:
    //   1 2 5 4 6 / 7 11 27 18 24 / 12 15 34 20 24.
    // One row more above, one less below, two columns less on the left, one more on the right.
    {"i16[1,2,2,1]{1,2,3,4} i8[1,2,3,1]{1,2,3,4,5,6} i48[1]{0} i16[1]{0} i8[1]{0}",
     "out_pad=[1,-1,-2,1] stride=[1,2] acc_type=i48", "i48[1,3,4,1]{0,0,0,0,5,4,6,0,27,18,24,0}"},
    // The same with one row less above, one more below, one column more on the left, two less on
    // the right.
    {"i16[1,2,2,1]{1,2,3,4} i8[1,2,3,1]{1,2,3,4,5,6} i48[1]{0} i16[1]{0} i8[1]{0}",
     "out_pad=[-1,1,1,-2] stride=[1,2] acc_type=i48", "i48[1,3,4,1]{0,7,11,27,0,12,15,34,0,0,0,0}"},
    // {5,7} - 5 = {0,2}, weights {3,2,3} - 1 = {2,1,2}: 2*2, 2*1, 2*2 from column 2 on. What lies
    // between the columns is 0 after the zero point, not before.
    {"i8[1,1,2,1]{5,7} i8[1,1,3,1]{3,2,3} i32[1]{100} i8[1]{5} i8[1]{1}",
     "out_pad=[0,0,0,0] stride=[1,2] acc_type=i32", "i32[1,1,5,1]{100,100,104,102,104}"},
    // A stride beyond the kernel: 2*3+1, the bias alone twice, 4*3+1.
    {"i16[1,1,2,1]{2,4} i8[1,1,1,1]{3} i48[1]{1} i16[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,3] acc_type=i48", "i48[1,1,4,1]{7,1,1,13}"},
    // Two images, one bias for two channels: 2*3+7, 2*-5+7; -4*3+7, -4*-5+7.
    {"i8[2,1,1,1]{2,-4} i4[2,1,1,1]{3,-5} i32[1]{7} i8[1]{0} i4[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i32", "i32[2,1,1,2]{13,-3,-5,27}"},
    // A weight that meets no element is not multiplied, though it is NaN: NaN*2, 3*2+1, NaN*0,
    // 3*0+1.
    {"fp32[1,1,2,1]{2,0} fp32[1,1,2,1]{nan,3} fp32[1]{1} fp32[1]{0} fp32[1]{-0}",
     "out_pad=[0,0,0,0] stride=[1,2] acc_type=fp32 local_bound=true", "fp32[1,1,4,1]{nan,7,nan,1}"},
    // 2048 + 1 lies halfway between fp16 2048 and 2050, and 2048 is even; with a bias of 1 the sum
    // is 2050: products and bias are rounded once.
    {"fp16[1,1,1,2]{2048,1} fp16[2,1,1,2]{1} fp16[2]{0,1} fp16[1]{0} fp16[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=fp32", "fp16[1,1,1,2]{2048,2050}"},
    // The bounds as biases: 1*-1 + 2^31-1, 1*1 - 2^31; 1*-1 + 2^47-1, 1*1 - 2^47.
    {"i8[1,1,1,1]{1} i8[2,1,1,1]{-1,1} i32[2]{2147483647,-2147483648} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i32", "i32[1,1,1,2]{2147483646,-2147483647}"},
    {"i16[1,1,1,1]{1} i8[2,1,1,1]{-1,1} i48[2]{140737488355327,-140737488355328} i16[1]{0} "
     "i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i48",
     "i48[1,1,1,2]{140737488355326,-140737488355327}"},
    // 1*1 + 2^31 - 1 is no i32; 1*(2-1) + 2^31 - 1 is an i48.
    {"i8[1,1,1,1]{1} i8[1,1,1,1]{1} i32[1]{2147483647} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable TRANSPOSE_CONV2D/REQUIRE/apply_add_s"},
    {"i16[1,1,1,1]{1} i8[1,1,1,1]{2} i48[1]{2147483647} i16[1]{0} i8[1]{1}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i48", "i48[1,1,1,1]{2147483648}"},
    {"i16[1,1,1,1]{1} i8[1,1,1,1]{1} i48[1]{0} i16[1]{1} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i48 output=i48[1,1,1,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/1"},
    {"i8[1,1,1,1]{1} i4[1,1,1,1]{1} i32[1]{0} i8[1]{0} i4[1]{1}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/2"},
    // A kernel of two rows and three columns, and an output of (3-1)*1-2+2 rows or (3-1)*1-3+3
    // columns.
    {"i8[1,3,3,1]{1} i8[1,2,3,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[-2,0,0,0] stride=[1,1] acc_type=i32 output=i32[1,2,5,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/3"},
    {"i8[1,3,3,1]{1} i8[1,2,3,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[0,-2,0,0] stride=[1,1] acc_type=i32 output=i32[1,2,5,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/3"},
    {"i8[1,3,3,1]{1} i8[1,2,3,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,-3,0] stride=[1,1] acc_type=i32 output=i32[1,4,2,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/4"},
    {"i8[1,3,3,1]{1} i8[1,2,3,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,-3] stride=[1,1] acc_type=i32 output=i32[1,4,2,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/4"},
    {kPixel, "out_pad=[0,0,0,0] stride=[0,1] acc_type=i32 output=i32[1,1,1,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/5"},
    {kPixel, "out_pad=[0,0,0,0] stride=[1,0] acc_type=i32 output=i32[1,1,1,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/5"},
    // (3-1)*2+1-1+2 = 6; (3-1)*1+2+0+3 = 7.
    {"i8[1,3,3,1]{1} i8[1,2,3,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[1,-1,2,0] stride=[2,1] acc_type=i32 output=i32[1,7,7,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/6"},
    {"i8[1,3,3,1]{1} i8[1,2,3,1]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[1,-1,2,0] stride=[2,1] acc_type=i32 output=i32[1,6,6,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/7"},
    {"i8[1,1,1,1]{1} i8[3,1,1,1]{1} i32[2]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i32 output=i32[1,1,1,3]",
     "error TRANSPOSE_CONV2D/ERROR_IF/8"},
    // 3 channels of data, 2 of weights.
    {"i8[1,1,1,3]{1} i8[1,1,1,2]{1} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "error TRANSPOSE_CONV2D/ERROR_IF/arguments"},
    // At the limits of the level: the last of 8192 rows or columns.
    {"i8[1,1,1,1]{2} i8[1,8192,1,1]{3} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[-8191,0,0,0] stride=[1,1] acc_type=i32", "i32[1,1,1,1]{6}"},
    {"i8[1,1,1,1]{2} i8[1,1,8192,1]{3} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,-8191,0] stride=[1,1] acc_type=i32", "i32[1,1,1,1]{6}"},
    // Nothing but the bias in 8192 + 1 + 8192 rows or columns.
    {"i8[1,1,1,1]{0} i8[1,1,1,1]{3} i32[1]{1} i8[1]{0} i8[1]{0}",
     "out_pad=[8192,8192,0,0] stride=[8192,8192] acc_type=i32", "i32[1,16385,1,1]{1}"},
    {"i8[1,1,1,1]{0} i8[1,1,1,1]{3} i32[1]{1} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,8192,8192] stride=[8192,8192] acc_type=i32", "i32[1,1,16385,1]{1}"},
    // Beyond them.
    {"i8[1,1,1,1]{2} i8[1,8193,1,1]{3} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[-8192,0,0,0] stride=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/1"},
    {"i8[1,1,1,1]{2} i8[1,1,8193,1]{3} i32[1]{0} i8[1]{0} i8[1]{0}",
     "out_pad=[0,0,-8192,0] stride=[1,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/2"},
    {kPixel, "out_pad=[8193,0,0,0] stride=[1,1] acc_type=i32 output=i32[1,8194,1,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/3"},
    {kPixel, "out_pad=[0,8193,0,0] stride=[1,1] acc_type=i32 output=i32[1,8194,1,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/4"},
    {kPixel, "out_pad=[0,0,8193,0] stride=[1,1] acc_type=i32 output=i32[1,1,8194,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/5"},
    {kPixel, "out_pad=[0,0,0,8193] stride=[1,1] acc_type=i32 output=i32[1,1,8194,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/6"},
    {kPixel, "out_pad=[0,0,0,0] stride=[8193,1] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/7"},
    {kPixel, "out_pad=[0,0,0,0] stride=[1,8193] acc_type=i32 output=i32[1,1,1,1]",
     "unpredictable TRANSPOSE_CONV2D/LEVEL_CHECK/8"},
    // -32768 * -128 * 520 = 2^22 * 520: the sum is no i32.
    {"i16[1,1,1,520]{-32768} i8[1,1,1,520]{-128} i48[1]{0} i16[1]{0} i8[1]{0}",
     "out_pad=[0,0,0,0] stride=[1,1] acc_type=i48", "i48[1,1,1,1]{2181038080}"},
};

}  // namespace

extern const OperatorDefinition transpose_conv2d_operator = {
    .op = Op::kTransposeConv2d,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kAccumulator,
               Specials::kNone, 1},
    .infer = InferConvolution,
    .check = CheckConvolution,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops

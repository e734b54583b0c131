// SPDX-License-Identifier: Apache-2.0
#include "pooling.h"
#include "scaling.h"
#include "zero_point.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const char* const overflow = "AVG_POOL2D/REQUIRE/apply_add_s";
  const DType type = call.in();
  const Pooling p(call.attributes());
  DotRule rule;
  rule.in_type = rule.weight_type = rule.out_type = type;
  rule.acc_type = call.attributes().type(AttributeId::kAccType);
  rule.kernel_size = p.kernel_y * p.kernel_x;
  rule.overflow = overflow;
  std::vector<Element> storage;
  const auto input = LessZeroPoint(d, call, 0, 1, storage);
  if (IsFloat(type)) rule.quantum = d.Quantum(type, input);
  Pool(d, call, input, [&](std::span<const Element> window) {
    const int64_t count = std::ssize(window);
    if constexpr (kHasIntegers<D>) {
      if (!IsFloat(type)) {
        Element acc = d.Sum(rule, window);
        acc = ApplyScale32(d, acc, ReciprocalScale(count), "AVG_POOL2D/REQUIRE/apply_scale_32");
        acc = d.Add(rule.acc_type, acc, call.input(2)[0], overflow);
        return d.Clip(acc, MinimumInteger(type), MaximumInteger(type));
      }
    }
    return d.Average(rule, window, count);
  });
}

// A single element for the rules about attributes.
constexpr std::string_view kPixel = "i8[1,1,1,1]{1} i8[1]{0} i8[1]{0}";

constexpr Example kExamples[] = {
    // Rows -1,0 and 2,3 (stride 3, one row of padding on either side), columns 0..2 and 2..4
    // (stride 2, one column of padding on the right) of
    //   1 2 3 4 / 5 6 7 8 / 9 10 11 12:
    // 6/3; 7/2 = 3.5, half up to 4; 30/3; 23/2 = 11.5, to 12. Padding does not count.
    {"i8[1,3,4,1]{1,2,3,4,5,6,7,8,9,10,11,12} i8[1]{0} i8[1]{0}",
     "kernel=[2,3] stride=[3,2] pad=[1,1,0,1] acc_type=i32", "i8[1,2,2,1]{2,4,10,12}"},
    // The same turned by a quarter: 4 rows of 3, rows 0..2 and 2..4, columns -1,0 and 2,3.
    {"i16[1,4,3,1]{1,5,9,2,6,10,3,7,11,4,8,12} i16[1]{0} i16[1]{0}",
     "kernel=[3,2] stride=[2,3] pad=[0,1,1,1] acc_type=i32", "i16[1,2,2,1]{2,10,4,12}"},
    // The ends of the range as zero points: (-10 - 6) / 2 + 127; 2 * (-10 + 128) / 2 - 128.
    {"i8[1,1,2,1]{-10,-6} i8[1]{0} i8[1]{127}",
     "kernel=[1,2] stride=[1,1] pad=[0,0,0,0] acc_type=i32", "i8[1,1,1,1]{119}"},
    {"i8[1,1,2,1]{-10,-10} i8[1]{-128} i8[1]{-128}",
     "kernel=[1,2] stride=[1,1] pad=[0,0,0,0] acc_type=i32", "i8[1,1,1,1]{-10}"},
    // The sums of 4 elements are 11, -10, -9: multiplier ((2^30+1) << 2) / 4 = 2^30+1, shift 32.
    // 11 * (2^30+1) + 2^31 = 13 * 2^30 + 11 -> 3. -10 * (2^30+1) + 2^31 = -8 * 2^30 - 10 -> -3,
    // because the multiplier is a little more than a quarter. -9: -7 * 2^30 - 9 -> -2.
    {"i8[1,3,4,1]{1,2,3,5,-1,-2,-3,-4,-2,-2,-2,-3} i8[1]{0} i8[1]{0}",
     "kernel=[1,4] stride=[1,1] pad=[0,0,0,0] acc_type=i32", "i8[1,3,1,1]{3,-3,-2}"},
    // Input zero point 4, output zero point -3; window {pad,10}: (10-4)/1 - 3; window {20,40}:
    // (16+36)/2 - 3.
    {"i8[1,1,3,1]{10,20,40} i8[1]{4} i8[1]{-3}",
     "kernel=[1,2] stride=[1,2] pad=[0,0,1,0] acc_type=i32", "i8[1,1,2,1]{3,23}"},
    // Two images of two channels: (1+3)/2, (10+30)/2; (5+7)/2, (50+70)/2.
    {"i8[2,1,2,2]{1,10,3,30,5,50,7,70} i8[1]{0} i8[1]{0}",
     "kernel=[1,2] stride=[1,1] pad=[0,0,0,0] acc_type=i32", "i8[2,1,1,2]{2,20,6,60}"},
    // (127 + 128) + 10 = 265 and (-128 - 127) - 10 = -265 are clipped.
    {"i8[1,1,1,1]{127} i8[1]{-128} i8[1]{10}",
     "kernel=[1,1] stride=[1,1] pad=[0,0,0,0] acc_type=i32", "i8[1,1,1,1]{127}"},
    {"i8[1,1,1,1]{-128} i8[1]{127} i8[1]{-10}",
     "kernel=[1,1] stride=[1,1] pad=[0,0,0,0] acc_type=i32", "i8[1,1,1,1]{-128}"},
    // Floats: (1+2)/2 beside a column of padding; fp16 sum 131008 is no overflow; NaN stays.
    {"fp16[1,1,2,1]{1,2} fp16[1]{0} fp16[1]{-0}",
     "kernel=[1,3] stride=[1,1] pad=[0,0,1,0] acc_type=fp32", "fp16[1,1,1,1]{1.5}"},
    {"fp16[1,2,2,1]{65504,nan,65504,1} fp16[1]{0} fp16[1]{0}",
     "kernel=[2,1] stride=[1,1] pad=[0,0,0,0] acc_type=fp16", "fp16[1,1,2,1]{65504,nan}"},
    // bf16 has 8 bits of precision: 257 / 2 = 128.5 lies halfway between 128 and 129; 128 is even.
    {"bf16[1,2,1,1]{128,129} bf16[1]{0} bf16[1]{0}",
     "kernel=[2,1] stride=[1,1] pad=[0,0,0,0] acc_type=fp32", "bf16[1,1,1,1]{128}"},
    {"i16[1,1,1,1]{1} i16[1]{1} i16[1]{0}", "kernel=[1,1] stride=[1,1] pad=[0,0,0,0] acc_type=i32",
     "error AVG_POOL2D/ERROR_IF/1"},
    {"fp32[1,1,1,1]{1} fp32[1]{0} fp32[1]{1}",
     "kernel=[1,1] stride=[1,1] pad=[0,0,0,0] acc_type=fp32", "error AVG_POOL2D/ERROR_IF/2"},
    {kPixel, "kernel=[0,1] stride=[1,1] pad=[0,0,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/3"},
    {kPixel, "kernel=[1,0] stride=[1,1] pad=[0,0,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/3"},
    {kPixel, "kernel=[1,1] stride=[0,1] pad=[0,0,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/4"},
    {kPixel, "kernel=[1,1] stride=[1,0] pad=[0,0,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/4"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[-1,0,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/5"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,-1,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/5"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,-1,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/5"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,0,-1] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/5"},
    // Padding of 2 beside a kernel of 2; the other side of the kernel is larger.
    {kPixel, "kernel=[3,2] stride=[1,1] pad=[0,0,2,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/6"},
    {kPixel, "kernel=[3,2] stride=[1,1] pad=[0,0,0,2] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/6"},
    {kPixel, "kernel=[2,3] stride=[1,1] pad=[2,0,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/7"},
    {kPixel, "kernel=[2,3] stride=[1,1] pad=[0,2,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "error AVG_POOL2D/ERROR_IF/7"},
    // (4 - 1) / 2 leaves a rest.
    {"i8[1,4,1,1]{1} i8[1]{0} i8[1]{0}",
     "kernel=[1,1] stride=[2,1] pad=[0,0,0,0] acc_type=i32 output=i8[1,2,1,1]",
     "error AVG_POOL2D/ERROR_IF/idiv_check"},
    {"i8[1,1,4,1]{1} i8[1]{0} i8[1]{0}",
     "kernel=[1,1] stride=[1,2] pad=[0,0,0,0] acc_type=i32 output=i8[1,1,2,1]",
     "error AVG_POOL2D/ERROR_IF/idiv_check"},
    // (4 - 2) / 2 + 1 = 2; (4 - 2) / 1 + 1 = 3.
    {"i8[1,4,4,1]{1} i8[1]{0} i8[1]{0}",
     "kernel=[2,2] stride=[2,1] pad=[0,0,0,0] acc_type=i32 output=i8[1,3,3,1]",
     "error AVG_POOL2D/ERROR_IF/8"},
    {"i8[1,4,4,1]{1} i8[1]{0} i8[1]{0}",
     "kernel=[2,2] stride=[2,1] pad=[0,0,0,0] acc_type=i32 output=i8[1,2,2,1]",
     "error AVG_POOL2D/ERROR_IF/9"},
    // i8 does not accumulate in floats.
    {"i8[1,1,1,1]{1} i8[1]{0} i8[1]{0}", "kernel=[1,1] stride=[1,1] pad=[0,0,0,0] acc_type=fp32",
     "error AVG_POOL2D/ERROR_IF/types"},
    // 257 * 257 * 32767 = 2164227583 > 2^31 - 1.
    {"i16[1,257,257,1]{32767} i16[1]{0} i16[1]{0}",
     "kernel=[257,257] stride=[1,1] pad=[0,0,0,0] acc_type=i32",
     "unpredictable AVG_POOL2D/REQUIRE/apply_add_s"},
    // At the limits of the level: one window, whose only element is in its last corner.
    {"i8[1,1,1,1]{7} i8[1]{0} i8[1]{0}",
     "kernel=[8192,8192] stride=[8192,8192] pad=[8191,0,8191,0] acc_type=i32", "i8[1,1,1,1]{7}"},
    // Beyond them. (Padding that is too large is also an error, which unpredictable overrides.)
    {kPixel, "kernel=[8193,1] stride=[1,1] pad=[8192,0,0,0] acc_type=i32",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/1"},
    {kPixel, "kernel=[1,8193] stride=[1,1] pad=[0,0,0,8192] acc_type=i32",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/2"},
    {kPixel, "kernel=[1,1] stride=[8193,1] pad=[0,0,0,0] acc_type=i32",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/3"},
    {kPixel, "kernel=[1,1] stride=[1,8193] pad=[0,0,0,0] acc_type=i32",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/4"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[8193,0,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/5"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,8193,0,0] acc_type=i32 output=i8[1,1,1,1]",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/6"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,8193,0] acc_type=i32 output=i8[1,1,1,1]",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/7"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,0,8193] acc_type=i32 output=i8[1,1,1,1]",
     "unpredictable AVG_POOL2D/LEVEL_CHECK/8"},
};

}  // namespace

extern const OperatorDefinition avg_pool2d_operator = {
    .op = Op::kAvgPool2d,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kAccumulator,
               Specials::kNone},
    .infer = InferPooling,
    .check = CheckPooling,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops

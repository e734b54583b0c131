#include <algorithm>

#include "conv2d_geometry.h"
#include "levels.h"
#include "zero_point.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  if (s.shape(0).rank() != 4 || s.shape(1).rank() != 4) return false;
  const Conv2dGeometry g(s);
  if (s.shape(1)[3] != g.IC || g.stride_y < 1 || g.stride_x < 1) return false;
  const int64_t OH = DividedDimension(g.Height(), g.stride_y);
  const int64_t OW = DividedDimension(g.Width(), g.stride_x);
  const int64_t limit = MaximumInteger(DType::kInt32);
  if (OH < 1 || OW < 1 || OH > limit || OW > limit) return false;
  outputs[0].shape = {s.shape(0)[0], static_cast<int32_t>(OH), static_cast<int32_t>(OW),
                      s.shape(1)[0]};
  return true;
}

void Checks(const Signature& s, const Level& level, Judgement& j) {
  const Conv2dGeometry g(s);
  j.Require(g.dilation_y * g.KH <= level.max_kernel, "CONV2D/LEVEL_CHECK/1");
  j.Require(g.dilation_x * g.KW <= level.max_kernel, "CONV2D/LEVEL_CHECK/2");
  j.Require(g.pad_top <= level.max_kernel, "CONV2D/LEVEL_CHECK/3");
  j.Require(g.pad_bottom <= level.max_kernel, "CONV2D/LEVEL_CHECK/4");
  j.Require(g.pad_left <= level.max_kernel, "CONV2D/LEVEL_CHECK/5");
  j.Require(g.pad_right <= level.max_kernel, "CONV2D/LEVEL_CHECK/6");
  j.Require(g.stride_y <= level.max_stride, "CONV2D/LEVEL_CHECK/7");
  j.Require(g.stride_x <= level.max_stride, "CONV2D/LEVEL_CHECK/8");
  j.ErrorIf(s.in(0) != DType::kInt8 && !s.IsZero(3), "CONV2D/ERROR_IF/1");
  j.ErrorIf(s.in(1) != DType::kInt8 && !s.IsZero(4), "CONV2D/ERROR_IF/2");
  j.ErrorIf(g.pad_top < 0 || g.pad_bottom < 0 || g.pad_left < 0 || g.pad_right < 0,
            "CONV2D/ERROR_IF/3");
  j.ErrorIf(g.stride_y < 1 || g.stride_x < 1, "CONV2D/ERROR_IF/4");
  j.ErrorIf(g.dilation_y < 1 || g.dilation_x < 1, "CONV2D/ERROR_IF/5");
  if (!j.valid()) return;
  const Shape& to = s.out_shape();
  CheckDividedDimension(to[1], g.Height(), g.stride_y, j, "CONV2D/ERROR_IF/idiv_check",
                        "CONV2D/ERROR_IF/6");
  CheckDividedDimension(to[2], g.Width(), g.stride_x, j, "CONV2D/ERROR_IF/idiv_check",
                        "CONV2D/ERROR_IF/7");
  const int32_t BC = s.shape(2)[0];
  j.ErrorIf(BC != g.OC && BC != 1, "CONV2D/ERROR_IF/8");
}

// The data operands of one output position are gathered once, in the order of ky, kx, ic, and
// serve all output channels. Padding positions are left out of the dot product; the weights met
// there are handed to it separately.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const Conv2dGeometry g(call.signature);
  const int64_t KS = g.KH * g.KW * g.IC;
  DotRule rule;
  rule.in_type = call.in(0);
  rule.weight_type = call.in(1);
  rule.acc_type = call.attributes().type(AttributeId::kAccType);
  rule.out_type = call.out();
  rule.kernel_size = KS;
  rule.overflow = "CONV2D/REQUIRE/apply_add_s";
  const bool local_bound = call.attributes().Has(AttributeId::kLocalBound) &&
                           call.attributes().Flag(AttributeId::kLocalBound);
  if (IsFloat(rule.in_type) && !local_bound) {
    rule.input_maximum = D::MaximumMagnitude(*call.input(0).elements);
  }
  std::vector<Element> input_storage;
  std::vector<Element> weight_storage;
  const auto input = LessZeroPoint(d, call, 0, 3, input_storage);
  const auto weight = LessZeroPoint(d, call, 1, 4, weight_storage);
  const Element* bias = call.input(2).elements->data();
  const int64_t bias_step = call.shape(2)[0] == 1 ? 0 : 1;

  std::vector<Element> taps;
  std::vector<Element> inside;
  std::vector<Element> padding;
  const auto append = [](std::vector<Element>& to, std::span<const Element> from, int64_t start,
                         int64_t count) {
    to.insert(to.end(), from.data() + start, from.data() + start + count);
  };
  const Shape& to = call.out_shape();
  size_t position = 0;
  for (int64_t n = 0; n < to[0]; ++n) {
    for (int64_t oy = 0; oy < to[1]; ++oy) {
      const int64_t iy = oy * g.stride_y - g.pad_top;
      const InsideRange rows(iy, g.KH, g.dilation_y, g.IH);
      for (int64_t ox = 0; ox < to[2]; ++ox) {
        const int64_t ix = ox * g.stride_x - g.pad_left;
        const InsideRange columns(ix, g.KW, g.dilation_x, g.IW);
        taps.clear();
        for (int64_t ky = rows.first; ky < rows.last; ++ky) {
          const int64_t row = (n * g.IH + iy + ky * g.dilation_y) * g.IW + ix;
          for (int64_t kx = columns.first; kx < columns.last; ++kx) {
            append(taps, input, (row + kx * g.dilation_x) * g.IC, g.IC);
          }
        }
        const bool whole = std::ssize(taps) == KS;
        for (int64_t oc = 0; oc < g.OC; ++oc) {
          const int64_t first = oc * KS;
          std::span<const Element> weights(weight.data() + first, static_cast<size_t>(KS));
          if (!whole) {
            inside.clear();
            padding.clear();
            for (int64_t ky = 0; ky < g.KH; ++ky) {
              for (int64_t kx = 0; kx < g.KW; ++kx) {
                const bool in_image =
                    ky >= rows.first && ky < rows.last && kx >= columns.first && kx < columns.last;
                append(in_image ? inside : padding, weight, first + (ky * g.KW + kx) * g.IC, g.IC);
              }
            }
            weights = inside;
          }
          call.output()[position++] =
              d.Store(rule.out_type, d.Dot(rule, taps, weights, padding, bias + oc * bias_step));
        }
        padding.clear();
      }
    }
  }
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
};

}  // namespace

extern const OperatorDefinition conv2d_operator = {
    .op = Op::kConv2d,
    .infer = Infer,
    .check = Checks,
    .value = Meaning<ValueDomain>,
    .bound = Meaning<BoundDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops

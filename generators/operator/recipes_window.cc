// SPDX-License-Identifier: Apache-2.0
// Recipes of the operators that slide a window, multiply matrices, transform or resize.
#include <algorithm>
#include <array>
#include <cmath>

#include "float_format.h"
#include "recipe.h"
#include "resize_border.h"

namespace assay {
namespace {

// The number of taps beyond which a dot product costs more than it finds.
constexpr int64_t kTapsMax = 64;

int32_t Between(Draft& draft, int64_t low, int64_t high) {
  return draft.choices().Between32(static_cast<int32_t>(low),
                                   static_cast<int32_t>(std::max(low, high)));
}

// Returns the range of operands of dot products of n taps: any integers, or floats such that no sum
// overflows.
ValueRange Factor(DType type, DType accumulator, int64_t taps) {
  if (!IsFloat(type)) return ValueRange::All(type);
  const double most = std::sqrt(FormatOf(accumulator).max / static_cast<double>(4 * taps));
  return ValueRange::Between(-std::min(most, FormatOf(type).max),
                             std::min(most, FormatOf(type).max));
}

ValueRange Bias(DType type) {
  if (IsFloat(type)) {
    return ValueRange::Between(-FormatOf(type).max / 4, FormatOf(type).max / 4);
  }
  const ValueRange all = ValueRange::All(type);
  return ValueRange::Between(all.low / 2, all.high / 2);
}

// The zero points of an i8 operand that may be wished: any, or an end of the type. Other types have
// none.
enum class End { kAny, kLowest, kHighest };

int64_t ZeroPoint(Draft& draft, DType type, End end) {
  if (type != DType::kInt8) return 0;
  if (end != End::kAny) return end == End::kLowest ? -128 : 127;
  return draft.choices().OneIn(3) ? 0 : draft.choices().Between(-128, 127);
}

End EndOf(int attribute_class, int lowest, int highest) {
  return attribute_class == lowest    ? End::kLowest
         : attribute_class == highest ? End::kHighest
                                      : End::kAny;
}

enum ConvClass {
  kPlain,
  kStride,
  kDilation,
  kPadding,
  kOneTap,
  kBiasOne,
  kLowestZeroPoints,
  kLocalBound,
  kHighestZeroPoints
};
constexpr std::string_view kConvClasses[] = {"plain",
                                             "stride",
                                             "dilation",
                                             "padding",
                                             "1x1",
                                             "bias-one",
                                             "lowest-zero-points",
                                             "local-bound",
                                             "highest-zero-points"};

// One axis of a convolution, drawn such that the stride divides.
struct Axis {
  int32_t in, kernel, before, after, stride, dilation, out;
};

Axis DrawAxis(Draft& draft, int32_t in) {
  const int cls = draft.attribute_class();
  Axis axis{};
  axis.in = in;
  axis.kernel = cls == kOneTap ? 1 : Between(draft, 1, std::min<int32_t>(in + 1, 3));
  axis.stride = cls == kStride ? Between(draft, 2, 3) : 1;
  axis.dilation = cls == kDilation ? Between(draft, 2, 3) : 1;
  const bool padded = cls == kPadding || (cls == kOneTap && draft.choices().Below(2) == 0);
  axis.before = padded ? Between(draft, 0, 3) : 0;
  axis.after = padded ? Between(draft, 0, 3) : 0;
  int32_t span = in - 1 + axis.before + axis.after - (axis.kernel - 1) * axis.dilation;
  if (span < 0) axis.after -= span;
  span = std::max(span, 0);
  const int32_t rest = span % axis.stride;
  if (rest != 0) axis.after += axis.stride - rest;
  axis.out = (span + (rest != 0 ? axis.stride - rest : 0)) / axis.stride + 1;
  return axis;
}

constexpr int kBias = 2;  // the position of the operand

// Returns a number of output channels, or of output channels for each input channel, up to `room`.
// It is small, unless biases must have a number of every class.
int32_t DrawWidth(Draft& draft, int64_t room) {
  return Between(draft, 1, std::min<int64_t>(draft.sweeps(kBias) ? 16 : 4, room));
}

// Adds the bias, zero points and the attributes that all convolutions share.
void FinishConv(Draft& draft, int32_t channels, DType acc) {
  const int cls = draft.attribute_class();
  const DType in = draft.type("in_t");
  const DType weight = draft.type("weight_t");
  const DType out = draft.type("out_t");
  const bool one = cls == kBiasOne || (draft.choices().OneIn(4) && !draft.sweeps(kBias));
  draft.Of({out, Shape{one ? 1 : channels}}, Bias(out));
  const End end = EndOf(cls, kLowestZeroPoints, kHighestZeroPoints);
  draft.Constant(in, ZeroPoint(draft, in, end));
  draft.Constant(weight, ZeroPoint(draft, weight, end));
  draft.Set(AttributeId::kAccType, static_cast<int32_t>(acc));
  if (cls == kLocalBound) draft.Set(AttributeId::kLocalBound, draft.choices().Below(4) != 0);
}

// Proposes CONV2D, CONV3D (`kAxes` spatial dimensions) or DEPTHWISE_CONV2D.
template <int kAxes, bool kDepthwise>
bool ProposeConv(Draft& draft) {
  const DType in = draft.type("in_t");
  const DType weight = draft.type("weight_t");
  const DType acc = draft.type("acc_t");
  const int64_t most = draft.elements_max();
  draft.Any(in, kAxes + 2, kAxes + 2, Factor(in, acc, kTapsMax), [&](const Shape& shape) {
    return shape.Elements() <= most / 2 && shape[kAxes + 1] <= 8;
  });
  const Shape from = draft.shape();
  const int32_t channels = from[kAxes + 1];
  std::array<Axis, kAxes> axes;
  int64_t taps = kDepthwise ? 1 : channels;
  int64_t positions = from[0];
  std::vector<int32_t> pad, stride, dilation;
  for (int i = 0; i < kAxes; ++i) {
    Axis& axis = axes[static_cast<size_t>(i)];
    axis = DrawAxis(draft, from[i + 1]);
    taps *= axis.kernel;
    positions *= axis.out;
    pad.push_back(axis.before);
    pad.push_back(axis.after);
    stride.push_back(axis.stride);
    dilation.push_back(axis.dilation);
  }
  const int64_t per_channel = positions * (kDepthwise ? channels : 1);
  if (taps > kTapsMax || per_channel > most) return false;
  const int32_t wide = DrawWidth(draft, most / per_channel);
  Shape kernel;
  if (!kDepthwise) kernel.PushBack(wide);
  for (const Axis& axis : axes) kernel.PushBack(axis.kernel);
  kernel.PushBack(channels);
  if (kDepthwise) kernel.PushBack(wide);
  draft.Of({weight, kernel}, Factor(weight, acc, taps));
  FinishConv(draft, kDepthwise ? channels * wide : wide, acc);
  draft.Set(AttributeId::kPad, std::move(pad));
  draft.Set(AttributeId::kStride, std::move(stride));
  draft.Set(AttributeId::kDilation, std::move(dilation));
  return true;
}

// TRANSPOSE_CONV2D has no dilation; its class may crop the sides instead. Compilers that split the
// kernel by the stride pad nothing if the kernel is as large as the stride.
constexpr int kCrop = kDilation;
constexpr int kKernelOfStride = kHighestZeroPoints + 1;
constexpr std::string_view kTransposeConvClasses[] = {"plain",
                                                      "stride",
                                                      "crop",
                                                      "padding",
                                                      "1x1",
                                                      "bias-one",
                                                      "lowest-zero-points",
                                                      "local-bound",
                                                      "highest-zero-points",
                                                      "kernel-of-stride"};

bool ProposeTransposeConv(Draft& draft) {
  const DType in = draft.type("in_t");
  const DType weight = draft.type("weight_t");
  const DType acc = draft.type("acc_t");
  const int cls = draft.attribute_class();
  const int64_t most = draft.elements_max();
  draft.Any(in, 4, 4, Factor(in, acc, kTapsMax),
            [&](const Shape& shape) { return shape.Elements() <= most / 4 && shape[3] <= 8; });
  const Shape from = draft.shape();
  const int32_t channels = from[3];
  std::array<int32_t, 2> kernel, out;
  std::vector<int32_t> pad, stride;
  for (size_t i = 0; i < 2; ++i) {
    kernel[i] =
        cls == kOneTap ? 1 : Between(draft, cls == kCrop || cls == kKernelOfStride ? 2 : 1, 3);
    stride.push_back(cls == kStride || cls == kCrop ? Between(draft, 2, 3) : 1);
    if (cls == kKernelOfStride) stride[i] = kernel[i];
    const int32_t whole = (from[static_cast<int>(i) + 1] - 1) * stride[i] + kernel[i];
    const int32_t least = std::max(-(kernel[i] - 1), -(whole - 1) / 2);
    for (int side = 0; side < 2; ++side) {
      pad.push_back(cls == kPadding ? Between(draft, least, 2)
                    : cls == kCrop  ? Between(draft, least, 0)
                                    : 0);
    }
    out[i] = whole + pad[2 * i] + pad[2 * i + 1];
  }
  const int64_t positions = static_cast<int64_t>(from[0]) * out[0] * out[1];
  if (out[0] < 1 || out[1] < 1 || positions > most) return false;
  const int32_t wide = DrawWidth(draft, most / positions);
  draft.Of({weight, Shape{wide, kernel[0], kernel[1], channels}},
           Factor(weight, acc, static_cast<int64_t>(channels) * kernel[0] * kernel[1]));
  FinishConv(draft, wide, acc);
  draft.Set(AttributeId::kOutPad, std::move(pad));
  draft.Set(AttributeId::kStride, std::move(stride));
  return true;
}

constexpr std::string_view kPoolClasses[] = {"plain",
                                             "stride",
                                             "padding",
                                             "whole-image",
                                             "1x1-kernel",
                                             "lowest-zero-points",
                                             "highest-zero-points"};

bool ProposePool(Draft& draft) {
  const bool average = draft.op() == Op::kAvgPool2d;
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  ValueRange range = ValueRange::All(type);
  if (average && IsFloat(type)) {
    range = ValueRange::Between(-FormatOf(type).max / kTapsMax, FormatOf(type).max / kTapsMax);
  }
  draft.Any(type, 4, 4, range);
  const Shape from = draft.shape();
  std::vector<int32_t> kernel, stride, pad;
  int64_t taps = 1;
  for (int i = 1; i <= 2; ++i) {
    int32_t size = cls == 3 ? from[i] : cls == 4 ? 1 : Between(draft, 1, std::min(from[i], 3));
    int32_t before = 0;
    int32_t after = 0;
    if (cls == 2) {
      size = Between(draft, 2, 3);
      before = Between(draft, 0, size - 1);
      after = Between(draft, 0, size - 1);
      // At least one window fits.
      after = std::max(after, std::min(size - 1, size - from[i] - before));
    }
    const int32_t span = from[i] + before + after - size;
    if (span < 0) return false;
    // Any divisor of the span will do as stride.
    int32_t step = cls == 0 || cls == 2 ? 1 : Between(draft, 1, 3);
    if (cls == 1) step = Between(draft, 2, 3);
    while (step > 1 && span % step != 0) --step;
    kernel.push_back(size);
    stride.push_back(step);
    pad.push_back(before);
    pad.push_back(after);
    taps *= size;
  }
  if (taps > kTapsMax) return false;
  if (average) {
    const End end = EndOf(cls, 5, 6);
    draft.Constant(type, ZeroPoint(draft, type, end));
    draft.Constant(type, ZeroPoint(draft, type, end));
    draft.Set(AttributeId::kAccType, static_cast<int32_t>(draft.type("acc_t")));
  } else {
    draft.SetNanMode();
  }
  draft.Set(AttributeId::kKernel, std::move(kernel));
  draft.Set(AttributeId::kStride, std::move(stride));
  draft.Set(AttributeId::kPad, std::move(pad));
  return true;
}

constexpr std::string_view kMatmulClasses[] = {"plain", "one-column", "one-tap",
                                               "lowest-zero-points", "highest-zero-points"};

bool ProposeMatmul(Draft& draft) {
  const DType type = draft.type("in_t");
  const DType out = draft.type("out_t");
  const int cls = draft.attribute_class();
  const ValueRange range = Factor(type, out, draft.dimension_max());
  draft.Any(type, 3, 3, range, [&](const Shape& shape) { return cls != 2 || shape[2] == 1; });
  const Shape a = draft.shape();
  if (a[2] > kTapsMax) return false;
  const int64_t rows = static_cast<int64_t>(a[0]) * a[1];
  const int64_t widest = std::min<int64_t>(
      {draft.dimension_max(), draft.elements_max() / rows, draft.elements_max() / (a[0] * a[2])});
  if (widest < 1) return false;
  const int32_t width = cls == 1 ? 1 : Between(draft, 1, widest);
  draft.Of({type, Shape{a[0], a[2], width}}, range);
  const End end = EndOf(cls, 3, 4);
  draft.Constant(type, ZeroPoint(draft, type, end));
  draft.Constant(type, ZeroPoint(draft, type, end));
  return true;
}

constexpr std::string_view kFftClasses[] = {"square",      "one-row",     "one-column",
                                            "one-element", "local-bound", "long"};

bool ProposeFft(Draft& draft) {
  const bool complex = draft.op() == Op::kFft2d;
  const int cls = draft.attribute_class();
  const auto side = [&] { return int32_t{1} << Between(draft, 1, 3); };
  Shape shape = {Between(draft, 1, 2), cls == 1 || cls == 3 ? 1 : side(),
                 cls == 2 || cls == 3 ? 1 : side()};
  if (cls == 5) {
    // As many rows or columns as possible, and one, two or four of the others.
    const int axis = static_cast<int>(draft.choices().Between(1, 2));
    shape = {1, 1 << Between(draft, 0, 2), 1 << Between(draft, 0, 2)};
    // In a graph, an axis is long enough if the operator does not take as long as all others
    // together.
    const int64_t longest = draft.alone() ? draft.elements_max() : 64;
    while (2 * shape.Elements() <= longest) shape[axis] *= 2;
  }
  const TensorType type = {draft.type("in_out_t"), shape};
  const ValueRange range = ValueRange::Between(-0x1p60, 0x1p60);
  draft.Of(type, range);
  if (complex) {
    draft.Of(type, range);
    draft.Set(AttributeId::kInverse, draft.choices().Below(2) == 0);
  }
  if (cls == 4) draft.Set(AttributeId::kLocalBound, draft.choices().Below(4) != 0);
  return true;
}

constexpr std::string_view kResizeClasses[] = {
    "same", "up", "down", "fraction", "offset", "scale-maximum", "one-pixel", "border"};

// One axis of RESIZE: numerator, denominator, offset and border such that the division is exact.
struct Resized {
  int32_t n, d, offset, border, out;
};

bool DrawResized(Draft& draft, int32_t in, int64_t longest, Resized& axis) {
  constexpr std::array<int32_t, 6> kFactors = {2, 3, 4, 5, 8, 16};
  const int cls = draft.attribute_class();
  const bool scales_up = cls == 1 || cls == 3 || cls == 6 || cls == 7;
  axis.n = scales_up ? draft.choices().Pick(kFactors) : 1;
  axis.d = cls == 2 || cls == 3 ? draft.choices().Pick(kFactors) : 1;
  if (cls == 5) axis.n = in == 1 ? draft.builder().level().max_scale : 2048;
  if (cls == 5 && in > 1) axis.d = 2048;
  if (cls == 4) axis.n = axis.d = 4;
  axis.d = std::min(axis.d, 16 * axis.n - 1);
  axis.offset = cls == 0 ? 0 : Between(draft, -axis.n, std::min(axis.n, 15));
  if (axis.offset >= 16 * axis.n) axis.offset = 0;
  // The border takes the remainder of the division, and may take whole steps more.
  const int64_t span = static_cast<int64_t>(in - 1) * axis.n - axis.offset;
  int64_t border = ExactBorder(in, axis.n, axis.d, axis.offset);
  if (cls == 7) {
    const int64_t more = (axis.n - 1 - border) / axis.d;
    border += axis.d * Between(draft, -std::min<int64_t>(3, (span + border) / axis.d), more);
  } else if (border + axis.d < axis.n && draft.choices().Below(2) == 0) {
    border += axis.d;
  }
  if (border < -16 * static_cast<int64_t>(axis.n) || span + border < 0) return false;
  axis.border = static_cast<int32_t>(border);
  const int64_t out = (span + border) / axis.d + 1;
  axis.out = static_cast<int32_t>(out);
  return out >= 1 && out <= longest && border < axis.n;
}

bool ProposeResize(Draft& draft) {
  const DType type = draft.type("in_t");
  if (draft.attribute_class() == 6) {
    const Shape pixel = {Between(draft, 1, 3), 1, 1, Between(draft, 1, draft.dimension_max())};
    draft.Fresh({type, pixel}, ValueRange::All(type));
  } else {
    draft.Any(type, 4, 4, ValueRange::All(type),
              [&](const Shape& shape) { return shape.Elements() <= draft.elements_max() / 2; });
  }
  const Shape from = draft.shape();
  const int64_t room = draft.elements_max() / (from[0] * from[3]);
  Resized y, x;
  if (!DrawResized(draft, from[1], room, y)) return false;
  if (!DrawResized(draft, from[2], room / y.out, x)) return false;
  draft.ShapeOperand(std::array<int64_t, 4>{y.n, y.d, x.n, x.d});
  draft.ShapeOperand(std::array<int64_t, 2>{y.offset, x.offset});
  draft.ShapeOperand(std::array<int64_t, 2>{y.border, x.border});
  ResizeMode mode = ResizeModeOf(draft.type_row());
  if (mode == ResizeMode::kUnknown) {
    mode = draft.choices().Below(2) == 0 ? ResizeMode::kNearest : ResizeMode::kBilinear;
  }
  draft.Set(AttributeId::kMode, static_cast<int32_t>(mode));
  return true;
}

constexpr Recipe kWindowRecipes[] = {
    {Op::kConv2d, kConvClasses, ProposeConv<2, false>},
    {Op::kConv3d, kConvClasses, ProposeConv<3, false>},
    {Op::kDepthwiseConv2d, kConvClasses, ProposeConv<2, true>},
    {Op::kTransposeConv2d, kTransposeConvClasses, ProposeTransposeConv},
    {Op::kAvgPool2d, kPoolClasses, ProposePool},
    {Op::kMaxPool2d, std::span(kPoolClasses).first(5), ProposePool},
    {Op::kMatmul, kMatmulClasses, ProposeMatmul},
    {Op::kFft2d, kFftClasses, ProposeFft},
    {Op::kRfft2d, kFftClasses, ProposeFft},
    {Op::kResize, kResizeClasses, ProposeResize},
};

}  // namespace

std::span<const Recipe> WindowRecipes() { return kWindowRecipes; }

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

#include <algorithm>

#include "levels.h"
#include "numbered_checks.h"

namespace assay::ops {

Convolution::Convolution(const Signature& s)
    : rank(static_cast<size_t>(s.shape(0).rank() - 2)),
      N(s.shape(0)[0]),
      groups(1),
      IC(s.shape(0)[static_cast<int>(rank) + 1]),
      OC(s.shape(1)[0]),
      transposed(s.op == Op::kTransposeConv2d) {
  const bool depthwise = s.op == Op::kDepthwiseConv2d;
  const Attributes& attributes = *s.attributes;
  const auto& stride = attributes.Ints(AttributeId::kStride);
  const auto& pad = attributes.Ints(transposed ? AttributeId::kOutPad : AttributeId::kPad);
  for (size_t i = 0; i < rank; ++i) {
    ConvolutionAxis& axis = axes[3 - rank + i];
    const int index = static_cast<int>(i);
    axis.I = s.shape(0)[index + 1];
    axis.K = s.shape(1)[depthwise ? index : index + 1];
    axis.stride = stride[i];
    if (!transposed) axis.dilation = attributes.Ints(AttributeId::kDilation)[i];
    axis.pad_before = pad[2 * i];
    axis.pad_after = pad[2 * i + 1];
  }
  if (!depthwise) return;
  groups = IC;
  OC = IC * s.shape(1)[3];
  IC = 1;
}

void Convolution::InsideTaps(const ConvolutionAxis& axis, int64_t out,
                             std::vector<Tap>& taps) const {
  taps.clear();
  if (transposed) {
    const int64_t last = out - axis.pad_before;  // the element of the spread image that k = 0 meets
    if (last < 0) return;
    for (int64_t i = std::min(last / axis.stride, axis.I - 1); i >= 0; --i) {
      const int64_t k = last - i * axis.stride;
      if (k >= axis.K) return;
      taps.push_back({k, i});
    }
    return;
  }
  const int64_t start = out * axis.stride - axis.pad_before;
  const InsideRange range(start, axis.K, axis.dilation, axis.I);
  for (int64_t k = range.first; k < range.last; ++k) taps.push_back({k, start + k * axis.dilation});
}

bool InferConvolution(const Signature& s, std::vector<TensorType>& outputs) {
  const Shape& in = s.shape(0);
  const Shape& weight = s.shape(1);
  const int rank = s.op == Op::kConv3d ? 5 : 4;
  if (in.rank() != rank || weight.rank() != rank) return false;
  const int channels = s.op == Op::kDepthwiseConv2d ? rank - 2 : rank - 1;  // of the weights
  if (weight[channels] != in[rank - 1]) return false;
  const Convolution g(s);
  const int64_t limit = MaximumInteger(DType::kInt32);
  Shape out = {in[0]};
  for (const ConvolutionAxis& axis : g.spatial()) {
    if (axis.stride < 1) return false;
    const int64_t O =
        g.transposed ? axis.TransposedSize() : DividedDimension(axis.Span(), axis.stride);
    if (O < 1 || O > limit) return false;
    out.PushBack(static_cast<int32_t>(O));
  }
  if (g.OC > limit) return false;
  out.PushBack(static_cast<int32_t>(g.OC));
  outputs[0].shape = out;
  return true;
}

void CheckConvolution(const Signature& s, const Level& level, Judgement& j) {
  const Convolution g(s);
  const auto axes = g.spatial();
  NumberedChecks checks(s.op, j);
  for (const ConvolutionAxis& axis : axes) {
    checks.LevelCheck(axis.dilation * axis.K <= level.max_kernel);
  }
  for (const ConvolutionAxis& axis : axes) {
    checks.LevelCheck(axis.pad_before <= level.max_kernel);
    checks.LevelCheck(axis.pad_after <= level.max_kernel);
  }
  // The table lists the three strides of CONV3D in another order: the depth comes last.
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = axes.size() == 3 ? (i + 1) % 3 : i;
    checks.LevelCheck(axes[axis].stride <= level.max_stride);
  }
  checks.ErrorIf(s.in(0) != DType::kInt8 && !s.IsZero(3));
  checks.ErrorIf(s.in(1) != DType::kInt8 && !s.IsZero(4));
  const auto any = [&](auto holds) { return std::ranges::any_of(axes, holds); };
  const bool has_stride_below_1 = any([](const auto& axis) { return axis.stride < 1; });
  if (g.transposed) {
    for (const ConvolutionAxis& axis : axes) {
      checks.ErrorIf(axis.pad_before <= -axis.K || axis.pad_after <= -axis.K);
    }
    checks.ErrorIf(has_stride_below_1);
  } else {
    checks.ErrorIf(any([](const auto& axis) { return axis.pad_before < 0 || axis.pad_after < 0; }));
    checks.ErrorIf(has_stride_below_1);
    checks.ErrorIf(any([](const auto& axis) { return axis.dilation < 1; }));
    if (has_stride_below_1) return;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const int32_t O = s.out_shape()[static_cast<int>(i) + 1];
    if (g.transposed) {
      checks.ErrorIf(O != axes[i].TransposedSize());
    } else {
      checks.DividedDimension(O, axes[i].Span(), axes[i].stride);
    }
  }
  const int32_t BC = s.shape(2)[0];
  checks.ErrorIf(BC != g.OC && BC != 1);
}

}  // namespace assay::ops

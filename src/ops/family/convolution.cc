// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

#include "levels.h"

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
    for (int64_t k = 0; k < axis.K; ++k) {
      const int64_t i = out - axis.pad_before - k;
      if (i >= 0 && i < axis.I * axis.stride && i % axis.stride == 0) {
        taps.push_back({k, i / axis.stride});
      }
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

void CheckConvolution(const Signature& s, const Level& level, Judgement& j,
                      const ConvolutionRules& rules) {
  const Convolution g(s);
  const auto axes = g.spatial();
  for (size_t i = 0; i < axes.size(); ++i) {
    j.Require(axes[i].dilation * axes[i].K <= level.max_kernel, rules.level_kernel[i]);
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    j.Require(axes[i].pad_before <= level.max_kernel, rules.level_pad[2 * i]);
    j.Require(axes[i].pad_after <= level.max_kernel, rules.level_pad[2 * i + 1]);
  }
  // The table lists the three strides of CONV3D in another order: the depth comes last.
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = axes.size() == 3 ? (i + 1) % 3 : i;
    j.Require(axes[axis].stride <= level.max_stride, rules.level_stride[axis]);
  }
  j.ErrorIf(s.in(0) != DType::kInt8 && !s.IsZero(3), rules.input_zp);
  j.ErrorIf(s.in(1) != DType::kInt8 && !s.IsZero(4), rules.weight_zp);
  for (const ConvolutionAxis& axis : axes) {
    j.ErrorIf(axis.pad_before < 0 || axis.pad_after < 0, rules.pad);
  }
  for (const ConvolutionAxis& axis : axes) j.ErrorIf(axis.stride < 1, rules.stride);
  for (const ConvolutionAxis& axis : axes) j.ErrorIf(axis.dilation < 1, rules.dilation);
  for (const ConvolutionAxis& axis : axes) {
    if (axis.stride < 1) return;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    CheckDividedDimension(s.out_shape()[static_cast<int>(i) + 1], axes[i].Span(), axes[i].stride, j,
                          rules.idiv_check, rules.dimension[i]);
  }
  CheckBias(s, g, j, rules.bias);
}

}  // namespace assay::ops

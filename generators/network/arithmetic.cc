// SPDX-License-Identifier: Apache-2.0
#include "arithmetic.h"

#include <algorithm>

#include "nasty_values.h"

namespace assay {

Padding PaddingOf(int32_t in, int32_t kernel, int32_t stride) {
  const int32_t out = (in + stride - 1) / stride;
  const int32_t total = std::max((out - 1) * stride + kernel - in, 0);
  return {out, total / 2, total - total / 2};
}

TensorIndex Arithmetic::CountedLinear(const LinearLayer& layer) {
  const bool is_reused = layer.is_reused();
  const TensorIndex result = Linear(layer);
  if (!is_reused) ++layers_;
  return result;
}

TensorIndex Arithmetic::Convolve(LinearLayer layer, KernelWindow window) {
  const Shape& in = graph_.ShapeOf(layer.x);
  const Padding y = PaddingOf(in[1], window.height, window.stride);
  const Padding x = PaddingOf(in[2], window.width, window.stride);
  DotShape& shape = layer.shape;
  shape.height = in[1];
  shape.width = in[2];
  shape.channels = in[3];
  shape.out_height = y.out;
  shape.out_width = x.out;
  shape.kernel_height = window.height;
  shape.kernel_width = window.width;
  shape.stride = window.stride;
  shape.pad_top = y.before;
  shape.pad_left = x.before;
  layer.attributes = {
      {AttributeId::kPad, std::vector<int32_t>{y.before, y.after, x.before, x.after}},
      {AttributeId::kStride, std::vector<int32_t>{window.stride, window.stride}},
      {AttributeId::kDilation, std::vector<int32_t>{1, 1}}};
  return CountedLinear(layer);
}

TensorIndex Arithmetic::Conv(TensorIndex x, int32_t channels, KernelWindow window,
                             Activation activation, std::optional<TensorIndex> residual) {
  LinearLayer layer = {{.op = Op::kConv2d}, x, {}, {}, activation, residual, nullptr};
  layer.shape.out_channels = channels;
  layer.weight_shape = {channels, window.height, window.width, graph_.ShapeOf(x)[3]};
  return Convolve(std::move(layer), window);
}

TensorIndex Arithmetic::Depthwise(TensorIndex x, KernelWindow window, Activation activation) {
  LinearLayer layer = {{.op = Op::kDepthwiseConv2d}, x, {}, {}, activation, {}, nullptr};
  layer.shape.out_channels = graph_.ShapeOf(x)[3];
  layer.weight_shape = {window.height, window.width, graph_.ShapeOf(x)[3], 1};
  return Convolve(std::move(layer), window);
}

TensorIndex Arithmetic::Upsample(TensorIndex x, int32_t channels, Activation activation) {
  const Shape& in = graph_.ShapeOf(x);
  LinearLayer layer = {{.op = Op::kTransposeConv2d}, x, {}, {}, activation, {}, nullptr};
  DotShape& shape = layer.shape;
  shape.height = in[1];
  shape.width = in[2];
  shape.channels = in[3];
  shape.out_height = 2 * in[1];
  shape.out_width = 2 * in[2];
  shape.out_channels = channels;
  shape.kernel_height = shape.kernel_width = shape.stride = 2;
  layer.weight_shape = {channels, 2, 2, in[3]};
  layer.attributes = {{AttributeId::kOutPad, std::vector<int32_t>(4, 0)},
                      {AttributeId::kStride, std::vector<int32_t>{2, 2}}};
  return CountedLinear(layer);
}

TensorIndex Arithmetic::Dense(TensorIndex x, int32_t units, Activation activation,
                              std::optional<TensorIndex> residual, SharedWeights* shared) {
  const Shape& in = graph_.ShapeOf(x);
  LinearLayer layer = {{.op = Op::kMatmul}, x, {}, {}, activation, residual, shared};
  layer.shape.height = layer.shape.out_height = in[1];
  layer.shape.channels = in[2];
  layer.shape.out_channels = units;
  layer.weight_shape = {1, in[2], units};
  return CountedLinear(layer);
}

TensorIndex Arithmetic::MaxPool(TensorIndex x, KernelWindow window) {
  const Shape& in = graph_.ShapeOf(x);
  const Padding h = PaddingOf(in[1], window.height, window.stride);
  const Padding w = PaddingOf(in[2], window.width, window.stride);
  return graph_.Add(
      Op::kMaxPool2d, {x},
      {{AttributeId::kKernel, std::vector<int32_t>{window.height, window.width}},
       {AttributeId::kStride, std::vector<int32_t>{window.stride, window.stride}},
       {AttributeId::kPad, std::vector<int32_t>{h.before, h.after, w.before, w.after}},
       {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
}

TensorIndex Arithmetic::Reshape(TensorIndex x, const Shape& shape) {
  const std::vector<int64_t> dims(shape.begin(), shape.end());
  return graph_.Add(Op::kReshape, {x, graph_.AddShape(dims)});
}

TensorIndex Arithmetic::Transpose(TensorIndex x, std::vector<int32_t> perms) {
  return graph_.Add(Op::kTranspose, {x}, {{AttributeId::kPerms, std::move(perms)}});
}

TensorIndex Arithmetic::Concat(TensorIndex a, TensorIndex b, int32_t axis) {
  return graph_.Add(Op::kConcat, {a, b}, {{AttributeId::kAxis, axis}});
}

TensorIndex Arithmetic::Slice(TensorIndex x, int axis, int64_t start, int64_t size) {
  const Shape& shape = graph_.ShapeOf(x);
  std::vector<int64_t> starts(static_cast<size_t>(shape.rank()), 0);
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  starts[static_cast<size_t>(axis)] = start;
  sizes[static_cast<size_t>(axis)] = size;
  const TensorIndex first = graph_.AddShape(starts);
  return graph_.Add(Op::kSlice, {x, first, graph_.AddShape(sizes)});
}

TensorIndex Arithmetic::AveragePool(TensorIndex x) {
  const Shape& in = graph_.ShapeOf(x);
  const std::vector<int32_t> kernel = {in[1], in[2]};
  const DType acc_type = IsFloat(type_) ? DType::kFp32 : DType::kInt32;
  const TensorIndex zero = graph_.AddNumber(type_, 0);
  return graph_.Add(Op::kAvgPool2d, {x, zero, zero},
                    {{AttributeId::kKernel, kernel},
                     {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                     {AttributeId::kPad, std::vector<int32_t>(4, 0)},
                     {AttributeId::kAccType, static_cast<int32_t>(acc_type)}});
}

TensorIndex Arithmetic::Clamp(TensorIndex x, double low, double high) {
  const DType type = graph_.TypeOf(x);
  return graph_.Add(Op::kClamp, {x},
                    {{AttributeId::kMinVal, Filled({type, {}}, low)},
                     {AttributeId::kMaxVal, Filled({type, {}}, high)},
                     {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
}

TensorIndex Arithmetic::Apply(const LinearLayer& layer, TensorIndex weight, TensorIndex bias,
                              DType acc_type, DType result) {
  const TensorIndex zero = graph_.AddNumber(type_, 0);
  if (layer.shape.op == Op::kMatmul) {
    const TensorIndex product = graph_.Add(Op::kMatmul, {layer.x, weight, zero, zero}, {}, result);
    return graph_.Add(Op::kAdd, {product, bias});
  }
  Attributes attributes = layer.attributes;
  attributes.Set(AttributeId::kAccType, static_cast<int32_t>(acc_type));
  return graph_.Add(layer.shape.op, {layer.x, weight, bias, zero, zero}, std::move(attributes),
                    result);
}

TensorIndex Arithmetic::Reduce(Op op, TensorIndex x, int axis) {
  Attributes attributes = {{AttributeId::kAxis, static_cast<int32_t>(axis)}};
  if (op == Op::kReduceMax) {
    attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
  }
  return graph_.Add(op, {x}, std::move(attributes));
}

}  // namespace assay

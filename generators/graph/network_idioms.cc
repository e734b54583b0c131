// SPDX-License-Identifier: Apache-2.0
#include "network_idioms.h"

#include <cmath>

#include "expression.h"

namespace assay {
namespace {

MaybeValue DotProduct(Expression& e) {
  constexpr Op kDotProducts[] = {Op::kMatmul,          Op::kConv2d,          Op::kConv3d,
                                 Op::kDepthwiseConv2d, Op::kTransposeConv2d, Op::kReduceSum,
                                 Op::kAvgPool2d};
  const Op op = e.choices().Pick(kDotProducts);
  return e.Grown(op, e.Start(op));
}

MaybeValue DotProductAndActivation(Expression& e) {
  MaybeValue x = DotProduct(e);
  if (e.choices().OneIn(2)) x = e.Apply(Op::kAdd, x, e.PerChannel(x, -1, 1));
  return e.Activation(x);
}

MaybeValue SoftmaxOf(Expression& e, MaybeValue x, int axis) {
  const MaybeValue largest = e.Reduce(Op::kReduceMax, x, axis);
  const MaybeValue power = e.Apply(Op::kExp, e.Apply(Op::kSub, x, largest));
  const MaybeValue sum = e.Reduce(Op::kReduceSum, power, axis);
  return e.Apply(Op::kMul, power, e.Apply(Op::kReciprocal, sum));
}

// Softmax and normalization take the longest axis: along one of a single element the result is a
// constant.
int LongestAxis(const Shape& shape) {
  int longest = 0;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape[axis] > shape[longest]) longest = axis;
  }
  return longest;
}

MaybeValue Softmax(Expression& e) {
  const MaybeValue x = e.Start(Op::kExp);
  return x ? SoftmaxOf(e, x, LongestAxis(e.shape(*x))) : std::nullopt;
}

MaybeValue Normalization(Expression& e) {
  const MaybeValue x = e.Start(Op::kRsqrt);
  if (!x) return std::nullopt;
  const int axis = LongestAxis(e.shape(*x));
  const double share = 1.0 / e.shape(*x)[axis];
  const MaybeValue mean = e.Apply(Op::kMul, e.Reduce(Op::kReduceSum, x, axis), share);
  const MaybeValue centered = e.Apply(Op::kSub, x, mean);
  const MaybeValue squares = e.Apply(Op::kMul, centered, centered);
  const MaybeValue variance = e.Apply(Op::kMul, e.Reduce(Op::kReduceSum, squares, axis), share);
  const MaybeValue scale = e.Apply(Op::kRsqrt, e.Apply(Op::kAdd, variance, 0.01));
  return e.Apply(Op::kMul, centered, scale);
}

// GELU is x / 2 * (1 + erf(x / sqrt 2)), or about x / 2 * (1 + tanh(sqrt(2 / pi) (x + 0.044715
// x^3))).
MaybeValue Gelu(Expression& e) {
  const bool by_erf = e.choices().OneIn(2);
  const MaybeValue x = e.Start(by_erf ? Op::kErf : Op::kTanh);
  const MaybeValue half = e.Apply(Op::kMul, x, 0.5);
  MaybeValue inner = e.Apply(Op::kMul, x, 0.70710678118654752);
  if (!by_erf) {
    const MaybeValue cube = e.Apply(Op::kMul, x, e.Apply(Op::kMul, x, x));
    inner = e.Apply(Op::kAdd, x, e.Apply(Op::kMul, cube, 0.044715));
    inner = e.Apply(Op::kMul, inner, 0.79788456080286536);
  }
  const MaybeValue gate = e.Apply(Op::kAdd, e.Apply(by_erf ? Op::kErf : Op::kTanh, inner), 1.0);
  return e.Apply(Op::kMul, half, gate);
}

// A gated unit: SiLU, or with a gate of its own.
MaybeValue Gate(Expression& e) {
  const MaybeValue x = e.Start(Op::kSigmoid);
  MaybeValue gate = x;
  if (x && e.choices().OneIn(2)) {
    gate = e.Apply(Op::kAdd, e.Apply(Op::kMul, x, e.PerChannel(x, -1, 1)), 0.25);
  }
  return e.Apply(Op::kMul, x, e.Apply(Op::kSigmoid, gate));
}

// The mean of each channel goes through two dot products and gates the image.
MaybeValue SqueezeAndExcite(Expression& e) {
  const MaybeValue x = e.StartOfRank(Op::kConv2d, 4);
  if (!x || !e.Reads(Op::kSigmoid, e.type(*x))) return std::nullopt;
  const int32_t channels = e.shape(*x)[3];
  const double share = 1.0 / (e.shape(*x)[1] * e.shape(*x)[2]);
  const MaybeValue sum = e.Reduce(Op::kReduceSum, e.Reduce(Op::kReduceSum, x, 1), 2);
  const MaybeValue mean = e.Apply(Op::kMul, sum, share);
  const MaybeValue squeezed = e.Clamp(e.DrawnConvolution(Op::kConv2d, mean, 1, (channels + 1) / 2));
  const MaybeValue excited = e.DrawnConvolution(Op::kConv2d, squeezed, 1, channels);
  if (!excited || e.type(*excited) != e.type(*x)) return std::nullopt;
  return e.Apply(Op::kMul, x, e.Apply(Op::kSigmoid, excited));
}

MaybeValue DepthwiseSeparable(Expression& e) {
  const MaybeValue x = e.StartOfRank(Op::kDepthwiseConv2d, 4);
  if (!x) return std::nullopt;
  const MaybeValue spatial = e.Clamp(e.DrawnConvolution(Op::kDepthwiseConv2d, x, 3, 0));
  const int32_t channels = e.choices().Between32(1, 4);
  return e.Clamp(e.DrawnConvolution(Op::kConv2d, spatial, 1, channels));
}

// Batch normalization of an inference: all but x are constants.
MaybeValue BatchNormalization(Expression& e) {
  const MaybeValue x = e.Start(Op::kRsqrt);
  const MaybeValue centered = e.Apply(Op::kSub, x, e.PerChannel(x, -1, 1));
  const MaybeValue variance = e.Apply(Op::kAdd, e.PerChannel(x, 0.25, 4), 0.001);
  const MaybeValue scaled = e.Apply(Op::kMul, centered, e.Apply(Op::kRsqrt, variance));
  const MaybeValue stretched = e.Apply(Op::kMul, scaled, e.PerChannel(x, 0.5, 2));
  return e.Apply(Op::kAdd, stretched, e.PerChannel(x, -1, 1));
}

// softmax(x k) v, with keys and values of constants, for x of shape [batch, places, channels].
MaybeValue AttentionHead(Expression& e) {
  const MaybeValue x = e.StartOfRank(Op::kMatmul, 3);
  if (!x) return std::nullopt;
  const int32_t batch = e.shape(*x)[0], channels = e.shape(*x)[2];
  const int32_t places = e.choices().Between32(2, 4), size = e.choices().Between32(1, 4);
  const ValueIndex keys = e.Constant({e.type(*x), Shape{batch, channels, places}}, -1, 1);
  const MaybeValue product = e.MatMul(x, keys);
  const MaybeValue scores = e.Apply(Op::kMul, product, 1 / std::sqrt(channels));
  if (!scores || !e.Reads(Op::kExp, e.type(*scores))) return std::nullopt;
  const MaybeValue weights = SoftmaxOf(e, scores, 2);
  if (!weights) return std::nullopt;
  const ValueIndex values = e.Constant({e.type(*weights), Shape{batch, places, size}}, -2, 2);
  return e.MatMul(weights, values);
}

MaybeValue Residual(Expression& e) {
  const MaybeValue x = e.Start(Op::kAdd);
  const MaybeValue changed = e.Apply(Op::kMul, x, e.PerChannel(x, -2, 2));
  return e.Apply(Op::kAdd, x, e.Activation(changed));
}

// Integers become floats, which are calculated with, and integers again.
MaybeValue Quantized(Expression& e) {
  const MaybeValue x = e.Start(Op::kCast);
  if (!x) return std::nullopt;
  const DType real = e.type(*x);
  const MaybeValue quantized = e.Cast(e.Apply(Op::kMul, x, 16.0), DType::kInt8);
  const MaybeValue scaled = e.Apply(Op::kMul, e.Cast(quantized, real), 0.0625);
  return e.Cast(e.Apply(Op::kMul, e.Activation(scaled), 16.0), DType::kInt8);
}

}  // namespace

bool GrowNetworkIdiom(GraphBuilder& builder, const Menu& menu) {
  using Idiom = MaybeValue (*)(Expression&);
  constexpr Idiom kIdioms[] = {DotProductAndActivation,
                               DotProductAndActivation,
                               Softmax,
                               Normalization,
                               BatchNormalization,
                               AttentionHead,
                               SqueezeAndExcite,
                               DepthwiseSeparable,
                               Gelu,
                               Gate,
                               Residual,
                               Quantized};
  const GraphBuilder::Mark mark = builder.mark();
  Expression expression(builder, menu);
  if (builder.choices().Pick(kIdioms)(expression)) return true;
  builder.Rollback(mark);
  return false;
}

}  // namespace assay

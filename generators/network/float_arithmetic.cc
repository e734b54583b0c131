// SPDX-License-Identifier: Apache-2.0
#include "float_arithmetic.h"

#include <cmath>

#include "float_format.h"

namespace assay {

TensorIndex FloatArithmetic::Constant(DType of, int rank, double value) {
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.PushBack(1);
  return graph().AddConstant(Tensor::FromFloats(of, shape, {&value, 1}));
}

TensorIndex FloatArithmetic::Add(TensorIndex a, TensorIndex b) {
  return graph().Add(Op::kAdd, {a, b});
}

TensorIndex FloatArithmetic::Mul(TensorIndex a, TensorIndex b) {
  return graph().Add(Op::kMul, {a, b, graph().AddNumber(DType::kInt8, 0)}, {}, graph().TypeOf(a));
}

TensorIndex FloatArithmetic::Scaled(TensorIndex x, double factor) {
  return Mul(x, Constant(graph().TypeOf(x), graph().ShapeOf(x).rank(), factor));
}

TensorIndex FloatArithmetic::MatMul(TensorIndex a, TensorIndex b) {
  const TensorIndex zero = graph().AddNumber(type(), 0);
  const TensorIndex product = graph().Add(Op::kMatmul, {a, b, zero, zero}, {}, ProductType());
  return ProductType() == type() ? product : graph().Add(Op::kCast, {product}, {}, type());
}

TensorIndex FloatArithmetic::Linear(const LinearLayer& layer) {
  const bool matmul = layer.shape.op == Op::kMatmul;
  const int32_t channels = layer.shape.out_channels;
  const DType result = matmul ? ProductType() : type();
  const Shape bias_shape = matmul ? Shape{1, 1, channels} : Shape{channels};
  SharedWeights own;
  SharedWeights& used = layer.shared == nullptr ? own : *layer.shared;
  if (!used.weight) {
    const Weights weights = Choose(layer);
    used.weight =
        graph().AddConstant(Tensor::FromFloats(type(), layer.weight_shape, weights.weight));
    used.bias = graph().AddConstant(Tensor::FromFloats(result, bias_shape, weights.bias));
  } else {
    Reuse(layer);
  }
  TensorIndex x = Apply(layer, *used.weight, *used.bias, AccType(layer.shape), result);
  if (result != type()) x = graph().Add(Op::kCast, {x}, {}, type());
  if (layer.residual) x = Add(x, *layer.residual);
  const Bounds bounds = BoundsOf(layer.activation);
  if (layer.activation == Activation::kGelu && bounds.low > bounds.high) {
    // x / 2 * (1 + erf(x / sqrt(2)))
    const TensorIndex erf = graph().Add(Op::kErf, {Scaled(x, 0.70710678)});
    const int rank = graph().ShapeOf(x).rank();
    const TensorIndex half = Scaled(x, 0.5);
    return Mul(half, Add(erf, Constant(type(), rank, 1)));
  }
  return bounds.low > bounds.high ? x : Clamp(x, bounds.low, bounds.high);
}

std::vector<double> NaturalArithmetic::Uniform(int64_t count, double bound) {
  std::vector<double> numbers(static_cast<size_t>(count));
  const double step = std::ldexp(bound, -31);
  for (double& x : numbers) {
    x = step * static_cast<double>(static_cast<int32_t>(random().Next() >> 32));
  }
  return numbers;
}

TensorIndex NaturalArithmetic::Input(const Shape& shape) {
  return graph().AddInput(Tensor::FromFloats(type(), shape, Uniform(shape.Elements(), 2)));
}

// The variance of the weights is 2 / taps in front of an activation that cuts half of its input
// off, otherwise 1 / taps.
FloatArithmetic::Weights NaturalArithmetic::Choose(const LinearLayer& layer) {
  const bool cut = layer.activation == Activation::kRelu || layer.activation == Activation::kRelu6;
  const double bound = std::sqrt((cut ? 6.0 : 3.0) / layer.shape.taps());
  return {Uniform(layer.weight_shape.Elements(), bound), Uniform(layer.shape.out_channels, 0.25)};
}

FloatArithmetic::Bounds NaturalArithmetic::BoundsOf(Activation activation) const {
  if (activation == Activation::kRelu) return {0, FormatOf(type()).max};
  if (activation == Activation::kRelu6) return {0, 6};
  return {1, 0};
}

TensorIndex NaturalArithmetic::Softmax(TensorIndex x) {
  const int axis = graph().ShapeOf(x).rank() - 1;
  const TensorIndex most = Reduce(Op::kReduceMax, x, axis);
  const TensorIndex powers = graph().Add(Op::kExp, {graph().Add(Op::kSub, {x, most})});
  const TensorIndex sum = Reduce(Op::kReduceSum, powers, axis);
  return Mul(powers, graph().Add(Op::kReciprocal, {sum}));
}

TensorIndex NaturalArithmetic::Attend(TensorIndex q, TensorIndex k, TensorIndex v) {
  const TensorIndex scores = MatMul(q, Transpose(k, {0, 2, 1}));
  const double features = graph().ShapeOf(q)[2];
  return MatMul(Softmax(Scaled(scores, 1 / std::sqrt(features))), v);
}

TensorIndex NaturalArithmetic::Normalize(TensorIndex x) {
  const int axis = graph().ShapeOf(x).rank() - 1;
  const double share = 1.0 / graph().ShapeOf(x)[axis];
  const TensorIndex mean = Scaled(Reduce(Op::kReduceSum, x, axis), share);
  const TensorIndex centred = graph().Add(Op::kSub, {x, mean});
  const TensorIndex squares = Reduce(Op::kReduceSum, Mul(centred, centred), axis);
  const TensorIndex least = Constant(type(), axis + 1, 0x1p-10);
  const TensorIndex variance = Add(Scaled(squares, share), least);
  return Mul(centred, graph().Add(Op::kRsqrt, {variance}));
}

TensorIndex NaturalArithmetic::Complement(TensorIndex gate) {
  return graph().Add(Op::kSub, {Constant(type(), graph().ShapeOf(gate).rank(), 1), gate});
}

std::vector<TensorIndex> NaturalArithmetic::Outputs(TensorIndex scores) {
  return {Softmax(scores)};
}

}  // namespace assay

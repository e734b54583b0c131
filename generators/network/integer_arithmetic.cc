// SPDX-License-Identifier: Apache-2.0
#include "integer_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace assay {
namespace {

constexpr double kRootMeanSquare = 40;

// The number that stands for 1 in gates and states.
constexpr int64_t kOne = 127;

}  // namespace

Tensor IntegerArithmetic::Uniform(DType of, const Shape& shape, int64_t bound) {
  std::vector<int64_t> elements(static_cast<size_t>(shape.Elements()));
  for (int64_t& x : elements) x = random().Between(-bound, bound);
  return Tensor::FromIntegers(of, shape, elements);
}

TensorIndex IntegerArithmetic::Input(const Shape& shape) {
  return graph().AddInput(Uniform(DType::kInt8, shape, 127));
}

std::vector<double> IntegerArithmetic::Calibrate(TensorIndex x, int64_t channels) {
  std::vector<double> squares(static_cast<size_t>(channels), 0);
  size_t i = 0;
  graph().ValueOf(x).ForEachInteger([&](int64_t element) {
    squares[i++ % squares.size()] += static_cast<double>(element) * static_cast<double>(element);
  });
  const double count = static_cast<double>(i) / static_cast<double>(channels);
  for (double& square : squares) {
    square = kRootMeanSquare / std::max(std::sqrt(square / count), 1.0);
  }
  return squares;
}

TensorIndex IntegerArithmetic::Rescale(TensorIndex x, std::span<const double> scales) {
  std::vector<int64_t> multipliers, shifts;
  for (const double scale : scales) {
    int exponent = 0;
    const double fraction = std::frexp(scale, &exponent);
    multipliers.push_back(
        std::min(static_cast<int64_t>(std::ldexp(fraction, 31)), (int64_t{1} << 31) - 1));
    shifts.push_back(31 - exponent);
  }
  const Shape shape = {static_cast<int32_t>(scales.size())};
  const TensorIndex multiplier =
      graph().AddConstant(Tensor::FromIntegers(DType::kInt32, shape, multipliers));
  const TensorIndex shift = graph().AddConstant(Tensor::FromIntegers(DType::kInt8, shape, shifts));
  return graph().Add(
      Op::kRescale,
      {x, multiplier, shift, graph().AddNumber(DType::kInt32, 0),
       graph().AddNumber(DType::kInt8, 0)},
      {{AttributeId::kScale32, true},
       {AttributeId::kRoundingMode, static_cast<int32_t>(RoundingMode::kSingleRound)},
       {AttributeId::kPerChannel, scales.size() > 1},
       {AttributeId::kInputUnsigned, false},
       {AttributeId::kOutputUnsigned, false}},
      DType::kInt8);
}

TensorIndex IntegerArithmetic::Linear(const LinearLayer& layer) {
  const bool matmul = layer.shape.op == Op::kMatmul;
  const int32_t channels = layer.shape.out_channels;
  const Shape bias_shape = matmul ? Shape{1, 1, channels} : Shape{channels};
  SharedWeights own;
  SharedWeights& used = layer.shared == nullptr ? own : *layer.shared;
  const bool is_first = !used.weight;
  if (is_first) {
    used.weight = graph().AddConstant(Uniform(DType::kInt8, layer.weight_shape, 127));
    used.bias = graph().AddConstant(Uniform(DType::kInt32, bias_shape, 2000));
  }
  TensorIndex x = Apply(layer, *used.weight, *used.bias, DType::kInt32, DType::kInt32);
  // Few elements have no spread of their own.
  const bool by_channel = !matmul && layer.shape.positions() >= 4;
  if (is_first) used.scales = Calibrate(x, by_channel ? channels : 1);
  x = Rescale(x, used.scales);
  if (layer.residual) x = Add(x, *layer.residual);
  switch (layer.activation) {
    case Activation::kNone:
    case Activation::kLinear:
      return x;
    case Activation::kRelu:
    case Activation::kGelu:
      return Clamp(x, 0, 127);
    case Activation::kRelu6:
      return Clamp(x, 0, 96);
  }
  return x;
}

// Adds both in i32, with ten more bits, and halves the sum.
TensorIndex IntegerArithmetic::Add(TensorIndex a, TensorIndex b) {
  const auto widen = [&](TensorIndex x) {
    return graph().Add(
        Op::kRescale,
        {x, graph().AddNumber(DType::kInt32, int64_t{1} << 30), graph().AddNumber(DType::kInt8, 20),
         graph().AddNumber(DType::kInt8, 0), graph().AddNumber(DType::kInt32, 0)},
        {{AttributeId::kScale32, true},
         {AttributeId::kRoundingMode, static_cast<int32_t>(RoundingMode::kSingleRound)},
         {AttributeId::kPerChannel, false},
         {AttributeId::kInputUnsigned, false},
         {AttributeId::kOutputUnsigned, false}},
        DType::kInt32);
  };
  const TensorIndex wide = widen(a);
  const TensorIndex sum = graph().Add(Op::kAdd, {wide, widen(b)});
  const double scale = 0x1.8p-11;
  return Rescale(sum, {&scale, 1});
}

TensorIndex IntegerArithmetic::MatMul(TensorIndex a, TensorIndex b) {
  const TensorIndex zero = graph().AddNumber(DType::kInt8, 0);
  const TensorIndex product = graph().Add(Op::kMatmul, {a, b, zero, zero}, {}, DType::kInt32);
  return Rescale(product, Calibrate(product, 1));
}

// Weighs values by the positive scores, without softmax.
TensorIndex IntegerArithmetic::Attend(TensorIndex q, TensorIndex k, TensorIndex v) {
  return MatMul(Clamp(MatMul(q, Transpose(k, {0, 2, 1})), 0, 127), v);
}

TensorIndex IntegerArithmetic::Table(TensorIndex x, int64_t (*entry)(int64_t)) {
  std::vector<int64_t> entries;
  for (int64_t i = -128; i < 128; ++i) entries.push_back(entry(i));
  const TensorIndex table =
      graph().AddConstant(Tensor::FromIntegers(DType::kInt8, Shape{256}, entries));
  return graph().Add(Op::kTable, {x, table}, {}, DType::kInt8);
}

// The tables have the shape of sigmoid and tanh: i / (32 + |i|).
TensorIndex IntegerArithmetic::Gate(TensorIndex x) {
  return Table(x, [](int64_t i) { return (kOne + kOne * i / (32 + std::abs(i))) / 2; });
}

TensorIndex IntegerArithmetic::Squash(TensorIndex x) {
  return Table(x, [](int64_t i) { return kOne * i / (32 + std::abs(i)); });
}

TensorIndex IntegerArithmetic::Complement(TensorIndex gate) {
  return Table(gate, [](int64_t i) { return std::min(kOne - i, kOne); });
}

TensorIndex IntegerArithmetic::Times(TensorIndex gate, TensorIndex x) {
  const TensorIndex product =
      graph().Add(Op::kMul, {gate, x, graph().AddNumber(DType::kInt8, 0)}, {}, DType::kInt32);
  const double scale = 0x1p-7;
  return Rescale(product, {&scale, 1});
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "expression.h"

#include <array>
#include <cmath>

namespace assay {

MaybeValue Expression::Start(Op op, int rank_min) {
  return builder_.Pick([&](const PoolValue& value) {
    return IsFloat(value.type().type) && !value.vague && !value.has_special &&
           value.type().shape.rank() >= rank_min && menu_.Reads(op, value.type().type);
  });
}

MaybeValue Expression::StartOfRank(Op op, int rank) {
  const MaybeValue found = builder_.Pick([&](const PoolValue& value) {
    return IsFloat(value.type().type) && !value.vague && !value.has_special &&
           value.type().shape.rank() == rank && menu_.Reads(op, value.type().type);
  });
  if (found && !choices().OneIn(4)) return found;
  if (builder_.closed()) return found;
  constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
  const DType type = choices().Pick(kTypes);
  if (!menu_.Reads(op, type)) return found;
  std::vector<int32_t> dims;
  for (int axis = 0; axis < rank; ++axis) dims.push_back(choices().Between32(1, axis == 0 ? 2 : 4));
  return builder_.AddInput(
      DrawTensor(choices(), {type, Shape(dims)}, ValueRange::All(type), ValueMode::kCalm));
}

MaybeValue Expression::Apply(Op op, MaybeValue x, MaybeValue y) {
  if (op != Op::kMul) return Add(op, {x, y});
  if (!x || !y) return std::nullopt;
  return Add(op, {x, y, builder_.AddNumber(DType::kInt8, 0, true)});
}

MaybeValue Expression::Apply(Op op, MaybeValue x, double number) {
  if (!x) return std::nullopt;
  Shape one = shape(*x);
  for (int axis = 0; axis < one.rank(); ++axis) one[axis] = 1;
  return Apply(op, x, builder_.AddConstant(Tensor::FromFloats(type(*x), one, {&number, 1})));
}

MaybeValue Expression::Reduce(Op op, MaybeValue x, int axis) {
  if (!x) return std::nullopt;
  Attributes attributes = {{AttributeId::kAxis, axis}};
  if (op == Op::kReduceMax) {
    attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
  }
  return Add(op, {x}, std::move(attributes));
}

MaybeValue Expression::MatMul(MaybeValue x, ValueIndex y, DType result) {
  if (!x) return std::nullopt;
  const ValueIndex zero_point = builder_.AddConstant(Filled({type(*x), {1}}, 0));
  return Add(Op::kMatmul, {x, y, zero_point, zero_point}, {}, result);
}

MaybeValue Expression::DrawnConvolution(Op op, MaybeValue x, int32_t kernel, int32_t channels) {
  if (!x || shape(*x).rank() != 4) return std::nullopt;
  const int32_t in = shape(*x)[3];
  const bool depthwise = op == Op::kDepthwiseConv2d;
  const Shape weights =
      depthwise ? Shape{kernel, kernel, in, 1} : Shape{channels, kernel, kernel, in};
  // The weights keep the size of the elements.
  const double taps = depthwise ? kernel * kernel : kernel * kernel * in;
  const double size = std::sqrt(3 / taps);
  const ValueIndex weight = Constant({type(*x), weights}, -size, size);
  const ValueIndex bias = Constant({type(*x), Shape{depthwise ? in : channels}}, -0.5, 0.5);
  return Convolution(op, x, weight, bias);
}

MaybeValue Expression::Convolution(Op op, MaybeValue x, ValueIndex weight, ValueIndex bias) {
  if (!x) return std::nullopt;
  const MenuEntry* entry = menu_.Find(choices(), op, type(*x), type(bias));
  if (entry == nullptr) return std::nullopt;
  const bool depthwise = op == Op::kDepthwiseConv2d;
  const int32_t kernel = shape(weight)[depthwise ? 0 : 1];
  const ValueIndex zero = builder_.AddConstant(Filled({type(*x), {1}}, 0));
  const int32_t pad = kernel / 2;
  Attributes attributes = {
      {AttributeId::kPad, std::vector<int32_t>{pad, pad, pad, pad}},
      {AttributeId::kStride, std::vector<int32_t>{1, 1}},
      {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
      {AttributeId::kAccType, static_cast<int32_t>(TypeOf(op, entry->type_row, "acc_t"))},
      {AttributeId::kLocalBound, choices().OneIn(2)}};
  return builder_.Add(op, {*x, weight, bias, zero, zero}, std::move(attributes), entry->result);
}

MaybeValue Expression::Grown(Op op, MaybeValue x) {
  const MenuEntry* entry = x ? menu_.Find(choices(), op, type(*x)) : nullptr;
  if (entry == nullptr) return std::nullopt;
  Wish wish;
  wish.op = op;
  wish.type_row = entry->type_row;
  wish.attribute_class = static_cast<int>(choices().Below(RecipeOf(op)->classes.size()));
  wish.first_operand = x;
  return Grow(builder_, wish);
}

MaybeValue Expression::Clamp(MaybeValue x) {
  if (!x) return std::nullopt;
  const double low = builder_[*x].low, high = builder_[*x].high;
  std::array<double, 2> bounds = {choices().OneIn(4) ? -1.0 : 0.0, choices().OneIn(2) ? 6.0 : 1.0};
  // If all elements would be clamped, the bounds cut off a quarter of the range at each end.
  const double middle = low / 2 + high / 2;
  if (middle <= bounds[0] || middle >= bounds[1]) {
    bounds = {middle - (high / 4 - low / 4), middle + (high / 4 - low / 4)};
  }
  return Clamp(x, bounds[0], bounds[1]);
}

MaybeValue Expression::Clamp(MaybeValue x, double low, double high) {
  if (!x) return std::nullopt;
  return Add(Op::kClamp, {x},
             {{AttributeId::kMinVal, Filled({type(*x), {}}, low)},
              {AttributeId::kMaxVal, Filled({type(*x), {}}, high)},
              {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
}

MaybeValue Expression::Select(MaybeValue condition, ValueIndex x, ValueIndex y) {
  if (!condition) return std::nullopt;
  return builder_.Add(Op::kSelect, {*condition, x, y});
}

MaybeValue Expression::Activation(MaybeValue x) {
  constexpr Op kActivations[] = {Op::kClamp, Op::kClamp, Op::kTanh, Op::kSigmoid,
                                 Op::kErf,   Op::kExp,   Op::kAbs,  Op::kFloor};
  const Op op = choices().Pick(kActivations);
  if (!x) return std::nullopt;
  constexpr double kSteep = 8;  // beyond it TANH, SIGMOID and ERF are flat, and EXP is large
  const bool is_flat = builder_[*x].high > kSteep || builder_[*x].low < -kSteep;
  return op == Op::kClamp || is_flat ? Clamp(x) : Apply(op, x);
}

ValueIndex Expression::Constant(const TensorType& type, double low, double high) {
  return builder_.AddConstant(
      DrawTensor(choices(), type, ValueRange::Between(low, high), ValueMode::kCalm));
}

MaybeValue Expression::PerChannel(MaybeValue x, double low, double high) {
  if (!x || shape(*x).rank() == 0) return std::nullopt;
  Shape channels = shape(*x);
  for (int axis = 0; axis + 1 < channels.rank(); ++axis) channels[axis] = 1;
  return Constant({type(*x), channels}, low, high);
}

MaybeValue Expression::Add(Op op, const std::vector<MaybeValue>& inputs, Attributes attributes,
                           DType result) {
  std::vector<ValueIndex> operands;
  for (const MaybeValue input : inputs) {
    if (!input) return std::nullopt;
    operands.push_back(*input);
  }
  const MenuEntry* entry = menu_.Find(choices(), op, type(operands[0]), result);
  if (entry == nullptr) return std::nullopt;
  return builder_.Add(op, std::move(operands), std::move(attributes), entry->result);
}

}  // namespace assay

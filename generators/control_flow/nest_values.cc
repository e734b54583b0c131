// SPDX-License-Identifier: Apache-2.0
#include "nest_values.h"

#include <utility>

#include "branches_and_loops.h"

namespace assay {
namespace {

// The operators without a REQUIRE, and those that keep a small number exact.
constexpr Op kTame[] = {Op::kIdentity,   Op::kReverse,   Op::kBitwiseNot, Op::kBitwiseXor,
                        Op::kBitwiseAnd, Op::kBitwiseOr, Op::kLogicalNot, Op::kLogicalXor,
                        Op::kClamp,      Op::kMaximum,   Op::kMinimum};
constexpr Op kExactOnFloats[] = {Op::kReverse, Op::kNegate, Op::kAbs,    Op::kFloor,
                                 Op::kMaximum, Op::kClamp,  Op::kMinimum};

}  // namespace

DType CounterType(Choices& choices, const Menu& menu) {
  for (const DType type : {DType::kInt32, DType::kFp32}) {
    bool fits = menu.Find(choices, Op::kGreater, type, DType::kBool) != nullptr &&
                menu.Find(choices, Op::kGreaterEqual, type, DType::kBool) != nullptr;
    for (const Op op : {Op::kAdd, Op::kMinimum, Op::kSlice, Op::kReshape, Op::kIdentity}) {
      fits = fits && menu.Find(choices, op, type, type) != nullptr;
    }
    if (fits) return type;
  }
  return DType::kUnknown;
}

std::vector<DType> CountableTypes(const GeneratorOptions& options, Choices& choices,
                                  const Menu& menu) {
  std::vector<DType> types;
  if (!AllowsOperator(options, Op::kVariableRead) || !AllowsOperator(options, Op::kVariableWrite)) {
    return types;
  }
  const DType number = CounterType(choices, menu);
  for (const DType type : AllowedTypes(options, Op::kVariable)) {
    const bool converts =
        type == number || (menu.Find(choices, Op::kCast, type, number) != nullptr &&
                           menu.Find(choices, Op::kCast, number, type) != nullptr);
    if (converts) types.push_back(type);
  }
  return types;
}

MaybeValue NestValues::Add(GraphBuilder& b, Op op, const std::vector<MaybeValue>& inputs,
                           DType result) {
  std::vector<ValueIndex> operands;
  for (const MaybeValue input : inputs) {
    if (!input) return std::nullopt;
    operands.push_back(*input);
  }
  Attributes attributes;
  if (op == Op::kMinimum || op == Op::kMaximum) {
    attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
  }
  return b.Add(op, std::move(operands), std::move(attributes), result);
}

MaybeValue NestValues::Reshaped(GraphBuilder& b, MaybeValue value, const Shape& shape) {
  if (!value || b.TypeOf(*value).shape == shape) return value;
  const std::vector<int64_t> dims(shape.begin(), shape.end());
  return Add(b, Op::kReshape, {value, b.AddShape(dims)}, b.TypeOf(*value).type);
}

MaybeValue NestValues::Element(GraphBuilder& b, ValueIndex value, int64_t place) {
  if (b[value].elements() == 1) return value;
  std::vector<int64_t> start(static_cast<size_t>(b.TypeOf(value).shape.rank()), 0);
  const std::vector<int64_t> size(start.size(), 1);
  start[0] = place;
  const ValueIndex from = b.AddShape(start);
  return Add(b, Op::kSlice, {value, from, b.AddShape(size)}, b.TypeOf(value).type);
}

MaybeValue NestValues::Positive(GraphBuilder& b, ValueIndex value) {
  MaybeValue element = Reshaped(b, Element(b, value, 0), ConditionShape());
  if (!element) return std::nullopt;
  DType type = b.TypeOf(*element).type;
  if (type == DType::kBool) return element;
  if (menu_.Find(choices_, Op::kGreater, type, DType::kBool) == nullptr) {
    if (menu_.Find(choices_, Op::kCast, type, number_) == nullptr) return std::nullopt;
    element = Add(b, Op::kCast, {element}, number_);
    type = number_;
  }
  const ValueIndex zero = b.AddConstant(Tensor::Splat(type, ConditionShape(), 0));
  return Add(b, Op::kGreater, {element, zero}, DType::kBool);
}

MaybeValue NestValues::Compare(GraphBuilder& b, MaybeValue greater, MaybeValue less, bool negated) {
  if (!negated) return Add(b, Op::kGreater, {greater, less}, DType::kBool);
  const MaybeValue opposite = Add(b, Op::kGreaterEqual, {less, greater}, DType::kBool);
  return Add(b, Op::kLogicalNot, {opposite}, DType::kBool);
}

ValueIndex NestValues::Work(GraphBuilder& b, ValueIndex value) {
  const TensorType type = b.TypeOf(value);
  const bool adds = type.type == DType::kInt32 || IsFloat(type.type);
  if (adds && choices_.Below(2) == 0) {
    const MaybeValue sum = Add(b, Op::kAdd, {value, b.AddConstant(SmallNumbers(type))}, type.type);
    if (sum) return *sum;
  }
  if (IsFloat(type.type)) return GrowPreserving(b, menu_, value, kExactOnFloats);
  return tame_ ? GrowPreserving(b, menu_, value, kTame) : GrowPreserving(b, menu_, value);
}

std::vector<ValueIndex> NestValues::WorkOnAll(GraphBuilder& b,
                                              const std::vector<ValueIndex>& values) {
  std::vector<ValueIndex> results;
  for (const ValueIndex value : values) {
    results.push_back(Work(b, value));
    if (choices_.OneIn(3)) results.back() = Work(b, results.back());
  }
  return results;
}

ValueIndex NestValues::Join(GraphBuilder& b, ValueIndex first, ValueIndex second) {
  const TensorType& type = b.TypeOf(first);
  if (b.TypeOf(second) != type) return first;
  constexpr Op kJoining[] = {Op::kBitwiseXor, Op::kLogicalXor, Op::kAdd};
  for (const Op op : kJoining) {
    if (menu_.Find(choices_, op, type.type, type.type) == nullptr) continue;
    const MaybeValue joined = Add(b, op, {first, second}, type.type);
    if (joined) return *joined;
  }
  return first;
}

Tensor NestValues::SmallNumbers(const TensorType& type) {
  const int64_t most = IsFloat(type.type) ? 4 : 100;
  std::vector<int64_t> values;
  for (int64_t i = type.shape.Elements(); i > 0; --i) {
    values.push_back(choices_.Between(-most, most));
  }
  if (!IsFloat(type.type)) return Tensor::FromIntegers(type.type, type.shape, values);
  std::vector<double> halves;
  for (const int64_t value : values) halves.push_back(static_cast<double>(value) / 2);
  return Tensor::FromFloats(type.type, type.shape, halves);
}

Tensor NestValues::DrawValue(const TensorType& type) {
  const bool small = IsFloat(type.type) || (type.type == DType::kInt32 && !choices_.OneIn(4));
  if (small) return SmallNumbers(type);
  return DrawTensor(choices_, type, ValueRange::All(type.type), ValueMode::kFinite);
}

Tensor NestValues::Numbers(const Shape& shape, const std::vector<int64_t>& values) const {
  if (IsFloat(number_)) {
    return Tensor::FromFloats(number_, shape, std::vector<double>(values.begin(), values.end()));
  }
  return Tensor::FromIntegers(number_, shape, values);
}

Tensor NestValues::Number(const Shape& shape, int64_t value) const {
  return Numbers(shape, {value});
}

Tensor NestValues::ControlTensor(const std::vector<int64_t>& values) const {
  return Numbers(Shape{static_cast<int32_t>(values.size())}, values);
}

}  // namespace assay

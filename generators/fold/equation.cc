// SPDX-License-Identifier: Apache-2.0
#include "equation.h"

#include <algorithm>
#include <numeric>

#include "convert_tensor.h"
#include "recipe.h"
#include "run_operator.h"

namespace assay {
namespace {

// Returns the tensor with other elements at its beginning, as many as fit.
Tensor Planted(const Tensor& tensor, std::span<const double> values) {
  const auto count = static_cast<int64_t>(std::min<size_t>(
      values.size(), static_cast<size_t>(std::max<int64_t>(tensor.elements(), 0))));
  const auto bytes = tensor.bytes();
  std::vector<uint8_t> elements(bytes.begin(), bytes.end());
  const Shape few = {static_cast<int32_t>(count)};
  if (count == 0) return tensor;
  const auto first = values.first(static_cast<size_t>(count));
  const std::vector<int64_t> integers = IsFloat(tensor.type())
                                            ? std::vector<int64_t>()
                                            : std::vector<int64_t>(first.begin(), first.end());
  const Tensor planted = IsFloat(tensor.type())
                             ? Tensor::FromFloats(tensor.type(), few, first)
                             : Tensor::FromIntegers(tensor.type(), few, integers);
  std::ranges::copy(planted.bytes(), elements.begin());
  return Tensor::FromBytes(tensor.type(), tensor.shape(), std::move(elements));
}

}  // namespace

TensorIndex Side::Declare(TensorType type) {
  return block_.AddTensor("t" + std::to_string(block_.tensors.size()), std::move(type));
}

TensorIndex Side::Input(TensorType type) {
  block_.inputs.push_back(Declare(std::move(type)));
  return block_.inputs.back();
}

TensorIndex Side::Constant(Tensor value) {
  const TensorIndex output = Declare(value.tensor_type());
  block_.operators.push_back(
      {Op::kConst, {{AttributeId::kValues, std::move(value)}}, {}, {output}});
  return output;
}

TensorIndex Side::Shape(std::span<const int64_t> values) {
  Tensor value = Tensor::FromShape(values);
  const TensorIndex output = Declare(value.tensor_type());
  shapes_.emplace(output, value);
  block_.operators.push_back(
      {Op::kConstShape, {{AttributeId::kValues, std::move(value)}}, {}, {output}});
  return output;
}

TensorIndex Side::Apply(Op op, std::vector<TensorIndex> inputs, Attributes attributes,
                        DType wished) {
  const std::vector<TensorType> types = block_.TypesOf(inputs);
  std::vector<std::vector<Scalar>> values(inputs.size());
  std::vector<std::span<const Scalar>> constants;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto shape = shapes_.find(inputs[i]);
    if (shape != shapes_.end()) values[i] = *ToScalars(shape->second).elements;
    constants.push_back(values[i]);
  }
  std::vector<TensorType> outputs = {{wished, {}}};
  const bool known = InferOutputs({op, &attributes, types, {}, constants}, outputs);
  complete_ = complete_ && known && outputs[0].type != DType::kUnknown;
  const TensorIndex output = Declare(outputs.empty() ? TensorType{} : outputs[0]);
  block_.operators.push_back({op, std::move(attributes), std::move(inputs), {output}});
  return output;
}

std::vector<TensorIndex> Side::Copy(const Operator& op, std::vector<TensorIndex> inputs,
                                    std::span<const TensorType> results) {
  std::vector<TensorIndex> outputs;
  for (const TensorType& type : results) outputs.push_back(Declare(type));
  if (op.op == Op::kConstShape)
    shapes_.emplace(outputs[0], op.attributes.Value(AttributeId::kValues));
  block_.operators.push_back({op.op, op.attributes, std::move(inputs), outputs});
  return outputs;
}

Graph Side::Finish(std::vector<TensorIndex> outputs) const {
  Graph graph = EmptyGraph();
  Block& main = *graph.Main();
  std::string name = main.name;
  main = block_;
  main.name = std::move(name);
  main.outputs = std::move(outputs);
  return graph;
}

TensorIndex Side::Binary(Op op, TensorIndex a, TensorIndex b) {
  const DType type = TypeOf(a).type;
  switch (op) {
    case Op::kMul:
      return Apply(op, {a, b, Constant(Tensor::Splat(DType::kInt8, {1}, 0))}, {},
                   IsFloat(type) ? type : DType::kInt32);
    case Op::kMaximum:
    case Op::kMinimum:
      return Extreme(op, a, b, NanMode::kPropagate);
    default:
      return Apply(op, {a, b}, {}, type);
  }
}

TensorIndex Side::Unary(Op op, TensorIndex x) {
  const DType type = TypeOf(x).type;
  if (op != Op::kNegate) return Apply(op, {x}, {}, type);
  const TensorIndex zero_point = Constant(Filled({type, {1}}, 0));
  return Apply(op, {x, zero_point, zero_point}, {}, type);
}

TensorIndex Side::Number(TensorIndex like, double value) {
  TensorType type = TypeOf(like);
  for (int axis = 0; axis < type.shape.rank(); ++axis) type.shape[axis] = 1;
  return Constant(Filled(type, value));
}

TensorIndex Side::Splat(TensorIndex like, double value) {
  return Constant(Filled(TypeOf(like), value));
}

TensorIndex Side::Clamp(TensorIndex x, double low, double high, NanMode mode) {
  const TensorType bound = {TypeOf(x).type, {}};
  return Apply(Op::kClamp, {x},
               {{AttributeId::kMinVal, Filled(bound, low)},
                {AttributeId::kMaxVal, Filled(bound, high)},
                {AttributeId::kNanMode, static_cast<int32_t>(mode)}});
}

TensorIndex Side::Extreme(Op op, TensorIndex a, TensorIndex b, NanMode mode) {
  return Apply(op, {a, b}, {{AttributeId::kNanMode, static_cast<int32_t>(mode)}});
}

TensorIndex Side::Shifted(TensorIndex x, int64_t by, bool round) {
  return Apply(Op::kArithmeticRightShift, {x, Number(x, static_cast<double>(by))},
               {{AttributeId::kRound, round}});
}

TensorIndex Side::Reverse(TensorIndex x, int32_t axis) {
  return Apply(Op::kReverse, {x}, {{AttributeId::kAxis, axis}});
}

TensorIndex Side::Transpose(TensorIndex x, std::vector<int32_t> perms) {
  return Apply(Op::kTranspose, {x}, {{AttributeId::kPerms, std::move(perms)}});
}

TensorIndex Side::Reshape(TensorIndex x, const assay::Shape& shape) {
  const std::vector<int64_t> values(shape.begin(), shape.end());
  return Apply(Op::kReshape, {x, Shape(values)});
}

TensorIndex Side::Slice(TensorIndex x, std::vector<int64_t> start, const assay::Shape& size) {
  const std::vector<int64_t> sizes(size.begin(), size.end());
  const TensorIndex from = Shape(start);
  return Apply(Op::kSlice, {x, from, Shape(sizes)});
}

TensorIndex Side::Pad(TensorIndex x, std::span<const int64_t> padding, double value) {
  const TensorIndex amounts = Shape(padding);
  return Apply(Op::kPad, {x, amounts, Constant(Filled({TypeOf(x).type, {1}}, value))});
}

TensorIndex Side::Tile(TensorIndex x, std::span<const int64_t> multiples) {
  return Apply(Op::kTile, {x, Shape(multiples)});
}

TensorIndex Side::Concat(std::vector<TensorIndex> parts, int32_t axis) {
  return Apply(Op::kConcat, std::move(parts), {{AttributeId::kAxis, axis}});
}

TensorIndex Side::Reduce(Op op, TensorIndex x, int32_t axis) {
  Attributes attributes = {{AttributeId::kAxis, axis}};
  if (op == Op::kReduceMax || op == Op::kReduceMin) {
    attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
  }
  return Apply(op, {x}, std::move(attributes));
}

TensorIndex Equation::Operand(TensorType type, ValueRange range,
                              std::initializer_list<double> planted) {
  operands_.push_back({type, range, planted});
  before.Input(type);
  return after.Input(std::move(type));
}

Shape Equation::DrawShape(int rank) {
  if (rank == 0) rank = choices_.Between32(1, 4);
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.PushBack(2);
  int64_t room = options_.elements_max >> rank;
  const int first = static_cast<int>(choices_.Below(static_cast<uint64_t>(rank)));
  for (int i = 0; i < rank; ++i) {
    const int axis = (first + i) % rank;
    const auto most = static_cast<int32_t>(
        std::min<int64_t>({2 * room, options_.dimension_max, options_.elements_max}));
    shape[axis] = choices_.Between32(2, std::max(2, most));
    room = std::max<int64_t>(room * 2 / shape[axis], 1);
  }
  return shape;
}

int32_t Equation::DrawAxis(TensorIndex x) {
  return choices_.Between32(0, before.ShapeOf(x).rank() - 1);
}

DType Equation::Pick(std::initializer_list<DType> types) {
  std::vector<DType> allowed;
  for (const DType type : types) {
    if (AllowsType(options_, type)) allowed.push_back(type);
  }
  return allowed.empty() ? *types.begin() : choices_.Pick(allowed);
}

DType Equation::DrawFloat() { return Pick({DType::kFp32, DType::kFp16, DType::kBf16}); }
DType Equation::DrawInteger() { return Pick({DType::kInt32, DType::kInt16, DType::kInt8}); }
DType Equation::DrawAnyType() {
  return Pick({DType::kInt8, DType::kInt32, DType::kFp32, DType::kInt16, DType::kFp16, DType::kBool,
               DType::kBf16});
}

double Equation::DrawValue(DType type) {
  const auto value = static_cast<double>(choices_.Between(-100, 100));
  if (type == DType::kBool) return value > 0 ? 1 : 0;
  return IsFloat(type) ? value / 8 : value;
}

std::vector<int32_t> InverseOf(const std::vector<int32_t>& perms) {
  std::vector<int32_t> inverse(perms.size());
  for (size_t i = 0; i < perms.size(); ++i) {
    inverse[static_cast<size_t>(perms[i])] = static_cast<int32_t>(i);
  }
  return inverse;
}

std::optional<TestVector> Equation::Finish(int64_t steps) {
  if (!before.complete() || !after.complete() || !before_output || !after_output ||
      before.TypeOf(*before_output) != after.TypeOf(*after_output)) {
    return std::nullopt;
  }
  TestVector vector;
  for (int64_t number = 0; number < steps; ++number) {
    Step& step = vector.steps.emplace_back();
    const ValueMode mode = number % 2 == 0 ? ValueMode::kFinite : ValueMode::kSpecial;
    for (const Drawn& operand : operands_) {
      step.inputs.push_back(
          Planted(DrawTensor(choices_, operand.type, operand.range, mode), operand.planted));
    }
  }
  vector.graphs = {before.Finish(*before_output), after.Finish(*after_output)};
  const auto allowed = [&](const Graph& graph) { return AllowsGraph(options_, graph); };
  if (!std::ranges::all_of(vector.graphs, allowed)) return std::nullopt;
  return vector;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "planted_fault.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace assay {
namespace {

// Edits of a block in which operators stay in an order of execution.
class BlockEdit {
 public:
  explicit BlockEdit(Block& block) : block_(block) {}

  TensorIndex AddTensor(const TensorType& type) {
    const auto index = static_cast<TensorIndex>(block_.tensors.size());
    block_.tensors.push_back({"fault" + std::to_string(index), type, false, {}, {}});
    return index;
  }
  TensorIndex AddConstant(const Tensor& value) {
    const TensorIndex index = AddTensor(value.tensor_type());
    block_.operators.insert(block_.operators.begin(),
                            {Op::kConst, {{AttributeId::kValues, value}}, {}, {index}});
    return index;
  }
  // Makes everything that reads `from` read the result of an operator on it.
  void Follow(TensorIndex from, Op op, std::vector<TensorIndex> operands, Attributes attributes,
              const TensorType& type) {
    const TensorIndex result = AddTensor(type);
    for (Operator& reader : block_.operators) {
      std::ranges::replace(reader.inputs, from, result);
    }
    std::ranges::replace(block_.outputs, from, result);
    const auto producer = std::ranges::find_if(block_.operators, [from](const Operator& made) {
      return std::ranges::find(made.outputs, from) != made.outputs.end();
    });
    block_.operators.insert(producer + 1,
                            {op, std::move(attributes), std::move(operands), {result}});
  }
  const Tensor* Constant(TensorIndex tensor) const {
    for (const Operator& op : block_.operators) {
      if (op.op != Op::kConst || op.outputs[0] != tensor) continue;
      for (const auto& [id, value] : op.attributes.entries()) {
        if (id == AttributeId::kValues) return std::get_if<Tensor>(&value);
      }
    }
    return nullptr;
  }
  Block& block() { return block_; }

 private:
  Block& block_;
};

bool IsDotProduct(Op op) {
  return op == Op::kConv2d || op == Op::kDepthwiseConv2d || op == Op::kTransposeConv2d;
}

// Returns the elements of a tensor as a new tensor of changed elements, read from the position that
// `from(i)` gives; -1 stands for a zero.
template <class From>
Tensor Rearranged(const Tensor& tensor, From from) {
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  const std::span<const uint8_t> bytes = tensor.bytes();
  std::vector<uint8_t> moved(bytes.size());
  for (size_t i = 0; i < moved.size() / width; ++i) {
    const int64_t at = from(static_cast<int64_t>(i));
    if (at < 0) continue;
    std::copy_n(
        bytes.begin() + static_cast<std::ptrdiff_t>(at) * static_cast<std::ptrdiff_t>(width), width,
        moved.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  return Tensor::FromBytes(tensor.type(), tensor.shape(), std::move(moved));
}

// Replaces an operand that is a constant by another constant, for this operator alone.
template <class From>
bool ChangeConstant(BlockEdit& edit, size_t op, size_t operand, From from) {
  const Tensor* constant = edit.Constant(edit.block().operators[op].inputs[operand]);
  if (constant == nullptr) return false;
  const Tensor changed = Rearranged(*constant, from);
  if (changed == *constant) return false;
  const TensorIndex index = edit.AddConstant(changed);
  edit.block().operators[op + 1].inputs[operand] = index;  // the constant went in front
  return true;
}

bool Multiply(BlockEdit& edit, TensorIndex tensor, const Tensor& factor) {
  const TensorType type = edit.block().TypeOf(tensor);
  const TensorIndex by = edit.AddConstant(factor);
  const TensorIndex shift = edit.AddConstant(Tensor::Splat(DType::kInt8, Shape{1}, 0));
  edit.Follow(tensor, Op::kMul, {tensor, by, shift}, {}, type);
  return true;
}

Shape OnesOf(const Shape& shape) {
  Shape ones;
  for (int axis = 0; axis < shape.rank(); ++axis) ones.PushBack(1);
  return ones;
}

bool DropChannel(BlockEdit& edit, TensorIndex tensor) {
  const TensorType type = edit.block().TypeOf(tensor);
  const int rank = type.shape.rank();
  if (rank == 0 || type.shape[rank - 1] < 2 || type.type == DType::kBool) return false;
  Shape shape = OnesOf(type.shape);
  shape[rank - 1] = type.shape[rank - 1];
  const auto channels = static_cast<size_t>(shape[rank - 1]);
  if (IsFloat(type.type)) {
    std::vector<double> mask(channels, 1);
    mask.back() = 0;
    return Multiply(edit, tensor, Tensor::FromFloats(type.type, shape, mask));
  }
  if (type.type == DType::kInt48) return false;
  std::vector<int64_t> mask(channels, -1);
  mask.back() = 0;
  const TensorIndex kept = edit.AddConstant(Tensor::FromIntegers(type.type, shape, mask));
  edit.Follow(tensor, Op::kBitwiseAnd, {tensor, kept}, {}, type);
  return true;
}

bool ClampBelowTop(BlockEdit& edit, TensorIndex tensor) {
  const TensorType type = edit.block().TypeOf(tensor);
  if (type.type != DType::kInt8 && type.type != DType::kInt16) return false;
  const int64_t low = MinimumInteger(type.type), high = MaximumInteger(type.type) / 4;
  edit.Follow(tensor, Op::kClamp, {tensor},
              {{AttributeId::kMinVal, Tensor::FromIntegers(type.type, Shape{}, {&low, 1})},
               {AttributeId::kMaxVal, Tensor::FromIntegers(type.type, Shape{}, {&high, 1})},
               {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}},
              type);
  return true;
}

bool ThroughBf16(BlockEdit& edit, TensorIndex tensor) {
  const TensorType type = edit.block().TypeOf(tensor);
  if (type.type != DType::kFp32) return false;
  const TensorType narrow = {DType::kBf16, type.shape};
  edit.Follow(tensor, Op::kCast, {tensor}, {}, narrow);
  const auto cast = static_cast<TensorIndex>(edit.block().tensors.size() - 1);
  edit.Follow(cast, Op::kCast, {cast}, {}, type);
  return true;
}

// Makes an operator read the oldest other tensor of the type of its last varying operand.
bool ReadAnother(Block& block, size_t op) {
  const std::vector<int32_t> producers = block.Producers();
  const auto varies = [&](TensorIndex tensor) {
    const int32_t producer = producers[static_cast<size_t>(tensor)];
    return producer < 0 || !IsConstant(block.operators[static_cast<size_t>(producer)].op);
  };
  for (TensorIndex& operand : block.operators[op].inputs) {
    if (!varies(operand)) continue;
    for (size_t t = 0; t < block.tensors.size(); ++t) {
      const auto other = static_cast<TensorIndex>(t);
      const bool is_input = std::ranges::find(block.inputs, other) != block.inputs.end();
      const int32_t producer = producers[t];
      const bool is_before = producer >= 0 ? producer < static_cast<int32_t>(op) : is_input;
      if (other == operand || !is_before || !varies(other)) continue;
      if (block.TypeOf(other) != block.TypeOf(operand)) continue;
      operand = other;
      return true;
    }
  }
  return false;
}

// Plants the fault in an operator of one block.
bool PlantFault(LayerFault fault, std::string_view tensor, Block& block) {
  const auto found = std::ranges::find_if(block.operators, [&](const Operator& op) {
    return !op.outputs.empty() && block.tensors[static_cast<size_t>(op.outputs[0])].name == tensor;
  });
  if (found == block.operators.end() || IsConstant(found->op)) return false;
  const auto op = static_cast<size_t>(found - block.operators.begin());
  const TensorIndex result = found->outputs[0];
  const TensorType type = block.TypeOf(result);
  BlockEdit edit(block);
  switch (fault) {
    case LayerFault::kLostBias:
      return IsDotProduct(found->op) && ChangeConstant(edit, op, 2, [](int64_t) { return -1; });
    case LayerFault::kReversedWeights: {
      if (!IsDotProduct(found->op)) return false;
      const int64_t count = block.TypeOf(found->inputs[1]).shape.Elements();
      return ChangeConstant(edit, op, 1, [count](int64_t i) { return count - 1 - i; });
    }
    case LayerFault::kClampedTooEarly:
      return ClampBelowTop(edit, result);
    case LayerFault::kDroppedChannel:
      return DropChannel(edit, result);
    case LayerFault::kOnePercent: {
      if (!IsFloat(type.type)) return false;
      const double factor = 1.01;
      return Multiply(edit, result,
                      Tensor::FromFloats(type.type, OnesOf(type.shape), {&factor, 1}));
    }
    case LayerFault::kLowerPrecision:
      return ThroughBf16(edit, result);
    case LayerFault::kOtherOperand:
      return ReadAnother(block, op);
  }
  return false;
}

}  // namespace

std::string_view LayerFaultName(LayerFault fault) {
  constexpr std::string_view kNames[] = {"lost bias",       "reversed weights", "clamped too early",
                                         "dropped channel", "1 % too large",    "through bf16",
                                         "another operand"};
  return kNames[static_cast<size_t>(fault)];
}

bool PlantFault(LayerFault fault, std::string_view tensor, Graph& graph) {
  return std::ranges::any_of(graph.Blocks(),
                             [&](Block& block) { return PlantFault(fault, tensor, block); });
}

}  // namespace assay

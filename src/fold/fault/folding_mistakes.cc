// SPDX-License-Identifier: Apache-2.0
#include "folding_mistakes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "float_format.h"

namespace assay {
namespace {

TensorIndex AddTensor(Block& block, std::string name, TensorType type) {
  while (block.FindTensor(name)) name += "_";
  TensorInfo info;
  info.name = std::move(name);
  info.type = std::move(type);
  block.tensors.push_back(std::move(info));
  return static_cast<TensorIndex>(block.tensors.size() - 1);
}

Operator Zeros(const TensorType& type, TensorIndex output) {
  return {
      Op::kConst, {{AttributeId::kValues, Tensor::Splat(type.type, type.shape, 0)}}, {}, {output}};
}

bool IsZero(const Block& block, TensorIndex tensor) {
  const Operator* producer = block.ProducerOf(tensor);
  if (producer == nullptr || producer->op != Op::kConst) return false;
  const std::span<const uint8_t> bytes = producer->attributes.Value(AttributeId::kValues).bytes();
  return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

bool IsDroppedBy(const Block& block, const Operator& op, FoldFault fault) {
  if (fault == FoldFault::kMinusItselfIsZero) {
    return op.op == Op::kSub && op.inputs[0] == op.inputs[1];
  }
  return fault == FoldFault::kTimesZeroIsZero && op.op == Op::kMul &&
         (IsZero(block, op.inputs[0]) || IsZero(block, op.inputs[1]));
}

// Replaces reads of a variable by its initial value.
void ReadInitialValues(Block& block) {
  std::map<std::string, Tensor> initial;
  for (Operator& op : block.operators) {
    if (op.op == Op::kVariable && op.attributes.Has(AttributeId::kInitialValue)) {
      initial[op.attributes.Text(AttributeId::kName)] =
          op.attributes.Value(AttributeId::kInitialValue);
    }
    if (op.op != Op::kVariableRead) continue;
    const auto known = initial.find(op.attributes.Text(AttributeId::kName));
    if (known == initial.end()) continue;
    op = {Op::kConst, {{AttributeId::kValues, known->second}}, {}, op.outputs};
  }
}

// Moves the part of a block that is computed from CONSTs to the block that runs it. That block
// passes the results as arguments.
void Hoist(Block& runner, size_t position, Block& callee, Block& other) {
  std::set<TensorIndex> constant;
  std::vector<Operator> kept;
  size_t moved = 0;
  for (const Operator& op : callee.operators) {
    const bool is_moved =
        !IsControlFlow(op.op) && !IsVariableOperator(op.op) && op.op != Op::kCustom &&
        op.outputs.size() == 1 &&
        std::ranges::all_of(op.inputs, [&](TensorIndex input) { return constant.contains(input); });
    if (!is_moved) {
      kept.push_back(op);
      continue;
    }
    constant.insert(op.outputs[0]);
    if (IsConstant(op.op)) kept.push_back(op);
  }
  std::vector<TensorIndex> copies(callee.tensors.size(), -1);
  std::vector<Operator> hoisted;
  for (const Operator& op : callee.operators) {
    if (op.outputs.size() != 1 || !constant.contains(op.outputs[0])) continue;
    const TensorInfo info = callee.tensors[static_cast<size_t>(op.outputs[0])];
    const TensorIndex copy = AddTensor(runner, info.name + "/hoisted", info.type);
    copies[static_cast<size_t>(op.outputs[0])] = copy;
    Operator there = op;
    for (TensorIndex& input : there.inputs) input = copies[static_cast<size_t>(input)];
    there.outputs = {copy};
    hoisted.push_back(std::move(there));
    if (IsConstant(op.op)) continue;
    ++moved;
    callee.inputs.push_back(op.outputs[0]);
    other.inputs.push_back(AddTensor(other, info.name + "/unused", info.type));
    runner.operators[position].inputs.push_back(copy);
  }
  if (moved == 0) return;
  callee.operators = std::move(kept);
  runner.operators.insert(runner.operators.begin() + static_cast<ptrdiff_t>(position),
                          hoisted.begin(), hoisted.end());
}

void HoistAll(Graph& graph) {
  Block& main = *graph.Main();
  for (size_t i = 0; i < main.operators.size(); ++i) {
    if (main.operators[i].op != Op::kCondIf) continue;
    const auto block = [&](AttributeId id) {
      return const_cast<Block*>(graph.FindBlock(main.operators[i].attributes.Text(id)));
    };
    Block* const yes = block(AttributeId::kThenGraph);
    Block* const no = block(AttributeId::kElseGraph);
    if (yes == no) continue;
    const size_t before = main.operators.size();
    Hoist(main, i, *yes, *no);
    i += main.operators.size() - before;
    const size_t between = main.operators.size();
    Hoist(main, i, *no, *yes);
    i += main.operators.size() - between;
  }
}

Tensor Flushed(const Tensor& tensor) {
  if (!IsFloat(tensor.type())) return tensor;
  std::vector<int64_t> bits;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = tensor.Float(i);
    const bool is_small = std::abs(value) < FormatOf(tensor.type()).normal_min;
    bits.push_back(is_small ? 0 : int64_t{tensor.FloatBits(i)});
  }
  return Tensor::FromIntegers(tensor.type(), tensor.shape(), bits);
}

Tensor AsSplat(const Tensor& tensor) {
  if (!IsFloat(tensor.type()) || tensor.elements() == 0) return tensor;
  for (int64_t i = 1; i < tensor.elements(); ++i) {
    if (tensor.Float(i) != tensor.Float(0)) return tensor;
  }
  return Tensor::Splat(tensor.type(), tensor.shape(), tensor.FloatBits(0));
}

}  // namespace

Graph Rewritten(const Graph& graph, FoldFault fault) {
  Graph rewritten = graph;
  Block& main = *rewritten.Main();
  for (Operator& op : main.operators) {
    if (IsDroppedBy(main, op, fault)) op = Zeros(main.TypeOf(op.outputs[0]), op.outputs[0]);
  }
  if (fault == FoldFault::kVariablesConstant) ReadInitialValues(main);
  if (fault == FoldFault::kHoistedFromBlocks) HoistAll(rewritten);
  return rewritten;
}

Attributes Carried(const Attributes& attributes, bool are_lost) {
  Attributes carried = attributes;
  if (!are_lost) return carried;
  for (const auto& [id, value] : attributes.entries()) {
    if (std::holds_alternative<bool>(value)) carried.Set(id, false);
    if (id == AttributeId::kAxis) carried.Set(id, int32_t{0});
    if (id == AttributeId::kMinVal || id == AttributeId::kMaxVal) {
      const Tensor& limit = std::get<Tensor>(value);
      carried.Set(id, Tensor::Splat(limit.type(), limit.shape(), 0));
    }
    if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) {
      std::vector<int32_t> sorted = *list;
      std::ranges::sort(sorted);
      carried.Set(id, sorted);
    }
  }
  return carried;
}

void Spoil(Graph& stage, FoldStage which, FoldFault fault) {
  if (which == FoldStage::kEntry || fault != FoldFault::kAttributesLost) return;
  for (Operator& op : stage.Main()->operators) op.attributes = Carried(op.attributes, true);
}

void ForgetCachedOutputs(Graph& entry, size_t arguments) {
  Block& main = *entry.Main();
  for (TensorIndex& output : main.outputs) {
    const auto input = std::ranges::find(main.inputs, output);
    if (input - main.inputs.begin() < static_cast<ptrdiff_t>(arguments)) continue;
    if (input == main.inputs.end()) continue;
    const TensorInfo info = main.tensors[static_cast<size_t>(output)];
    output = AddTensor(main, info.name + "/unbound", info.type);
    main.operators.push_back(Zeros(info.type, output));
  }
}

void Spoil(std::vector<Tensor>& results, FoldStage which, FoldFault fault) {
  const bool early = which == FoldStage::kCompileTime;
  const bool flushes =
      fault == (early ? FoldFault::kFoldsFlushing : FoldFault::kRuntimeFoldsFlushing);
  for (Tensor& result : results) {
    if (flushes) result = Flushed(result);
    if (early && fault == FoldFault::kSplatsByValue) result = AsSplat(result);
  }
}

const Mutant* EvaluatorOf(FoldFault fault) {
  static constexpr Mutant kSigned = {
      "", OperatorClass::kConversion, Op::kCast, Twist::kOperandNegated, {}, ""};
  if (fault == FoldFault::kFoldsBoolSigned) return &kSigned;
  if (fault == FoldFault::kFoldsWrapping) return MutantById("cast/wraps");
  if (fault == FoldFault::kFoldsMulTruncating) return MutantById("mul/rounding-lost");
  return nullptr;
}

Graph WithoutRounding(const Graph& stage) {
  Graph wide = stage;
  Block& main = *wide.Main();
  const auto is_narrow = [](DType type) { return type == DType::kFp16 || type == DType::kBf16; };
  const std::vector<TensorInfo> before = main.tensors;
  for (TensorInfo& info : main.tensors) {
    if (is_narrow(info.type.type)) info.type.type = DType::kFp32;
  }
  std::vector<Operator> casts;
  const auto narrow_again = [&](TensorIndex& tensor, bool is_input) {
    const TensorInfo info = before[static_cast<size_t>(tensor)];
    if (!is_narrow(info.type.type)) return;
    const TensorIndex outside = AddTensor(main, info.name + "/narrow", info.type);
    casts.push_back(is_input ? Operator{Op::kCast, {}, {outside}, {tensor}}
                             : Operator{Op::kCast, {}, {tensor}, {outside}});
    tensor = outside;
  };
  for (TensorIndex& input : main.inputs) narrow_again(input, true);
  for (TensorIndex& output : main.outputs) narrow_again(output, false);
  main.operators.insert(main.operators.end(), casts.begin(), casts.end());
  return wide;
}

}  // namespace assay

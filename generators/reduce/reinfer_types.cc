// SPDX-License-Identifier: Apache-2.0
#include "reinfer_types.h"

#include <algorithm>

#include "convert_tensor.h"
#include "operator_facts.h"
#include "resize_border.h"
#include "run_operator.h"
#include "tensor_elements.h"

namespace assay {
namespace {

// Repairs one operator after its first operand has changed from `old` to `now`.
class Repair {
 public:
  Repair(GraphEdit& edit, size_t op, const Shape& old, const Shape& now)
      : edit_(edit), op_(op), old_(old), now_(now) {}

  void Run() {
    Operator& op = edit_.main().operators[op_];
    if (op.attributes.Has(AttributeId::kAxis) && now_.rank() > 0) {
      const int32_t axis = op.attributes.Int(AttributeId::kAxis);
      if (axis >= now_.rank()) op.attributes.Set(AttributeId::kAxis, now_.rank() - 1);
    }
    switch (op.op) {
      case Op::kSlice:
        return FixSlice();
      case Op::kReshape:
        return FixReshape();
      case Op::kPad:
        return FixLength(2 * static_cast<size_t>(now_.rank()), 0);
      case Op::kTile:
        return FixLength(static_cast<size_t>(now_.rank()), 1);
      case Op::kTranspose:
        return FixPerms();
      case Op::kResize:
        return FixBorder();
      case Op::kAvgPool2d:
      case Op::kMaxPool2d:
        return FixPool();
      case Op::kConv2d:
      case Op::kConv3d:
      case Op::kDepthwiseConv2d:
        return FixPadding();
      default:
        return;
    }
  }

 private:
  const Operator& op() { return edit_.main().operators[op_]; }

  // Returns the values of a shape operand; empty if they are not known.
  std::vector<int64_t> Values(size_t operand) {
    const Tensor* tensor = edit_.Constant(op_, operand);
    return tensor == nullptr ? std::vector<int64_t>() : IntegerElements(*tensor);
  }
  void Set(size_t operand, const std::vector<int64_t>& values) {
    if (Values(operand) != values) edit_.SetConstant(op_, operand, Tensor::FromShape(values));
  }

  void FixSlice() {
    std::vector<int64_t> start = Values(1);
    std::vector<int64_t> size = Values(2);
    const auto rank = static_cast<size_t>(now_.rank());
    start.resize(rank, 0);
    size.resize(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
      const int axis = static_cast<int>(i);
      const bool everything = axis < old_.rank() && start[i] == 0 && size[i] == old_[axis];
      if (everything) {
        size[i] = now_[axis];
      } else {
        start[i] = std::min<int64_t>(start[i], now_[axis] - 1);
        size[i] = std::min<int64_t>(size[i], now_[axis] - start[i]);
      }
    }
    Set(1, start);
    Set(2, size);
  }

  void FixReshape() {
    std::vector<int64_t> to = Values(1);
    const int64_t elements = now_.Elements();
    int64_t had = 1;
    for (const int64_t d : to) had *= d;
    if (had == elements || to.empty() || had < 1) return;
    // Prefers the axis of the result that matches the changed axis; otherwise takes any axis that
    // fits.
    for (const bool aligned : {true, false}) {
      for (int64_t& d : to) {
        if (d * elements % had != 0 || d * elements / had < 1) continue;
        bool matches = !aligned;
        for (int axis = 0; axis < now_.rank() && axis < old_.rank() && aligned; ++axis) {
          matches |= now_[axis] != old_[axis] && old_[axis] == d;
        }
        if (!matches) continue;
        d = d * elements / had;
        return Set(1, to);
      }
    }
    std::fill(to.begin(), to.end(), 1);
    to.back() = elements;
    Set(1, to);
  }

  void FixLength(size_t length, int64_t filler) {
    std::vector<int64_t> values = Values(1);
    values.resize(length, filler);
    Set(1, values);
  }

  void FixPerms() {
    std::vector<int32_t> perms = op().attributes.Ints(AttributeId::kPerms);
    std::erase_if(perms, [&](int32_t axis) { return axis >= now_.rank(); });
    while (static_cast<int>(perms.size()) < now_.rank()) {
      perms.push_back(static_cast<int32_t>(perms.size()));
    }
    edit_.main().operators[op_].attributes.Set(AttributeId::kPerms, std::move(perms));
  }

  void FixBorder() {
    const std::vector<int64_t> scale = Values(1);
    const std::vector<int64_t> offset = Values(2);
    std::vector<int64_t> border = Values(3);
    if (scale.size() != 4 || offset.size() != 2 || border.size() != 2 || now_.rank() != 4) return;
    for (size_t i = 0; i < 2; ++i) {
      const int64_t n = scale[2 * i], d = scale[2 * i + 1];
      const int64_t in = now_[static_cast<int>(i) + 1];
      if (d > 0 && ((in - 1) * n - offset[i] + border[i]) % d != 0) {
        border[i] = ExactBorder(in, n, d, offset[i]);
      }
    }
    Set(3, border);
  }

  void FixPool() {
    Attributes& attributes = edit_.main().operators[op_].attributes;
    std::vector<int32_t> kernel = attributes.Ints(AttributeId::kKernel);
    std::vector<int32_t> stride = attributes.Ints(AttributeId::kStride);
    std::vector<int32_t> pad = attributes.Ints(AttributeId::kPad);
    if (kernel.size() != 2 || stride.size() != 2 || pad.size() != 4 || now_.rank() != 4) return;
    for (size_t i = 0; i < 2; ++i) {
      const int32_t in = now_[static_cast<int>(i) + 1];
      int32_t& size = kernel[i];
      if (in + pad[2 * i] + pad[2 * i + 1] < size) {
        size = in;
        pad[2 * i] = pad[2 * i + 1] = 0;
      }
      const int32_t span = in + pad[2 * i] + pad[2 * i + 1] - size;
      while (stride[i] > 1 && span % stride[i] != 0) --stride[i];
    }
    attributes.Set(AttributeId::kKernel, std::move(kernel));
    attributes.Set(AttributeId::kStride, std::move(stride));
    attributes.Set(AttributeId::kPad, std::move(pad));
  }

  void FixPadding() {
    Operator& conv = edit_.main().operators[op_];
    const Shape& weight = edit_.TypeOf(conv.inputs[1]).shape;
    const std::vector<int32_t>& stride = conv.attributes.Ints(AttributeId::kStride);
    const std::vector<int32_t>& dilation = conv.attributes.Ints(AttributeId::kDilation);
    std::vector<int32_t> pad = conv.attributes.Ints(AttributeId::kPad);
    const int first = conv.op == Op::kDepthwiseConv2d ? 0 : 1;
    for (size_t i = 0; i < stride.size() && 2 * i + 1 < pad.size(); ++i) {
      const int axis = static_cast<int>(i);
      if (axis + 1 >= now_.rank() || first + axis >= weight.rank()) return;
      int32_t& after = pad[2 * i + 1];
      const int32_t span =
          now_[axis + 1] - 1 + pad[2 * i] + after - (weight[first + axis] - 1) * dilation[i];
      if (span < 0) {
        after -= span;
      } else if (stride[i] > 0 && span % stride[i] != 0) {
        after += stride[i] - span % stride[i];
      }
    }
    conv.attributes.Set(AttributeId::kPad, std::move(pad));
  }

  GraphEdit& edit_;
  size_t op_;
  const Shape& old_;
  const Shape& now_;
};

// Returns a constant in another type, as close as possible.
Tensor Converted(const Tensor& tensor, DType type) {
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    elements.push_back(IsFloat(tensor.type()) ? tensor.Float(i)
                                              : static_cast<double>(tensor.Integer(i)));
  }
  if (IsFloat(type)) return Tensor::FromFloats(type, tensor.shape(), elements);
  std::vector<int64_t> integers;
  for (const double x : elements) {
    const double low = static_cast<double>(MinimumInteger(type));
    const double high = static_cast<double>(MaximumInteger(type));
    integers.push_back(x != x ? 0 : static_cast<int64_t>(std::clamp(x, low, high)));
  }
  return Tensor::FromIntegers(type, tensor.shape(), integers);
}

// Finds the element types of the results for those of the operands. They stay the same if there is
// such a row; otherwise the first row with these operands gives them. Constants take the types of
// that row. Returns false if there is no such row.
bool Retype(GraphEdit& edit, size_t index, std::vector<DType>& inputs,
            std::vector<DType>& outputs) {
  Operator& op = edit.main().operators[index];
  if (FindTypeRow(op.op, inputs, outputs, op.attributes.named_type())) return true;
  const OperatorRow& row = RowOf(op.op);
  // Rows that keep the types of the results come first.
  for (size_t turn = 0; turn < 2 * row.type_rows.size(); ++turn) {
    const bool same_results = turn < row.type_rows.size();
    const size_t i = turn % row.type_rows.size();
    const TypeRow& types = row.type_rows[i];
    std::vector<DType> wanted = inputs;
    std::vector<DType> candidate;
    size_t position = 0;
    bool fits = true;
    for (const ArgumentRow& argument : row.arguments) {
      if (argument.direction == Direction::kOutput) candidate.push_back(TypeIn(types, argument));
      if (argument.direction != Direction::kInput || argument.list) continue;
      const size_t at = position++;
      const DType type = TypeIn(types, argument);
      if (at >= inputs.size() || type == DType::kUnknown || type == inputs[at]) continue;
      wanted[at] = type;
      fits = fits && type != DType::kShape && edit.Constant(index, at) != nullptr;
    }
    const DType acc = TypeOf(op.op, static_cast<int>(i), "acc_t");
    if (!fits || candidate.size() != outputs.size() || (same_results && candidate != outputs) ||
        FindTypeRow(op.op, wanted, candidate, acc) != static_cast<int>(i)) {
      continue;
    }
    for (size_t at = 0; at < inputs.size(); ++at) {
      if (wanted[at] == inputs[at]) continue;
      edit.SetConstant(index, at, Converted(*edit.Constant(index, at), wanted[at]));
    }
    inputs = std::move(wanted);
    outputs = std::move(candidate);
    Attributes& attributes = edit.main().operators[index].attributes;
    if (attributes.Has(AttributeId::kAccType)) {
      attributes.Set(AttributeId::kAccType, static_cast<int32_t>(acc));
    }
    for (const AttributeId id : {AttributeId::kMinVal, AttributeId::kMaxVal}) {
      if (attributes.Has(id)) attributes.Set(id, Converted(attributes.Value(id), inputs[0]));
    }
    return true;
  }
  return false;
}

// The elements of constant operands that shape rules read.
struct KnownOperands {
  KnownOperands(GraphEdit& edit, size_t index) {
    const Operator& op = edit.main().operators[index];
    elements.resize(op.inputs.size());
    spans.resize(op.inputs.size());
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!FactsOf(op.op).NeedsConstant(i)) continue;
      const Tensor* tensor = edit.Constant(index, i);
      if (tensor == nullptr) continue;
      elements[i] = *ToScalars(*tensor).elements;
      spans[i] = elements[i];
    }
  }

  std::vector<std::vector<Scalar>> elements;
  std::vector<std::span<const Scalar>> spans;
};

bool KeepsItsTypes(Op op) { return IsControlFlow(op) || op == Op::kCustom; }

bool InferOne(GraphEdit& edit, size_t index, const std::vector<TensorType>& before) {
  Block& block = edit.main();
  std::vector<TensorType> inputs = block.TypesOf(block.operators[index].inputs);
  if (KeepsItsTypes(block.operators[index].op)) return inputs == before;
  // The edit has changed the declaration of a variable, too, or the executor refuses the graph.
  if (IsVariableOperator(block.operators[index].op)) return true;
  const std::vector<TensorType> stale = block.TypesOf(block.operators[index].outputs);
  {
    // An operator of an invalid graph may lack operands, or have lists of other lengths.
    const KnownOperands known(edit, index);
    const Operator& op = block.operators[index];
    const Signature signature{op.op, &op.attributes, before, stale, known.spans};
    if (!HasMeaning(signature, kLevelNone)) return inputs == before;
  }
  // Padding depends on the sizes of the weights, too.
  const bool has_window = block.operators[index].attributes.Has(AttributeId::kStride);
  if (!inputs.empty() && !before.empty() &&
      (has_window ? inputs != before : inputs[0] != before[0])) {
    Repair(edit, index, before[0].shape, inputs[0].shape).Run();
  }
  std::vector<DType> input_types, output_types;
  for (const TensorIndex input : edit.main().operators[index].inputs) {
    input_types.push_back(block.TypeOf(input).type);
  }
  for (const TensorIndex output : edit.main().operators[index].outputs) {
    output_types.push_back(block.TypeOf(output).type);
  }
  if (!Retype(edit, index, input_types, output_types)) return false;
  Operator& op = edit.main().operators[index];
  inputs = block.TypesOf(op.inputs);

  const KnownOperands known(edit, index);
  // The shape is known only if the constant operands that the rules read are known.
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type == DType::kShape && inputs[i].shape.Elements() > 0 &&
        known.spans[i].empty()) {
      return false;
    }
  }
  std::vector<TensorType> outputs;
  for (const DType type : output_types) outputs.push_back({type, Shape{}});
  const Signature signature{op.op, &op.attributes, inputs, stale, known.spans};
  if (!HasMeaning(signature, kLevelNone)) return false;
  if (!InferOutputs(signature, outputs) || outputs.size() != op.outputs.size()) return false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorInfo& info = block.tensors[static_cast<size_t>(op.outputs[i])];
    // A variable keeps its type, because the other graphs rely on it.
    if (info.variable && info.type != outputs[i]) return false;
    info.type = outputs[i];
  }
  return true;
}

}  // namespace

std::vector<std::vector<TensorType>> OperandTypes(const Block& block) {
  std::vector<std::vector<TensorType>> types;
  for (const Operator& op : block.operators) types.push_back(block.TypesOf(op.inputs));
  return types;
}

bool Reinfer(GraphEdit& edit, const std::vector<std::vector<TensorType>>& before) {
  for (size_t i = 0; i < edit.main().operators.size(); ++i) {
    const Operator& op = edit.main().operators[i];
    if (IsConstant(op.op)) {
      edit.main().tensors[static_cast<size_t>(op.outputs[0])].type =
          op.attributes.Value(AttributeId::kValues).tensor_type();
      continue;
    }
    if (!InferOne(edit, i, before[i])) return false;
  }
  return true;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "shrink_ranks.h"

#include <algorithm>

#include "dimension_classes.h"
#include "reinfer_types.h"
#include "tensor_elements.h"

namespace assay {
namespace {

// The axes that go, by tensor.
using Axes = std::vector<std::vector<int>>;

Axes AxesOf(const Block& block, int32_t dimension_class) {
  const DimensionClasses classes(block);
  Axes axes(block.tensors.size());
  for (size_t t = 0; t < block.tensors.size(); ++t) {
    const TensorType& type = block.tensors[t].type;
    for (int axis = 0; type.type != DType::kShape && axis < type.shape.rank(); ++axis) {
      const bool goes = type.shape[axis] == 1 &&
                        classes.ClassOf(static_cast<TensorIndex>(t), axis) == dimension_class;
      if (goes) axes[t].push_back(axis);
    }
  }
  return axes;
}

// Erases the entries of axes that go from a list with `width` entries for each axis.
template <class T>
void EraseAxes(std::vector<T>& list, const std::vector<int>& axes, size_t width) {
  for (size_t i = axes.size(); i-- > 0;) {
    const size_t first = static_cast<size_t>(axes[i]) * width;
    if (first + width > list.size()) continue;
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(first);
    list.erase(at, at + static_cast<std::ptrdiff_t>(width));
  }
}

Shape Without(Shape shape, const std::vector<int>& axes) {
  for (size_t i = axes.size(); i-- > 0;) shape.Erase(axes[i]);
  return shape;
}

bool Holds(const std::vector<int>& axes, int axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

// Returns the number of an axis when those before it are gone.
int32_t Renumbered(const std::vector<int>& axes, int32_t axis) {
  return axis -
         static_cast<int32_t>(std::ranges::count_if(axes, [axis](int x) { return x < axis; }));
}

// Makes a shape operand shorter.
void Shorten(GraphEdit& edit, size_t op, size_t operand, const std::vector<int>& axes,
             size_t width) {
  const Tensor* tensor = edit.Constant(op, operand);
  if (tensor == nullptr || axes.empty()) return;
  std::vector<int64_t> values = IntegerElements(*tensor);
  EraseAxes(values, axes, width);
  edit.SetConstant(op, operand, Tensor::FromShape(values));
}

// Changes what an operator says about axes. Returns false if it works along one that goes.
bool Renumber(GraphEdit& edit, size_t index, const Axes& axes) {
  Operator& op = edit.main().operators[index];
  if (op.inputs.empty() || op.outputs.empty()) return true;
  const std::vector<int>& in = axes[static_cast<size_t>(op.inputs[0])];
  const std::vector<int>& out = axes[static_cast<size_t>(op.outputs[0])];
  if (op.attributes.Has(AttributeId::kAxis)) {
    const int32_t axis = op.attributes.Int(AttributeId::kAxis);
    if (Holds(in, axis)) return false;
    op.attributes.Set(AttributeId::kAxis, Renumbered(in, axis));
  }
  if (op.attributes.Has(AttributeId::kPerms)) {
    std::vector<int32_t> perms = op.attributes.Ints(AttributeId::kPerms);
    std::erase_if(perms, [&](int32_t axis) { return Holds(in, axis); });
    for (int32_t& axis : perms) axis = Renumbered(in, axis);
    op.attributes.Set(AttributeId::kPerms, std::move(perms));
  }
  switch (op.op) {
    case Op::kReshape:
      Shorten(edit, index, 1, out, 1);
      break;
    case Op::kTile:
      Shorten(edit, index, 1, in, 1);
      break;
    case Op::kPad:
      Shorten(edit, index, 1, in, 2);
      break;
    case Op::kSlice:
      Shorten(edit, index, 1, in, 1);
      Shorten(edit, index, 2, in, 1);
      break;
    default:
      break;
  }
  return true;
}

// Drops the axes of a variable that its first reader or writer loses.
void DropAxesOfVariable(const Block& block, const Axes& axes, Operator& variable) {
  for (const Operator& op : block.operators) {
    const std::optional<TensorIndex> value = VariableValue(op);
    if (!value || !SameVariable(op, variable)) continue;
    const Shape shape = Without(block.TypeOf(*value).shape, axes[static_cast<size_t>(*value)]);
    variable.attributes.Set(AttributeId::kVarShape,
                            std::vector<int32_t>(shape.begin(), shape.end()));
    if (variable.attributes.Has(AttributeId::kInitialValue)) {
      const Tensor& initial = variable.attributes.Value(AttributeId::kInitialValue);
      if (initial.elements() != shape.Elements()) return;
      variable.attributes.Set(AttributeId::kInitialValue, initial.Reshaped(shape));
    }
    return;
  }
}

}  // namespace

std::vector<int32_t> ClassesOfOne(const Block& block) {
  const DimensionClasses classes(block);
  std::vector<int32_t> found;
  for (size_t t = 0; t < block.tensors.size(); ++t) {
    const TensorType& type = block.tensors[t].type;
    for (int axis = 0; type.type != DType::kShape && axis < type.shape.rank(); ++axis) {
      const int32_t id = classes.ClassOf(static_cast<TensorIndex>(t), axis);
      const bool is_new = std::ranges::find(found, id) == found.end();
      if (type.shape[axis] == 1 && is_new) found.push_back(id);
    }
  }
  return found;
}

Candidate DropAxes(const TestVector& vector, int32_t graph, int32_t dimension_class) {
  const Block& main = *vector.graphs[static_cast<size_t>(graph)].Main();
  const Axes axes = AxesOf(main, dimension_class);
  auto before = OperandTypes(main);
  for (size_t i = 0; i < main.operators.size(); ++i) {
    for (size_t k = 0; k < before[i].size(); ++k) {
      const auto input = static_cast<size_t>(main.operators[i].inputs[k]);
      before[i][k].shape = Without(before[i][k].shape, axes[input]);
    }
  }
  TestVector copy = vector;
  GraphEdit edit(copy, graph);
  for (const TensorIndex input : main.inputs) {
    const std::vector<int>& gone = axes[static_cast<size_t>(input)];
    if (gone.empty()) continue;
    const Shape shape = Without(edit.TypeOf(input).shape, gone);
    for (size_t step = 0; step < edit.steps().size(); ++step) {
      Tensor& value = edit.InputValue(step, input);
      value = value.Reshaped(shape);
    }
    edit.main().tensors[static_cast<size_t>(input)].type.shape = shape;
  }
  for (size_t t = 0; t < main.tensors.size(); ++t) {
    TensorInfo& info = edit.main().tensors[t];
    if (!info.variable || axes[t].empty()) continue;
    info.type.shape = Without(info.type.shape, axes[t]);
    if (info.initial_value.has_value()) {
      info.initial_value = info.initial_value.Reshaped(info.type.shape);
    }
  }
  for (size_t i = 0; i < main.operators.size(); ++i) {
    Operator& op = edit.main().operators[i];
    if (op.op == Op::kVariable) {
      DropAxesOfVariable(main, axes, op);
    } else if (op.op == Op::kVariableRead) {
      Shape& shape = edit.main().tensors[static_cast<size_t>(op.outputs[0])].type.shape;
      shape = Without(shape, axes[static_cast<size_t>(op.outputs[0])]);
    } else if (op.op == Op::kConst) {
      const std::vector<int>& gone = axes[static_cast<size_t>(op.outputs[0])];
      const Tensor& value = op.attributes.Value(AttributeId::kValues);
      op.attributes.Set(AttributeId::kValues, value.Reshaped(Without(value.shape(), gone)));
    } else if (!Renumber(edit, i, axes)) {
      return std::nullopt;
    }
  }
  if (!Reinfer(edit, before)) return std::nullopt;
  edit.Sweep();
  return copy;
}

}  // namespace assay

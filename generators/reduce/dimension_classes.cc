// SPDX-License-Identifier: Apache-2.0
#include "dimension_classes.h"

#include <algorithm>
#include <numeric>

#include "graph_edit.h"
#include "operator_facts.h"

namespace assay {

std::optional<TensorIndex> VariableValue(const Operator& op) {
  if (op.op == Op::kVariableRead && op.outputs.size() == 1) return op.outputs[0];
  if (op.op == Op::kVariableWrite && op.inputs.size() == 1) return op.inputs[0];
  return std::nullopt;
}

bool SameVariable(const Operator& a, const Operator& b) {
  const AttributeValue* name = a.attributes.Find(AttributeId::kName);
  const AttributeValue* other = b.attributes.Find(AttributeId::kName);
  return name != nullptr && other != nullptr && *name == *other;
}

DimensionClasses::DimensionClasses(const Block& block) : block_(block) {
  int32_t nodes = 0;
  for (const TensorInfo& info : block.tensors) {
    first_.push_back(nodes);
    nodes += info.type.shape.rank();
  }
  parent_.resize(static_cast<size_t>(nodes));
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const Operator& op : block.operators) {
    if (IsConstant(op.op)) continue;
    JoinBySymbols(op);
    JoinByShapes(op);
  }
  JoinVariables();
}

int32_t DimensionClasses::Find(int32_t node) const {
  while (parent_[static_cast<size_t>(node)] != node) {
    int32_t& up = parent_[static_cast<size_t>(node)];
    up = parent_[static_cast<size_t>(up)];
    node = up;
  }
  return node;
}

int32_t DimensionClasses::ClassOf(TensorIndex tensor, int axis) const {
  return Find(first_[static_cast<size_t>(tensor)] + axis);
}

void DimensionClasses::Join(TensorIndex a, int axis_a, TensorIndex b, int axis_b) {
  const Shape &of_a = block_.TypeOf(a).shape, &of_b = block_.TypeOf(b).shape;
  // An invalid graph may name an axis that a tensor does not have.
  const auto has = [](const Shape& shape, int axis) { return axis >= 0 && axis < shape.rank(); };
  if (!has(of_a, axis_a) || !has(of_b, axis_b) || of_a[axis_a] != of_b[axis_b]) return;
  parent_[static_cast<size_t>(ClassOf(a, axis_a))] = ClassOf(b, axis_b);
}

// Joins axes of the same name, as in "[N,IH,IW,IC]".
void DimensionClasses::JoinBySymbols(const Operator& op) {
  const OperatorFacts& facts = FactsOf(op.op);
  struct Named {
    TensorIndex tensor;
    int axis;
  };
  std::vector<std::optional<Named>> named(static_cast<size_t>(facts.dimension_symbols));
  const auto visit = [&](const std::vector<OperatorFacts::Operand>& operands,
                         const std::vector<TensorIndex>& tensors) {
    for (size_t i = 0; i < operands.size() && i < tensors.size(); ++i) {
      const auto dimensions = operands[i].dimensions();
      const int rank = block_.TypeOf(tensors[i]).shape.rank();
      for (int axis = 0; axis < rank && axis < std::ssize(dimensions); ++axis) {
        const OperatorFacts::Dimension& dimension = dimensions[static_cast<size_t>(axis)];
        if (dimension.kind != OperatorFacts::Dimension::kSymbol) continue;
        std::optional<Named>& seen = named[static_cast<size_t>(dimension.value)];
        if (seen) {
          Join(tensors[i], axis, seen->tensor, seen->axis);
        } else {
          seen = {tensors[i], axis};
        }
      }
    }
  };
  visit(facts.inputs, op.inputs);
  visit(facts.outputs, op.outputs);
}

// Joins the same axis of operands and results of "shape", "shape1" if it is as long. Operators that
// move axes are treated by what they do.
void DimensionClasses::JoinByShapes(const Operator& op) {
  if (op.inputs.empty() || op.outputs.empty()) return;
  const TensorIndex in = op.inputs[0];
  const TensorIndex out = op.outputs[0];
  const Shape& from = block_.TypeOf(in).shape;
  const Shape& to = block_.TypeOf(out).shape;
  if (op.op == Op::kTranspose) {
    const auto& perms = op.attributes.Ints(AttributeId::kPerms);
    for (size_t i = 0; i < perms.size(); ++i) Join(out, static_cast<int>(i), in, perms[i]);
    return;
  }
  if (op.op == Op::kReshape) {
    for (int axis = 0; axis < std::min(from.rank(), to.rank()); ++axis) {
      if (from[axis] != to[axis]) break;
      Join(out, axis, in, axis);
    }
    for (int back = 1; back <= std::min(from.rank(), to.rank()); ++back) {
      if (from[from.rank() - back] != to[to.rank() - back]) break;
      Join(out, to.rank() - back, in, from.rank() - back);
    }
    return;
  }
  if (op.op == Op::kArgmax) {
    const int32_t gone = op.attributes.Int(AttributeId::kAxis);
    for (int axis = 0; axis < to.rank(); ++axis) Join(out, axis, in, axis < gone ? axis : axis + 1);
    return;
  }
  const OperatorFacts& facts = FactsOf(op.op);
  if (facts.inputs.empty()) return;
  const auto has_shape = [&](size_t i) {
    const size_t at = std::min(i, facts.inputs.size() - 1);
    return facts.inputs[at].whole_symbol >= 0 || facts.inputs[at].row->list;
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Shape& shape = block_.TypeOf(op.inputs[i]).shape;
    if (block_.TypeOf(op.inputs[i]).type == DType::kShape) continue;
    if (has_shape(i)) {
      for (int axis = 0; axis < std::min(shape.rank(), to.rank()); ++axis) {
        Join(op.inputs[i], axis, out, axis);
        if (shape.rank() == from.rank()) Join(op.inputs[i], axis, in, axis);
      }
    } else if (shape.rank() == 1 && shape[0] > 1) {
      // Operands with one element for each channel: bias, multipliers.
      if (to.rank() > 0) Join(op.inputs[i], 0, out, to.rank() - 1);
    }
  }
}

// Joins the axes of all values of a variable.
void DimensionClasses::JoinVariables() {
  for (const Operator& op : block_.operators) {
    const std::optional<TensorIndex> value = VariableValue(op);
    if (!value) continue;
    const auto first = std::ranges::find_if(block_.operators, [&op](const Operator& other) {
      return VariableValue(other) && SameVariable(op, other);
    });
    if (first == block_.operators.end()) continue;
    const TensorIndex known = *VariableValue(*first);
    const Shape &a = block_.TypeOf(known).shape, &b = block_.TypeOf(*value).shape;
    for (int axis = 0; axis < std::min(a.rank(), b.rank()); ++axis) Join(known, axis, *value, axis);
  }
}

std::vector<DimensionClasses::Class> DimensionClasses::Shrinkable() const {
  std::vector<Class> classes;
  const auto add = [&](TensorIndex tensor) {
    const TensorType& type = block_.TypeOf(tensor);
    if (type.type == DType::kShape) return;
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      if (type.shape[axis] < 2) continue;
      const int32_t id = ClassOf(tensor, axis);
      const auto known =
          std::find_if(classes.begin(), classes.end(), [id](const Class& c) { return c.id == id; });
      if (known == classes.end()) classes.push_back({id, type.shape[axis]});
    }
  };
  for (const TensorIndex input : block_.inputs) add(input);
  for (const Operator& op : block_.operators) {
    if (op.op == Op::kConst) add(op.outputs[0]);
    if (const auto value = VariableValue(op)) add(*value);
  }
  for (size_t t = 0; t < block_.tensors.size(); ++t) {
    if (block_.tensors[t].variable) add(static_cast<TensorIndex>(t));
  }
  std::stable_sort(classes.begin(), classes.end(),
                   [](const Class& a, const Class& b) { return a.size > b.size; });
  return classes;
}

}  // namespace assay

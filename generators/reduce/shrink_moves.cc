// SPDX-License-Identifier: Apache-2.0
#include "shrink_moves.h"

#include <algorithm>
#include <utility>

#include "dimension_classes.h"
#include "operator_facts.h"
#include "reinfer_types.h"

namespace assay {
namespace {

const Block& MainOf(const TestVector& vector, int32_t graph) {
  return *vector.graphs[static_cast<size_t>(graph)].Main();
}

Tensor Zeros(const TensorType& type) { return Tensor::Splat(type.type, type.shape, 0); }

// Returns the values of a tensor in the steps of an edit's graph; zeros where they are not known.
std::vector<Tensor> ValuesIn(GraphEdit& edit, TensorIndex tensor, const Values& values) {
  std::vector<Tensor> found;
  for (const size_t step : edit.steps()) {
    const Tensor& value = values[step][static_cast<size_t>(tensor)];
    found.push_back(value.has_value() ? value : Zeros(edit.TypeOf(tensor)));
  }
  return found;
}

Tensor Narrowed(const Tensor& tensor, DType type) {
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    elements.push_back(std::clamp(tensor.Integer(i), MinimumInteger(type), MaximumInteger(type)));
  }
  return Tensor::FromIntegers(type, tensor.shape(), elements);
}

// Calls `visit` for the operators that hold data in an attribute, until it returns false.
template <class Vector, class Visit>
void ForEachData(Vector& vector, Visit visit) {
  for (auto& graph : vector.graphs) {
    for (const auto block : graph.Blocks()) {
      for (auto& op : block.get().operators) {
        if (op.op == Op::kConstShape) continue;
        for (const AttributeId id : {AttributeId::kValues, AttributeId::kInitialValue,
                                     AttributeId::kMinVal, AttributeId::kMaxVal}) {
          if (op.attributes.Has(id) && !visit(op, id)) return;
        }
      }
    }
  }
}

// Crops a value. In an invalid graph, it may have another shape than its tensor; then it stays as
// it is.
Tensor Cropped(const Tensor& value, const Shape& to, Kept kept) {
  const Shape& from = value.shape();
  bool fits = from.rank() == to.rank();
  for (int axis = 0; fits && axis < to.rank(); ++axis) fits = to[axis] <= from[axis];
  return fits ? Crop(value, to, kept) : value;
}

}  // namespace

Candidate DropSteps(const TestVector& vector, size_t first, size_t count) {
  if (count >= vector.steps.size() && count > 0) return std::nullopt;
  TestVector copy = vector;
  const auto begin = copy.steps.begin() + static_cast<std::ptrdiff_t>(first);
  copy.steps.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  SweepVector(copy);
  return copy;
}

Candidate DropOperators(const TestVector& vector, int32_t graph, std::span<const int32_t> operators,
                        const Values& values) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    const auto readers = ReadersOf(edit.main());
    std::vector<char> dropped(edit.main().operators.size(), 0);
    for (const int32_t op : operators) dropped[static_cast<size_t>(op)] = 1;
    const auto is_dropped = [&](Reader reader) {
      return reader && dropped[static_cast<size_t>(*reader)] != 0;
    };
    std::vector<TensorIndex> new_outputs;
    for (size_t i = 0; i < edit.main().operators.size(); ++i) {
      const Operator op = edit.main().operators[i];
      for (const TensorIndex output : op.outputs) {
        const auto& read_by = readers[static_cast<size_t>(output)];
        if (dropped[i] == 0) {
          // If all readers are dropped, the result becomes an output.
          if (!IsConstant(op.op) && !read_by.empty() &&
              std::all_of(read_by.begin(), read_by.end(), is_dropped)) {
            new_outputs.push_back(output);
          }
          continue;
        }
        auto& outputs = edit.main().outputs;
        std::erase(outputs, output);
        const bool needed = std::any_of(read_by.begin(), read_by.end(), [&](Reader reader) {
          return reader && !is_dropped(reader);
        });
        const TensorInfo& info = edit.main().tensors[static_cast<size_t>(output)];
        if (!needed || info.variable) continue;
        const std::string name = info.name;
        const TensorType type = info.type;
        const TensorIndex input = edit.AddInput(name, type, ValuesIn(edit, output, values));
        ReplaceUses(edit.main(), output, input);
      }
    }
    auto& outputs = edit.main().outputs;
    outputs.insert(outputs.end(), new_outputs.begin(), new_outputs.end());
    // The dropped operators stay in the list as dead ones, so that positions hold. The sweep
    // removes them.
    for (size_t i = 0; i < dropped.size(); ++i) {
      if (dropped[i] == 0) continue;
      Operator& op = edit.main().operators[i];
      if (op.outputs.empty() || edit.main().tensors[static_cast<size_t>(op.outputs[0])].variable) {
        // An operator with an effect is replaced by a constant that nothing reads.
        const Tensor nothing = Tensor::Splat(DType::kInt32, Shape{}, 0);
        op = Operator();
        op.op = Op::kConst;
        op.attributes.Set(AttributeId::kValues, nothing);
        const TensorIndex unused = edit.AddTensor("unused", nothing.tensor_type());
        edit.main().operators[i].outputs = {unused};
      }
    }
    return true;
  });
}

Candidate DropOutputs(const TestVector& vector, int32_t graph, size_t first, size_t count) {
  const size_t outputs = MainOf(vector, graph).outputs.size();
  if (count >= outputs) return std::nullopt;
  return Edited(vector, graph, [&](GraphEdit& edit) {
    auto& list = edit.main().outputs;
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    list.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
    return true;
  });
}

std::vector<TensorIndex> AncestorsOf(const Block& block, TensorIndex operand) {
  const std::vector<int32_t> producers = block.Producers();
  std::vector<char> behind(block.tensors.size(), 0);
  std::vector<TensorIndex> found;
  behind[static_cast<size_t>(operand)] = 1;
  for (size_t i = block.operators.size(); i-- > 0;) {
    const Operator& op = block.operators[i];
    const bool reached = std::ranges::any_of(
        op.outputs, [&](TensorIndex t) { return behind[static_cast<size_t>(t)] != 0; });
    if (!reached) continue;
    for (const TensorIndex input : op.inputs) {
      const int32_t producer = producers[static_cast<size_t>(input)];
      if (std::exchange(behind[static_cast<size_t>(input)], 1) == 0 && producer >= 0 &&
          !IsConstant(block.operators[static_cast<size_t>(producer)].op)) {
        found.push_back(input);
      }
    }
  }
  std::ranges::sort(found, {}, [&](TensorIndex t) { return producers[static_cast<size_t>(t)]; });
  return found;
}

Candidate Rewire(const TestVector& vector, int32_t graph, int32_t op, size_t operand,
                 int32_t tensor) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    edit.main().operators[static_cast<size_t>(op)].inputs[operand] = tensor;
    return true;
  });
}

Candidate Bypass(const TestVector& vector, int32_t graph, int32_t op, size_t operand) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    const Operator& bypassed = edit.main().operators[static_cast<size_t>(op)];
    if (bypassed.outputs.empty()) return false;
    const TensorIndex to = bypassed.inputs[operand];
    if (edit.TypeOf(to).type == DType::kShape) return false;
    auto& outputs = edit.main().outputs;
    const TensorIndex from = bypassed.outputs[0];
    // A graph whose output is its own input tests nothing.
    if (std::erase(outputs, from) > 0 && outputs.empty()) return false;
    ReplaceUses(edit.main(), from, to);
    return true;
  });
}

Candidate MergeInputs(const TestVector& vector, int32_t graph, int32_t from, int32_t to) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    ReplaceUses(edit.main(), from, to);
    return true;
  });
}

Candidate ConstantToInput(const TestVector& vector, int32_t graph, int32_t op) {
  const Operator& constant = MainOf(vector, graph).operators[static_cast<size_t>(op)];
  if (constant.op != Op::kConst) return std::nullopt;
  // Compile-time constants must stay constants.
  for (const Operator& reader : MainOf(vector, graph).operators) {
    for (size_t i = 0; i < reader.inputs.size(); ++i) {
      if (reader.inputs[i] == constant.outputs[0] && FactsOf(reader.op).NeedsConstant(i)) {
        return std::nullopt;
      }
    }
  }
  return Edited(vector, graph, [&](GraphEdit& edit) {
    const Tensor value =
        edit.main().operators[static_cast<size_t>(op)].attributes.Value(AttributeId::kValues);
    const TensorIndex from = edit.main().operators[static_cast<size_t>(op)].outputs[0];
    const std::string name = edit.main().tensors[static_cast<size_t>(from)].name;
    ReplaceUses(
        edit.main(), from,
        edit.AddInput(name, value.tensor_type(), std::vector<Tensor>(edit.steps().size(), value)));
    return true;
  });
}

Candidate ResizeClass(const TestVector& vector, int32_t graph, int32_t dimension_class,
                      int32_t size, Kept kept) {
  const Block& main = MainOf(vector, graph);
  const DimensionClasses classes(main);
  const auto resized = [&](TensorIndex tensor) {
    Shape shape = main.TypeOf(tensor).shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (classes.ClassOf(tensor, axis) == dimension_class) {
        shape[axis] = std::min(shape[axis], size);
      }
    }
    return shape;
  };
  return Edited(vector, graph, [&](GraphEdit& edit) {
    bool any = false;
    // Gives a tensor its new shape. Returns true if it has another one then.
    const auto resize = [&](TensorIndex tensor) {
      Shape& shape = edit.main().tensors[static_cast<size_t>(tensor)].type.shape;
      const Shape old = std::exchange(shape, resized(tensor));
      any |= shape != old;
      return shape != old;
    };
    for (const TensorIndex input : edit.main().inputs) {
      if (!resize(input)) continue;
      for (size_t step = 0; step < edit.steps().size(); ++step) {
        Tensor& value = edit.InputValue(step, input);
        value = Cropped(value, edit.TypeOf(input).shape, kept);
      }
    }
    const auto crop = [&](Operator& op, AttributeId id, const Shape& shape) {
      if (op.attributes.Has(id)) {
        op.attributes.Set(id, Cropped(op.attributes.Value(id), shape, kept));
      }
    };
    for (Operator& op : edit.main().operators) {
      if (op.op == Op::kConst && resize(op.outputs[0])) {
        crop(op, AttributeId::kValues, edit.TypeOf(op.outputs[0]).shape);
      }
      if (op.op == Op::kVariableRead) resize(op.outputs[0]);
      if (op.op != Op::kVariable) continue;
      for (const Operator& other : main.operators) {
        const std::optional<TensorIndex> value = VariableValue(other);
        if (!value || !SameVariable(op, other)) continue;
        const Shape shape = resized(*value);
        if (shape == main.TypeOf(*value).shape) break;
        any = true;
        op.attributes.Set(AttributeId::kVarShape, std::vector<int32_t>(shape.begin(), shape.end()));
        crop(op, AttributeId::kInitialValue, shape);
        break;
      }
    }
    for (size_t t = 0; t < edit.main().tensors.size(); ++t) {
      TensorInfo& info = edit.main().tensors[t];
      if (!info.variable || !resize(static_cast<TensorIndex>(t))) continue;
      if (!info.initial_value.has_value()) continue;
      info.initial_value = Cropped(info.initial_value, info.type.shape, kept);
    }
    return any;
  });
}

Candidate ToInt8(const TestVector& vector, int32_t graph, int32_t op, DType from) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    const Operator narrowed = edit.main().operators[static_cast<size_t>(op)];
    bool any = false;
    for (const TensorIndex input : narrowed.inputs) {
      if (edit.TypeOf(input).type != from) continue;
      const auto& inputs = edit.main().inputs;
      if (std::find(inputs.begin(), inputs.end(), input) != inputs.end()) {
        for (size_t step = 0; step < edit.steps().size(); ++step) {
          Tensor& value = edit.InputValue(step, input);
          value = Narrowed(value, DType::kInt8);
        }
        edit.main().tensors[static_cast<size_t>(input)].type.type = DType::kInt8;
        any = true;
        continue;
      }
      bool constant = false;
      for (Operator& producer : edit.main().operators) {
        if (producer.op != Op::kConst || producer.outputs[0] != input) continue;
        producer.attributes.Set(
            AttributeId::kValues,
            Narrowed(producer.attributes.Value(AttributeId::kValues), DType::kInt8));
        constant = any = true;
      }
      if (!constant) return false;
    }
    return any;
  });
}

Candidate NarrowResult(const TestVector& vector, int32_t graph, int32_t op, DType type) {
  const Block& main = MainOf(vector, graph);
  const Operator& narrowed = main.operators[static_cast<size_t>(op)];
  if (IsConstant(narrowed.op) || narrowed.outputs.size() != 1) return std::nullopt;
  const TensorIndex result = narrowed.outputs[0];
  if (ElementBytes(type) >= ElementBytes(main.TypeOf(result).type)) return std::nullopt;
  for (const Operator& reader : main.operators) {
    if (std::ranges::find(reader.inputs, result) != reader.inputs.end()) return std::nullopt;
  }
  return Edited(vector, graph, [&](GraphEdit& edit) {
    edit.main().tensors[static_cast<size_t>(result)].type.type = type;
    return true;
  });
}

std::vector<const Tensor*> DataOf(const TestVector& vector) {
  std::vector<const Tensor*> data;
  for (const Step& step : vector.steps) {
    for (const Tensor& input : step.inputs) data.push_back(&input);
  }
  ForEachData(vector, [&](const Operator& op, AttributeId id) {
    data.push_back(&op.attributes.Value(id));
    return true;
  });
  for (const Graph& graph : vector.graphs) {
    for (const Block& block : graph.Blocks()) {
      for (const TensorInfo& info : block.tensors) {
        if (info.initial_value.has_value()) data.push_back(&info.initial_value);
      }
    }
  }
  return data;
}

Candidate SetData(const TestVector& vector, size_t number, Tensor value) {
  TestVector copy = vector;
  for (Step& step : copy.steps) {
    if (number < step.inputs.size()) {
      step.inputs[number] = std::move(value);
      return copy;
    }
    number -= step.inputs.size();
  }
  bool found = false;
  ForEachData(copy, [&](Operator& op, AttributeId id) {
    found = number-- == 0;
    if (found) op.attributes.Set(id, std::move(value));
    return !found;
  });
  if (found) return copy;
  for (Graph& graph : copy.graphs) {
    for (Block& block : graph.Blocks()) {
      for (TensorInfo& info : block.tensors) {
        if (!info.initial_value.has_value() || number-- > 0) continue;
        info.initial_value = std::move(value);
        return copy;
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "shrink_layout.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dimension_classes.h"
#include "reinfer_types.h"
#include "tensor_elements.h"

namespace assay {
namespace {

constexpr size_t kLayoutsMax = 64;

void SetAll(Operator& op, AttributeId id, int32_t value) {
  if (!op.attributes.Has(id)) return;
  std::vector<int32_t> list = op.attributes.Ints(id);
  std::ranges::fill(list, value);
  op.attributes.Set(id, std::move(list));
}

// A tensor with data, by the number of the input or the position of the constant.
struct Data {
  bool is_input = false;
  size_t at = 0;
  TensorIndex tensor = -1;
  std::vector<Shape> shapes;  // that it may have
};

// Returns the shapes with the same single axis that is longer than 1; the shape itself if there is
// no such axis, or more than one.
std::vector<Shape> ShapesLike(const Shape& shape) {
  int long_axes = 0;
  int32_t size = 1;
  for (const int32_t d : shape) {
    long_axes += d > 1 ? 1 : 0;
    size = std::max(size, d);
  }
  if (long_axes != 1) return {shape};
  std::vector<Shape> shapes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    Shape other = shape;
    for (int i = 0; i < shape.rank(); ++i) other[i] = i == axis ? size : 1;
    shapes.push_back(std::move(other));
  }
  return shapes;
}

std::vector<Data> DataIn(const Block& block) {
  std::vector<Data> data;
  for (size_t i = 0; i < block.inputs.size(); ++i) {
    data.push_back({true, i, block.inputs[i], ShapesLike(block.TypeOf(block.inputs[i]).shape)});
  }
  for (size_t i = 0; i < block.operators.size(); ++i) {
    if (block.operators[i].op != Op::kConst) continue;
    const TensorIndex tensor = block.operators[i].outputs[0];
    data.push_back({false, i, tensor, ShapesLike(block.TypeOf(tensor).shape)});
  }
  return data;
}

void Reshape(GraphEdit& edit, const Data& data, const Shape& shape) {
  if (data.is_input) {
    for (size_t step = 0; step < edit.steps().size(); ++step) {
      Tensor& value = edit.InputValue(step, data.tensor);
      value = value.Reshaped(shape);
    }
  } else {
    Attributes& attributes = edit.main().operators[data.at].attributes;
    attributes.Set(AttributeId::kValues, attributes.Value(AttributeId::kValues).Reshaped(shape));
  }
  edit.main().tensors[static_cast<size_t>(data.tensor)].type.shape = shape;
}

void ReverseKernels(Block& block) {
  for (Operator& op : block.operators) {
    if (!op.attributes.Has(AttributeId::kKernel)) continue;
    std::vector<int32_t> kernel = op.attributes.Ints(AttributeId::kKernel);
    std::ranges::reverse(kernel);
    op.attributes.Set(AttributeId::kKernel, std::move(kernel));
  }
}

}  // namespace

Candidate MergeConstants(const TestVector& vector, int32_t graph, size_t first, size_t second) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    const Operator &a = edit.main().operators[first], &b = edit.main().operators[second];
    if (a.op != Op::kConst || b.op != Op::kConst) return false;
    const TensorIndex to = a.outputs[0], from = b.outputs[0];
    if (edit.TypeOf(to) != edit.TypeOf(from)) return false;
    ReplaceUses(edit.main(), from, to);
    return true;
  });
}

Candidate MergeWithConstant(const TestVector& vector, int32_t graph, size_t input,
                            size_t constant) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    const Operator& to = edit.main().operators[constant];
    const TensorIndex from = edit.main().inputs[input];
    if (to.op != Op::kConst || edit.TypeOf(to.outputs[0]) != edit.TypeOf(from)) return false;
    ReplaceUses(edit.main(), from, to.outputs[0]);
    return true;
  });
}

Candidate ExchangeInputs(const TestVector& vector, int32_t graph, size_t first, size_t second) {
  return Edited(vector, graph, [&](GraphEdit& edit) {
    Block& main = edit.main();
    TensorType& a = main.tensors[static_cast<size_t>(main.inputs[first])].type;
    TensorType& b = main.tensors[static_cast<size_t>(main.inputs[second])].type;
    std::swap(a, b);
    for (const size_t step : edit.steps()) {
      std::vector<Tensor>& values = edit.vector().steps[step].inputs;
      std::swap(values[first], values[second]);
    }
    return true;
  });
}

bool HasWindows(const Block& block) {
  return std::ranges::any_of(
      block.operators, [](const Operator& op) { return op.attributes.Has(AttributeId::kStride); });
}

Candidate SmallKernels(const TestVector& vector, int32_t graph) {
  const Block& main = *vector.graphs[static_cast<size_t>(graph)].Main();
  const DimensionClasses classes(main);
  Candidate small;
  for (const Operator& op : main.operators) {
    if (!op.attributes.Has(AttributeId::kStride) || op.inputs.size() < 2) continue;
    const TensorIndex weights = op.inputs[1];
    const Shape& shape = main.TypeOf(weights).shape;
    // The axes of channels belong to the input or to the result as well.
    const auto is_shared = [&](int32_t id, TensorIndex tensor) {
      for (int axis = 0; axis < main.TypeOf(tensor).shape.rank(); ++axis) {
        if (classes.ClassOf(tensor, axis) == id) return true;
      }
      return false;
    };
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int32_t id = classes.ClassOf(weights, axis);
      if (shape[axis] < 2 || is_shared(id, op.inputs[0]) || is_shared(id, op.outputs[0])) continue;
      Candidate smaller = ResizeClass(small ? *small : vector, graph, id, 1, Kept::kLast);
      if (smaller) small = std::move(smaller);
    }
  }
  return small;
}

Candidate PlainWindows(const TestVector& vector, int32_t graph, PoolKernels kernels) {
  return Edited(vector, graph, [kernels](GraphEdit& edit) {
    bool any = false;
    for (Operator& op : edit.main().operators) {
      if (!op.attributes.Has(AttributeId::kStride)) continue;
      any = true;
      for (const AttributeId id : {AttributeId::kPad, AttributeId::kOutPad}) SetAll(op, id, 0);
      for (const AttributeId id : {AttributeId::kStride, AttributeId::kDilation}) {
        SetAll(op, id, 1);
      }
      if (kernels != PoolKernels::kKept) SetAll(op, AttributeId::kKernel, 1);
      if (!op.attributes.Has(AttributeId::kKernel)) continue;
      const Shape& in = edit.TypeOf(op.inputs[0]).shape;
      std::vector<int32_t> kernel = op.attributes.Ints(AttributeId::kKernel);
      if (kernels == PoolKernels::kOneAndTwo && !kernel.empty()) kernel.back() = 2;
      for (size_t i = 0; i < kernel.size() && static_cast<int>(i) + 1 < in.rank(); ++i) {
        kernel[i] = std::min(kernel[i], in[static_cast<int>(i) + 1]);
      }
      op.attributes.Set(AttributeId::kKernel, std::move(kernel));
    }
    return any;
  });
}

Candidate SortShape(const TestVector& vector, int32_t graph, size_t constant) {
  return Edited(vector, graph, [constant](GraphEdit& edit) {
    Operator& op = edit.main().operators[constant];
    if (op.op != Op::kConstShape) return false;
    std::vector<int64_t> values = IntegerElements(op.attributes.Value(AttributeId::kValues));
    if (std::ranges::is_sorted(values)) return false;
    std::ranges::sort(values);
    op.attributes.Set(AttributeId::kValues, Tensor::FromShape(values));
    return true;
  });
}

std::vector<TestVector> OtherLayouts(const TestVector& vector, int32_t graph) {
  const Block& main = *vector.graphs[static_cast<size_t>(graph)].Main();
  const std::vector<Data> all = DataIn(main);
  size_t count = 1;
  for (const Data& data : all) {
    count *= data.shapes.size();
    if (count > kLayoutsMax) return {};
  }
  std::vector<TestVector> layouts;
  for (size_t code = 0; code < 2 * count; ++code) {
    Candidate layout = Edited(vector, graph, [&](GraphEdit& edit) {
      size_t rest = code / 2;
      for (const Data& data : all) {
        Reshape(edit, data, data.shapes[rest % data.shapes.size()]);
        rest /= data.shapes.size();
      }
      if (code % 2 == 1) ReverseKernels(edit.main());
      return true;
    });
    if (layout) layouts.push_back(std::move(*layout));
  }
  return layouts;
}

}  // namespace assay

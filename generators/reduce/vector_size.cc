// SPDX-License-Identifier: Apache-2.0
#include "vector_size.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "value_ladder.h"

namespace assay {
namespace {

constexpr int64_t kListUnit = 16;  // the weight of 1 in a list

int64_t WeightOf(AttributeId id, const AttributeValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  // The accumulator, if it is not fp16, and the type of a variable follow from the operands.
  if (id == AttributeId::kAccType) {
    return std::get<int32_t>(value) == static_cast<int32_t>(DType::kFp16) ? 1 : 0;
  }
  if (id == AttributeId::kType) return 0;
  if (const int32_t* number = std::get_if<int32_t>(&value)) return std::abs(*number);
  if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) {
    int64_t weight = 0;
    for (size_t i = 0; i < list->size(); ++i) {
      // If lists have the same entries, the one with the large entries at the end is smaller.
      const bool permutes = id == AttributeId::kPerms;
      const auto behind = static_cast<int64_t>(list->size() - i);
      weight += permutes ? (*list)[i] != static_cast<int32_t>(i)
                         : int64_t{std::abs((*list)[i])} * (kListUnit + behind);
    }
    return weight;
  }
  if (const Tensor* tensor = std::get_if<Tensor>(&value)) return WeightOf(*tensor);
  return 0;
}

template <class Visit>
void ForEachBlock(const TestVector& vector, Visit visit) {
  for (const Graph& graph : vector.graphs) {
    for (const Block& block : graph.Blocks()) visit(block);
  }
}

class Hasher {
 public:
  void Add(uint64_t word) {
    state_ ^= word + 0x9e3779b97f4a7c15u + (state_ << 6) + (state_ >> 2);
    state_ *= 0xff51afd7ed558ccdu;
    state_ ^= state_ >> 33;
  }
  void Add(std::string_view text) {
    Add(text.size());
    for (const char c : text) Add(static_cast<uint64_t>(static_cast<uint8_t>(c)));
  }
  void Add(const TensorType& type) {
    Add(static_cast<uint64_t>(type.type));
    Add(static_cast<uint64_t>(type.shape.rank()));
    for (const int32_t d : type.shape) Add(static_cast<uint64_t>(d));
  }
  void Add(const Tensor& tensor) {
    Add(tensor.tensor_type());
    uint64_t word = 0;
    int filled = 0;
    for (const uint8_t byte : tensor.bytes()) {
      word = word << 8 | byte;
      if (++filled % 8 == 0) Add(word);
    }
    Add(word);
  }
  template <class T>
  void AddList(const std::vector<T>& list) {
    Add(list.size());
    for (const T& member : list) {
      if constexpr (std::is_integral_v<T>) {
        Add(static_cast<uint64_t>(member));
      } else {
        Add(member);
      }
    }
  }
  void Add(const Attributes& attributes) {
    for (const auto& [id, value] : attributes.entries()) {
      Add(static_cast<uint64_t>(id));
      if (const bool* flag = std::get_if<bool>(&value)) Add(uint64_t{*flag});
      if (const int32_t* number = std::get_if<int32_t>(&value)) {
        Add(static_cast<uint64_t>(*number));
      }
      if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) AddList(*list);
      if (const auto* text = std::get_if<std::string>(&value)) Add(std::string_view(*text));
      if (const Tensor* tensor = std::get_if<Tensor>(&value)) Add(*tensor);
    }
  }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0x6a09e667f3bcc908u;
};

}  // namespace

namespace {

// Returns a number that is smaller if long axes, and large inputs, come last.
int64_t LayoutOf(const Block& block) {
  int64_t layout = 0;
  const auto add = [&](TensorIndex tensor) {
    const Shape& shape = block.TypeOf(tensor).shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      layout += (int64_t{shape[axis]} - 1) * (shape.rank() - 1 - axis);
    }
  };
  for (size_t i = 0; i < block.inputs.size(); ++i) {
    add(block.inputs[i]);
    const int64_t elements = block.TypeOf(block.inputs[i]).shape.Elements();
    layout += std::min(elements, int64_t{1} << 32) *
              (std::ssize(block.inputs) - 1 - static_cast<int64_t>(i));
  }
  for (const Operator& op : block.operators) {
    if (op.op == Op::kConst) add(op.outputs[0]);
  }
  return layout;
}

}  // namespace

Measure MeasureOf(const TestVector& vector) {
  int64_t operators = 0, constants = 0, inputs = 0, outputs = 0, bytes = 0, attributes = 0;
  int64_t ranks = 0, layout = 0, values = 0, order = 0, position = 0;
  // If sums of weights are equal, the vector whose heavy elements come last is smaller.
  const auto add_values = [&](const Tensor& tensor) {
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const int64_t weight = WeightOf(tensor, i);
      values += weight;
      order -= weight * position++;
    }
  };
  ForEachBlock(vector, [&](const Block& block) {
    inputs += std::ssize(block.inputs);
    outputs += std::ssize(block.outputs);
    layout += LayoutOf(block);
    for (const TensorInfo& info : block.tensors) {
      if (info.type.type != DType::kShape) {
        // i8 is preferred to i4.
        const int64_t width = info.type.type == DType::kInt4 ? 2 : ElementBytes(info.type.type);
        bytes += info.type.shape.Elements() * width;
        ranks += info.type.shape.rank();
      }
      if (info.initial_value.has_value()) add_values(info.initial_value);
    }
    for (const Operator& op : block.operators) {
      const bool constant = IsConstant(op.op);
      ++(constant ? constants : operators);
      for (const auto& [id, value] : op.attributes.entries()) {
        const bool bounds = id == AttributeId::kMinVal || id == AttributeId::kMaxVal;
        if (constant || bounds) {
          add_values(std::get<Tensor>(value));
        } else {
          attributes += WeightOf(id, value);
        }
      }
    }
  });
  int64_t contexts = 0;
  for (const Step& step : vector.steps) {
    contexts = std::max<int64_t>(contexts, step.context + 1);
    for (const Tensor& input : step.inputs) add_values(input);
  }
  return {std::ssize(vector.steps) + contexts,
          std::ssize(vector.graphs),
          operators,
          constants,
          inputs,
          outputs,
          bytes,
          ranks,
          attributes,
          layout,
          values,
          order};
}

int64_t WorkingOperators(const TestVector& vector) { return MeasureOf(vector)[2]; }

uint64_t CanonicalHash(const TestVector& vector) {
  Hasher hash;
  ForEachBlock(vector, [&](const Block& block) {
    hash.Add(std::string_view(block.name));
    for (const TensorInfo& info : block.tensors) {
      hash.Add(info.type);
      if (!info.variable) continue;
      hash.Add(std::string_view(info.name));
      hash.Add(info.initial_value);
    }
    for (const Operator& op : block.operators) {
      hash.Add(static_cast<uint64_t>(op.op));
      hash.Add(op.attributes);
      hash.AddList(op.inputs);
      hash.AddList(op.outputs);
    }
    hash.AddList(block.inputs);
    hash.AddList(block.outputs);
  });
  for (const Step& step : vector.steps) {
    hash.Add(static_cast<uint64_t>(step.context));
    hash.Add(static_cast<uint64_t>(step.graph));
    for (const Tensor& input : step.inputs) hash.Add(input);
  }
  return hash.state();
}

}  // namespace assay

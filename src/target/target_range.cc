// SPDX-License-Identifier: Apache-2.0
#include "target_range.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "graph_text.h"
#include "joined.h"
#include "operator_table.h"

namespace assay {
namespace {

constexpr int kEnumeratorsMax = 16;  // of any enumeration, types included

bool IsEnumeration(const ArgumentRow& row) {
  return row.type == "nan_propagation_mode_t" || row.type == "resize_mode_t" ||
         row.type == "rounding_mode_t" || row.type == "acc_type_t" || row.type == "var_t";
}

// Returns true for attributes that are truth values, integers, enumerations or lists of integers.
bool IsNumeric(const ArgumentRow& row) {
  if (!row.attribute || row.type_variable) return false;
  switch (*row.attribute) {
    case AttributeId::kInitialValue:
    case AttributeId::kMaxVal:
    case AttributeId::kMinVal:
    case AttributeId::kValues:
    case AttributeId::kName:
    case AttributeId::kOperatorName:
    case AttributeId::kDomainName:
    case AttributeId::kImplementationAttrs:
      return false;
    default:
      return !NamesBlock(*row.attribute);
  }
}

// Returns the positions of the sides of a kernel in a shape like "[OC,KH,KW,IC]".
std::vector<int> KernelAxes(std::string_view shape) {
  std::vector<int> axes;
  if (!shape.starts_with('[')) return axes;
  int axis = 0;
  for (size_t start = 1; start < shape.size(); ++axis) {
    const size_t end = std::min(shape.find_first_of(",]", start), shape.size());
    const std::string_view symbol = shape.substr(start, end - start);
    if (symbol == "KD" || symbol == "KH" || symbol == "KW") axes.push_back(axis);
    start = end + 1;
  }
  return axes;
}

// Calls do(row, position) for each input, until one returns true.
template <class Do>
bool AnyInput(Op op, Do handle) {
  int position = 0;
  for (const ArgumentRow& row : RowOf(op).arguments) {
    if (row.direction == Direction::kInput && handle(row, position++)) return true;
  }
  return false;
}

bool HasKernel(Op op) {
  return FindAttribute(op, AttributeId::kKernel) != nullptr ||
         AnyInput(op, [](const ArgumentRow& row, int) { return !KernelAxes(row.shape).empty(); });
}

std::vector<int64_t> Widened(const std::vector<int32_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

std::optional<std::vector<int64_t>> NumbersOf(const AttributeValue* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(value)) return std::vector<int64_t>{*flag ? 1 : 0};
  if (const auto* number = std::get_if<int32_t>(value)) return std::vector<int64_t>{*number};
  if (const auto* list = std::get_if<std::vector<int32_t>>(value)) return Widened(*list);
  return std::nullopt;
}

std::optional<std::vector<int64_t>> KernelOf(const Block& block, const Operator& op) {
  if (FindAttribute(op.op, AttributeId::kKernel) != nullptr) {
    return NumbersOf(op.attributes.Find(AttributeId::kKernel));
  }
  std::optional<std::vector<int64_t>> sides;
  AnyInput(op.op, [&](const ArgumentRow& row, int position) {
    const std::vector<int> axes = KernelAxes(row.shape);
    if (axes.empty() || position >= std::ssize(op.inputs)) return false;
    const Shape& shape = block.TypeOf(op.inputs[static_cast<size_t>(position)]).shape;
    if (axes.back() >= shape.rank()) return false;
    sides.emplace();
    for (const int axis : axes) sides->push_back(shape[axis]);
    return true;
  });
  return sides;
}

std::optional<std::vector<int64_t>> ConstantOf(const Block& block, const Operator& op,
                                               int operand) {
  if (operand >= std::ssize(op.inputs)) return std::nullopt;
  const Operator* producer = block.ProducerOf(op.inputs[static_cast<size_t>(operand)]);
  if (producer == nullptr || !IsConstant(producer->op)) return std::nullopt;
  if (!producer->attributes.Has(AttributeId::kValues)) return std::nullopt;
  const Tensor& values = producer->attributes.Value(AttributeId::kValues);
  if (!values.has_value() || IsFloat(values.type())) return std::nullopt;
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < values.elements(); ++i) numbers.push_back(values.Integer(i));
  return numbers;
}

// Calls do(shape) for each operand and result that is a tensor, and for the variable of VARIABLE.
template <class Do>
void ForEachShape(const Block& block, const Operator& op, Do handle) {
  const AttributeValue* declared = op.attributes.Find(AttributeId::kVarShape);
  if (declared != nullptr && std::holds_alternative<std::vector<int32_t>>(*declared)) {
    handle(Shape(std::get<std::vector<int32_t>>(*declared)));
  }
  for (const std::vector<TensorIndex>* tensors : {&op.inputs, &op.outputs}) {
    for (const TensorIndex tensor : *tensors) {
      const TensorType& type = block.TypeOf(tensor);
      if (type.type != DType::kShape) handle(type.shape);
    }
  }
}

}  // namespace

bool TargetRange::Holds(int64_t number) const {
  if (number < min || number > max) return false;
  return values.empty() || std::ranges::find(values, number) != values.end();
}

std::vector<Quantity> QuantitiesOf(Op op) {
  std::vector<Quantity> all;
  for (const ArgumentRow& row : RowOf(op).arguments) {
    if (row.attribute == AttributeId::kKernel || !IsNumeric(row)) continue;
    all.push_back({Quantity::Kind::kAttribute, *row.attribute});
  }
  AnyInput(op, [&all](const ArgumentRow& row, int position) {
    if (row.compile_time_constant) all.push_back({Quantity::Kind::kConstant, {}, position});
    return false;
  });
  if (HasKernel(op)) all.push_back({Quantity::Kind::kKernel});
  for (const auto kind :
       {Quantity::Kind::kRank, Quantity::Kind::kDimension, Quantity::Kind::kElements}) {
    all.push_back({kind});
  }
  return all;
}

std::string NameOf(Op op, const Quantity& quantity) {
  switch (quantity.kind) {
    case Quantity::Kind::kAttribute:
      return std::string(AttributeName(quantity.attribute));
    case Quantity::Kind::kConstant: {
      std::string name;
      AnyInput(op, [&](const ArgumentRow& row, int position) {
        if (position == quantity.operand) name = row.name;
        return position == quantity.operand;
      });
      return name;
    }
    case Quantity::Kind::kKernel:
      return "kernel";
    case Quantity::Kind::kRank:
      return "rank";
    case Quantity::Kind::kDimension:
      return "dimension";
    case Quantity::Kind::kElements:
      return "elements";
  }
  return "";
}

std::optional<std::vector<int64_t>> Measure(const Block& block, const Operator& op,
                                            const Quantity& quantity) {
  std::vector<int64_t> numbers;
  switch (quantity.kind) {
    case Quantity::Kind::kAttribute:
      return NumbersOf(op.attributes.Find(quantity.attribute));
    case Quantity::Kind::kConstant:
      return ConstantOf(block, op, quantity.operand);
    case Quantity::Kind::kKernel:
      return KernelOf(block, op);
    case Quantity::Kind::kRank:
      ForEachShape(block, op, [&](const Shape& shape) {
        if (numbers.empty()) numbers.push_back(0);
        numbers[0] = std::max<int64_t>(numbers[0], shape.rank());
      });
      break;
    case Quantity::Kind::kDimension:
      ForEachShape(block, op, [&](const Shape& shape) {
        for (const int32_t dimension : shape.dims()) numbers.push_back(dimension);
      });
      break;
    case Quantity::Kind::kElements:
      ForEachShape(block, op, [&](const Shape& shape) { numbers.push_back(shape.Elements()); });
      break;
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

std::string NumberText(Op op, const Quantity& quantity, int64_t number) {
  const ArgumentRow* row =
      quantity.kind == Quantity::Kind::kAttribute ? FindAttribute(op, quantity.attribute) : nullptr;
  const bool is_small = number >= 0 && number < kEnumeratorsMax;
  if (row != nullptr && row->type == "bool_t" && is_small) return number == 0 ? "false" : "true";
  if (row == nullptr || !IsEnumeration(*row) || !is_small) return std::to_string(number);
  const std::string text = AttributeText(quantity.attribute, static_cast<int32_t>(number));
  return text.substr(text.find('=') + 1);
}

std::optional<int64_t> NumberByName(Op op, const Quantity& quantity, std::string_view name) {
  for (int64_t number = 0; number < kEnumeratorsMax; ++number) {
    if (NumberText(op, quantity, number) == name) return number;
  }
  return std::nullopt;
}

std::string RangeText(Op op, const TargetRange& range) {
  const auto text_of = [&](int64_t number) { return NumberText(op, range.quantity, number); };
  if (!range.values.empty()) return "only " + Joined(range.values, ", ", text_of);
  if (range.min == std::numeric_limits<int64_t>::min()) return "at most " + text_of(range.max);
  if (range.max == std::numeric_limits<int64_t>::max()) return "at least " + text_of(range.min);
  return "from " + text_of(range.min) + " to " + text_of(range.max);
}

}  // namespace assay

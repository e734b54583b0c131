#include "capabilities.h"

#include <algorithm>
#include <optional>
#include <variant>

namespace assay {
namespace {

bool No(std::string reason, std::string* why) {
  *why = std::move(reason);
  return false;
}

std::vector<DType> TypesOf(const Block& block, const std::vector<TensorIndex>& tensors) {
  std::vector<DType> types;
  for (const TensorIndex tensor : tensors) types.push_back(block.TypeOf(tensor).type);
  return types;
}

// Tells whether the types fit a list of Capability. The last type of the list is repeated.
bool Fit(const std::vector<DType>& types, const std::vector<DType>& allowed) {
  for (size_t i = 0; i < types.size() && !allowed.empty(); ++i) {
    const DType type = allowed[std::min(i, allowed.size() - 1)];
    if (type != DType::kUnknown && type != types[i]) return false;
  }
  return true;
}

// Returns the numbers of an attribute; nothing for text and tensors.
std::optional<std::vector<int64_t>> NumbersOf(const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return std::vector<int64_t>{*flag ? 1 : 0};
  if (const auto* number = std::get_if<int32_t>(&value)) return std::vector<int64_t>{*number};
  if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) {
    return std::vector<int64_t>(list->begin(), list->end());
  }
  return std::nullopt;
}

bool IsIn(int64_t number, const worker::AttributeRange& range) {
  if (number < range.min || number > range.max) return false;
  return range.values.empty() || std::ranges::find(range.values, number) != range.values.end();
}

// Returns the first attribute that is outside its range, as "pad=[0,9,0,9]"; "" if there is none.
std::string OutOfRange(const Operator& op, const std::vector<worker::AttributeRange>& ranges) {
  for (const worker::AttributeRange& range : ranges) {
    const AttributeValue* value = op.attributes.Find(range.attribute);
    if (value == nullptr) continue;
    const std::string name(AttributeName(range.attribute));
    const std::optional<std::vector<int64_t>> numbers = NumbersOf(*value);
    if (!numbers) return name;
    const auto is_in = [&range](int64_t number) { return IsIn(number, range); };
    if (std::ranges::all_of(*numbers, is_in)) continue;
    std::string text;
    for (const int64_t number : *numbers)
      text += (text.empty() ? "" : ",") + std::to_string(number);
    return name + "=" + (numbers->size() == 1 ? text : "[" + text + "]");
  }
  return "";
}

std::string TypesText(const std::vector<DType>& types) {
  std::string text;
  for (const DType type : types) text += (text.empty() ? "" : ", ") + std::string(TypeName(type));
  return text;
}

}  // namespace

Capabilities::Capabilities(const worker::Ready& ready) : limits_(ready.limits) {
  for (const worker::OperatorSupport& support : ready.operators) {
    operators_[support.op].insert(support.types.begin(), support.types.end());
  }
  for (const worker::Capability& capability : ready.capabilities) {
    capabilities_[capability.op].push_back(capability);
  }
}

bool Capabilities::AllowOperator(const Block& block, const Operator& op, std::string* why) const {
  const auto by_type = operators_.find(op.op);
  const auto rows = capabilities_.find(op.op);
  const std::string name(OperatorName(op.op));
  if (by_type == operators_.end() && rows == capabilities_.end()) return No(name, why);
  const DType type = CharacteristicType(block, op);
  if (by_type != operators_.end() && (by_type->second.empty() || by_type->second.contains(type))) {
    return true;
  }
  if (rows == capabilities_.end()) {
    return No(name + " of " + std::string(TypeName(type)), why);
  }
  const std::vector<DType> inputs = TypesOf(block, op.inputs);
  const std::vector<DType> outputs = TypesOf(block, op.outputs);
  std::string attribute;
  for (const worker::Capability& row : rows->second) {
    if (!Fit(inputs, row.inputs) || !Fit(outputs, row.outputs)) continue;
    attribute = OutOfRange(op, row.attributes);
    if (attribute.empty()) return true;
  }
  if (!attribute.empty()) return No(name + " with " + attribute, why);
  return No(name + " of " + TypesText(inputs) + " to " + TypesText(outputs), why);
}

bool Capabilities::AllowSizes(const TestVector& vector, std::string* why) const {
  const auto above = [](int64_t number, uint64_t limit) {
    return limit > 0 && number > 0 && static_cast<uint64_t>(number) > limit;
  };
  if (above(std::ssize(vector.graphs), limits_.graphs)) {
    return No(std::to_string(vector.graphs.size()) + " graphs", why);
  }
  for (const Graph& graph : vector.graphs) {
    int64_t constant_bytes = 0;
    for (const Block& block : graph.Blocks()) {
      for (const TensorInfo& tensor : block.tensors) {
        const Shape& shape = tensor.type.shape;
        if (above(shape.rank(), limits_.rank)) {
          return No("a tensor of rank " + std::to_string(shape.rank()), why);
        }
        for (const int32_t dimension : shape.dims()) {
          if (!above(dimension, limits_.dimension)) continue;
          return No("a dimension of " + std::to_string(dimension), why);
        }
        if (above(shape.Elements(), limits_.elements)) {
          return No("a tensor of " + std::to_string(shape.Elements()) + " elements", why);
        }
      }
      for (const Operator& op : block.operators) {
        if (!IsConstant(op.op) || !op.attributes.Has(AttributeId::kValues)) continue;
        constant_bytes += std::ssize(op.attributes.Value(AttributeId::kValues).bytes());
      }
    }
    if (above(constant_bytes, limits_.constant_bytes)) {
      return No("constants of " + std::to_string(constant_bytes) + " bytes", why);
    }
  }
  return true;
}

bool Capabilities::Allow(const TestVector& vector, std::string* why) const {
  for (const Graph& graph : vector.graphs) {
    for (const Block& block : graph.Blocks()) {
      for (const Operator& op : block.operators) {
        if (!AllowOperator(block, op, why)) return false;
      }
    }
  }
  return AllowSizes(vector, why);
}

}  // namespace assay

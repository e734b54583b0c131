// SPDX-License-Identifier: Apache-2.0
#include "graph_text.h"

#include <algorithm>

#include "joined.h"
#include "quoted.h"

namespace assay {
namespace {

std::string Name(const Block& block, TensorIndex index) {
  const std::string& name = block.tensors[static_cast<size_t>(index)].name;
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:-").find(c) != std::string_view::npos;
  });
  return "%" + (plain ? name : Quoted(name));
}

std::string DeclarationTexts(const Block& block, const std::vector<TensorIndex>& indices) {
  return Joined(indices, ",", [&](TensorIndex index) { return DeclarationText(block, index); });
}

std::string IntegerText(AttributeId id, int32_t value) {
  const std::span<const std::string_view> names = EnumeratorNames(id);
  if (!names.empty()) {
    const bool is_named = value >= 1 && value <= std::ssize(names);
    return std::string(is_named ? names[static_cast<size_t>(value - 1)] : "UNKNOWN");
  }
  if (id == AttributeId::kAccType || id == AttributeId::kType) {
    return std::string(TypeName(static_cast<DType>(value)));
  }
  return std::to_string(value);
}

// Converts an attribute to text, with one overload for each kind of AttributeValue.
struct ValueText {
  AttributeId id;
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int32_t value) const { return IntegerText(id, value); }
  std::string operator()(const std::vector<int32_t>& values) const {
    return "[" + Joined(values, ",", [](int32_t value) { return std::to_string(value); }) + "]";
  }
  std::string operator()(const std::string& value) const { return Quoted(value); }
  std::string operator()(const Tensor& value) const { return TensorText(value); }
};

}  // namespace

std::string AttributeText(AttributeId id, const AttributeValue& value) {
  return std::string(AttributeName(id)) + "=" + std::visit(ValueText{id}, value);
}

std::string TensorText(const Tensor& tensor, int64_t elements_max) {
  std::string text = tensor.tensor_type().ToString();
  if (!tensor.has_value()) return text;
  text += "{";
  for (int64_t i = 0; i < std::min(tensor.elements(), elements_max); ++i) {
    text += (i > 0 ? "," : "") + tensor.ElementText(i);
  }
  return text + (tensor.elements() > elements_max ? ",...}" : "}");
}

std::string DeclarationText(const Block& block, TensorIndex index) {
  return Name(block, index) + ":" + block.TypeOf(index).ToString();
}

std::string OperatorText(const Block& block, const Operator& op) {
  std::string text = DeclarationTexts(block, op.outputs);
  if (!text.empty()) text += " = ";
  text += std::string(OperatorName(op.op)) + "(" +
          Joined(op.inputs, ",", [&](TensorIndex index) { return Name(block, index); }) + ")";
  for (const auto& [id, value] : op.attributes.entries()) text += " " + AttributeText(id, value);
  return text;
}

std::string BlockText(const Block& block) {
  std::string text = "block " + Quoted(block.name) + " (" + DeclarationTexts(block, block.inputs) +
                     ") -> (" + DeclarationTexts(block, block.outputs) + ")\n";
  for (size_t i = 0; i < block.tensors.size(); ++i) {
    const TensorInfo& tensor = block.tensors[i];
    if (!tensor.variable) continue;
    text += "  variable " + DeclarationText(block, static_cast<TensorIndex>(i));
    if (!tensor.variable_name.empty()) text += " of " + Quoted(tensor.variable_name);
    if (tensor.initial_value.has_value()) text += " = " + TensorText(tensor.initial_value);
    text += "\n";
  }
  for (const Operator& op : block.operators) {
    text += "  " + OperatorText(block, op);
    if (!op.location.empty()) text += " at " + Quoted(op.location);
    text += "\n";
  }
  return text;
}

std::string GraphText(const Graph& graph) {
  const SpecVersion& v = graph.version;
  std::string text = "TOSA " + std::to_string(v.major) + "." + std::to_string(v.minor) + "." +
                     std::to_string(v.patch) + (v.draft ? "-draft" : "") + "\n";
  for (const Region& region : graph.regions) {
    if (graph.regions.size() > 1) text += "region " + Quoted(region.name) + "\n";
    for (const Block& block : region.blocks) text += BlockText(block);
  }
  return text;
}

}  // namespace assay

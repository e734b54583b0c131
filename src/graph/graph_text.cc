// SPDX-License-Identifier: Apache-2.0
#include "graph_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "float_format.h"
#include "joined.h"
#include "quoted.h"
#include "tosa_version.h"

namespace assay {
namespace {

std::string QuotedIn(TextForm form, std::string_view text) {
  return form == TextForm::kFull ? Quoted(text, text.size()) : Quoted(text);
}

std::string Name(const Block& block, TensorIndex index, TextForm form) {
  const std::string& name = block.tensors[static_cast<size_t>(index)].name;
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:-").find(c) != std::string_view::npos;
  });
  return "%" + (plain ? name : QuotedIn(form, name));
}

std::string DeclarationTexts(const Block& block, const std::vector<TensorIndex>& indices,
                             TextForm form) {
  return Joined(indices, ",",
                [&](TensorIndex index) { return DeclarationText(block, index, form); });
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
  TextForm form;
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int32_t value) const { return IntegerText(id, value); }
  std::string operator()(const std::vector<int32_t>& values) const {
    return "[" + Joined(values, ",", [](int32_t value) { return std::to_string(value); }) + "]";
  }
  std::string operator()(const std::string& value) const { return QuotedIn(form, value); }
  std::string operator()(const Tensor& value) const { return TensorText(value, form); }
};

// Returns an element of which ParseTensor() makes the same bits.
std::string ExactElementText(const Tensor& tensor, int64_t index) {
  if (!IsFloat(tensor.type()) || !std::isnan(tensor.Float(index))) return tensor.ElementText(index);
  const uint32_t bits = tensor.FloatBits(index);
  if (bits == EncodeFloat(tensor.type(), tensor.Float(index))) return tensor.ElementText(index);
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", bits);
  return text;
}

// Returns the tensors of a block that its other lines do not declare: no inputs, outputs, variables
// or results.
std::vector<TensorIndex> TensorsAlone(const Block& block) {
  std::vector<bool> declared(block.tensors.size());
  const auto declare = [&](const std::vector<TensorIndex>& list) {
    for (const TensorIndex index : list) declared[static_cast<size_t>(index)] = true;
  };
  declare(block.inputs);
  declare(block.outputs);
  for (const Operator& op : block.operators) declare(op.outputs);
  std::vector<TensorIndex> alone;
  for (size_t i = 0; i < block.tensors.size(); ++i) {
    if (!declared[i] && !block.tensors[i].variable) alone.push_back(static_cast<TensorIndex>(i));
  }
  return alone;
}

// Returns true if a text that is read again has the only region without a line for it.
bool IsMainRegion(const Region& region) { return region.name == "main" && !region.blocks.empty(); }

}  // namespace

std::string AttributeText(AttributeId id, const AttributeValue& value, TextForm form) {
  return std::string(AttributeName(id)) + "=" + std::visit(ValueText{id, form}, value);
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

std::string TensorText(const Tensor& tensor, TextForm form) {
  if (form == TextForm::kShort || !tensor.has_value()) return TensorText(tensor);
  std::string text = tensor.tensor_type().ToString() + "{";
  const std::span<const uint8_t> bytes = tensor.bytes();
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  const bool is_splat = tensor.elements() > 8 &&
                        std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
  for (int64_t i = 0; i < (is_splat ? 1 : tensor.elements()); ++i) {
    if (i > 0) text += ',';
    text += ExactElementText(tensor, i);
  }
  return text + "}";
}

std::string DeclarationText(const Block& block, TensorIndex index, TextForm form) {
  return Name(block, index, form) + ":" + block.TypeOf(index).ToString();
}

std::string OperatorText(const Block& block, const Operator& op, TextForm form) {
  std::string text = DeclarationTexts(block, op.outputs, form);
  if (!text.empty()) text += " = ";
  text += std::string(OperatorName(op.op)) + "(" +
          Joined(op.inputs, ",", [&](TensorIndex index) { return Name(block, index, form); }) + ")";
  for (const auto& [id, value] : op.attributes.entries()) {
    text += " " + AttributeText(id, value, form);
  }
  return text;
}

std::string BlockText(const Block& block, TextForm form) {
  std::string text = "block " + QuotedIn(form, block.name) + " (" +
                     DeclarationTexts(block, block.inputs, form) + ") -> (" +
                     DeclarationTexts(block, block.outputs, form) + ")\n";
  for (size_t i = 0; i < block.tensors.size(); ++i) {
    const TensorInfo& tensor = block.tensors[i];
    if (!tensor.variable) continue;
    text += "  variable " + DeclarationText(block, static_cast<TensorIndex>(i), form);
    if (!tensor.variable_name.empty()) text += " of " + QuotedIn(form, tensor.variable_name);
    if (tensor.initial_value.has_value()) text += " = " + TensorText(tensor.initial_value, form);
    text += "\n";
  }
  for (const TensorIndex index : TensorsAlone(block)) {
    text += "  tensor " + DeclarationText(block, index, form) + "\n";
  }
  for (const Operator& op : block.operators) {
    text += "  " + OperatorText(block, op, form);
    if (!op.location.empty()) text += " at " + QuotedIn(form, op.location);
    text += "\n";
  }
  return text;
}

std::string GraphText(const Graph& graph, TextForm form) {
  std::string text = "TOSA " + VersionText(graph.version) + "\n";
  const bool one_main = graph.regions.size() == 1 && IsMainRegion(graph.regions[0]);
  for (const Region& region : graph.regions) {
    if (!one_main) text += "region " + QuotedIn(form, region.name) + "\n";
    for (const Block& block : region.blocks) text += BlockText(block, form);
  }
  return text;
}

}  // namespace assay

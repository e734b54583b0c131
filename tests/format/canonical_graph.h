// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "graph.h"

namespace assay {

// A graph as text with everything except the names of tensors, blocks and regions. A block that
// control flow runs is written inside the operator that runs it. Declarations of variables come
// first, sorted, because MLIR has them outside of functions. Unused tensors are left out.
class CanonicalGraph {
 public:
  static std::string TextOf(const Graph& graph) {
    CanonicalGraph canonical(graph);
    if (graph.Main() == nullptr) return "no main block";
    const std::string main = canonical.BlockText(*graph.Main());
    std::sort(canonical.declarations_.begin(), canonical.declarations_.end());
    std::string text;
    for (const std::string& declaration : canonical.declarations_) text += declaration + "\n";
    return text + main;
  }

 private:
  explicit CanonicalGraph(const Graph& graph) : graph_(graph) {}

  static std::string ValueText(const AttributeValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* number = std::get_if<int32_t>(&value)) return std::to_string(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return '"' + *text + '"';
    std::string text;
    if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) {
      for (int32_t element : *list) text += std::to_string(element) + ",";
      return "[" + text + "]";
    }
    const Tensor& tensor = std::get<Tensor>(value);
    for (uint8_t byte : tensor.bytes()) text += std::to_string(byte) + ",";
    return tensor.tensor_type().ToString() + "{" + text + "}";
  }

  std::string OperatorText(const Operator& op) {
    std::string text(OperatorName(op.op));
    for (const auto& [id, value] : op.attributes.entries()) {
      const bool is_call = id == AttributeId::kThenGraph || id == AttributeId::kElseGraph ||
                           id == AttributeId::kCondGraph || id == AttributeId::kBodyGraph;
      text += " " + std::string(AttributeName(id)) + "=";
      const Block* callee = is_call ? graph_.FindBlock(std::get<std::string>(value)) : nullptr;
      text += callee == nullptr ? ValueText(value) : "{\n" + BlockText(*callee) + "}";
    }
    return text;
  }

  std::string BlockText(const Block& block) {
    std::map<TensorIndex, size_t> numbers;
    const auto list = [&](const std::vector<TensorIndex>& tensors) {
      std::string text;
      for (TensorIndex tensor : tensors) {
        const size_t number = numbers.try_emplace(tensor, numbers.size()).first->second;
        text += " %" + std::to_string(number) + ":" + block.TypeOf(tensor).ToString();
      }
      return text;
    };
    std::string text = "block" + list(block.inputs) + "\n";
    for (const Operator& op : block.operators) {
      if (op.op == Op::kVariable) {
        declarations_.push_back(OperatorText(op));
        continue;
      }
      const std::string inputs = list(op.inputs);
      text += OperatorText(op) + " (" + inputs + ") ->" + list(op.outputs) + "\n";
    }
    return text + "out" + list(block.outputs) + "\n";
  }

  const Graph& graph_;
  std::vector<std::string> declarations_;
};

}  // namespace assay

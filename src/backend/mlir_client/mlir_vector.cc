// SPDX-License-Identifier: Apache-2.0
#include "mlir_vector.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "backend.h"
#include "graph_text.h"
#include "mlir_constants.h"
#include "mlir_types.h"
#include "mlir_writer.h"
#include "operator_table.h"

namespace assay {
namespace {

bool HasState(const Graph& graph) {
  for (const auto& [block, op] : graph.Operators()) {
    if (op.op == Op::kVariable) return true;
  }
  return false;
}

// Tells whether blank-separated `words` hold `word`.
bool HoldsWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool Covers(const Exemption& row, const Block& block, const Operator& op) {
  if (op.op != row.op) return false;
  if (!row.types.empty() &&
      (op.inputs.empty() || !HoldsWord(row.types, TypeName(block.TypeOf(op.inputs[0]).type)))) {
    return false;
  }
  return row.attribute.empty() ||
         std::ranges::any_of(op.attributes.entries(), [&row](const auto& entry) {
           return AttributeText(entry.first, entry.second) == row.attribute;
         });
}

// Tells whether the text contains the name, but not as the beginning of a longer name.
bool Names(std::string_view text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == text.size() || (text[end] != '_' && std::isalnum(text[end]) == 0)) return true;
  }
  return false;
}

std::string WhyGraphUnsupported(const Graph& graph, MlirDialect dialect) {
  if (graph.Main() == nullptr) return "a graph without a main block";
  const Result<std::string> text = WriteMlir(WithLargeConstantsAsInputs(graph).graph, dialect);
  if (!text) return text.error().message;
  const Block& main = *graph.Main();
  for (const std::vector<TensorIndex>* tensors : {&main.inputs, &main.outputs}) {
    for (const TensorIndex tensor : *tensors) {
      if (main.TypeOf(tensor).type == DType::kShape) return "a shape as graph input";
    }
  }
  return {};
}

bool HasInputsOfGraph(const TestVector& vector, const Step& step) {
  const Block& main = *vector.GraphOf(step).Main();
  return std::equal(step.inputs.begin(), step.inputs.end(), main.inputs.begin(), main.inputs.end(),
                    [&main](const Tensor& value, TensorIndex input) {
                      return value.tensor_type() == main.TypeOf(input);
                    });
}

}  // namespace

std::string MlirWhyUnsupported(const TestVector& vector, bool validates, MlirDialect dialect) {
  // Graphs that break a rule have no meaning in the older dialect.
  const auto is_valid = [](const Step& step) { return step.expected == OutcomeKind::kValid; };
  if (dialect == MlirDialect::kLlvm19 && !std::ranges::all_of(vector.steps, is_valid)) {
    return "validation";
  }
  for (const Graph& graph : vector.graphs) {
    std::string why = WhyGraphUnsupported(graph, dialect);
    if (!why.empty()) return why;
  }
  std::set<std::pair<int32_t, int32_t>> graphs_of_contexts;
  std::set<int32_t> contexts;
  bool has_state = false;
  for (const Step& step : vector.steps) {
    if (step.expected == OutcomeKind::kError && !validates) return "validation";
    if (!HasInputsOfGraph(vector, step)) return "inputs of other types than the graph's";
    if (!step.state_before.empty()) return "variables loaded from outside";
    graphs_of_contexts.insert({step.context, step.graph});
    contexts.insert(step.context);
    has_state |= HasState(vector.GraphOf(step));
  }
  if (has_state && graphs_of_contexts.size() > contexts.size()) {
    return "state shared between graphs";
  }
  return {};
}

const Exemption* FindExemption(std::span<const Exemption> rows, const Graph& graph,
                               std::string_view refusal) {
  for (const Exemption& row : rows) {
    if (!Names(refusal, MlirOperatorName(OperatorName(row.op)))) continue;
    for (const auto& [block, op] : graph.Operators()) {
      if (Covers(row, block, op)) return &row;
    }
  }
  return nullptr;
}

std::vector<MlirRun> MlirRuns(const TestVector& vector) {
  std::vector<MlirRun> runs;
  std::vector<int32_t> contexts;
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    size_t run = 0;
    while (run < runs.size() && (runs[run].graph != step.graph || contexts[run] != step.context)) {
      ++run;
    }
    if (run == runs.size()) {
      runs.push_back({step.graph, {}});
      contexts.push_back(step.context);
    }
    runs[run].steps.push_back(i);
  }
  return runs;
}

std::string ToMlirBytes(const Tensor& tensor) {
  std::string bytes(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  // Loads of these types assume zeros in the unused high bits, as stores leave them.
  if (tensor.type() == DType::kInt4) {
    for (char& byte : bytes) byte = static_cast<char>(byte & 15);
  } else if (tensor.type() == DType::kInt48) {
    for (size_t i = 6; i < bytes.size(); i += 8) bytes[i] = bytes[i + 1] = 0;
  }
  return bytes;
}

Tensor FromMlirBytes(const TensorType& type, const std::string& bytes) {
  std::vector<uint8_t> elements(bytes.begin(), bytes.end());
  if (type.type == DType::kInt4) {
    for (uint8_t& byte : elements) byte = static_cast<uint8_t>(((byte & 15) ^ 8) - 8);
  } else if (type.type == DType::kInt48) {
    for (size_t i = 0; i + 8 <= elements.size(); i += 8) {
      elements[i + 6] = elements[i + 7] = (elements[i + 5] & 0x80) != 0 ? 0xff : 0;
    }
  } else if (type.type == DType::kBool) {
    for (uint8_t& byte : elements) byte = byte != 0 ? 1 : 0;
  }
  return Tensor::FromBytes(type.type, type.shape, std::move(elements));
}

}  // namespace assay

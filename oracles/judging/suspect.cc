// SPDX-License-Identifier: Apache-2.0
#include "suspect.h"

#include <algorithm>
#include <string>

#include "comparison.h"
#include "letter_case.h"
#include "rules.h"

namespace assay {
namespace {

// Returns the place of the first whole word `name` in `words`, or npos: "add" is in "tosa.add" and
// not in "address".
size_t FindWord(std::string_view words, std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (size_t at = words.find(name); at != std::string_view::npos; at = words.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool starts = at == 0 || !is_part(words[at - 1]);
    const bool ends = end == words.size() || !is_part(words[end]);
    if (starts && ends) return at;
  }
  return std::string_view::npos;
}

// Returns the position at which `words` name the operator, or npos. `lower` has the words in lower
// case.
size_t FindName(std::string_view words, const std::string& lower, Op op) {
  const std::string_view name = OperatorName(op);
  const std::string small = LowerCase(name);
  const bool is_english = small.find_first_of("0123456789_") == std::string::npos;
  const std::string in_dialect = "tosa." + small;
  return std::min(FindWord(words, name), FindWord(lower, is_english ? in_dialect : small));
}

}  // namespace

Suspect ProducerOf(const Graph& graph, size_t output) {
  const Block* main = graph.Main();
  if (main == nullptr || output >= main->outputs.size()) return {};
  const TensorIndex tensor = main->outputs[output];
  const Operator* op = main->ProducerOf(tensor);
  if (op == nullptr) return {Op::kUnknown, main->TypeOf(tensor).type};
  return {op->op, CharacteristicType(*main, *op)};
}

void Blame(Finding& finding, const Graph& graph, size_t output) {
  const Suspect suspect = ProducerOf(graph, output);
  finding.op = suspect.op;
  finding.type = suspect.type;
  const Block& main = *graph.Main();
  finding.tensor = main.tensors[static_cast<size_t>(main.outputs[output])].name;
}

void BlameVariable(const TestVector& vector, size_t step, size_t output, const Tensor& got,
                   Finding& finding) {
  const Graph& graph = vector.GraphOf(vector.steps[step]);
  const Block& main = *graph.Main();
  const Operator* read = main.ProducerOf(main.outputs[output]);
  if (read == nullptr || read->op != Op::kVariableRead) return;
  const std::string& name = read->attributes.Text(AttributeId::kName);
  const auto writes_it = [&name](const Operator& op) {
    return op.op == Op::kVariableWrite && op.attributes.Text(AttributeId::kName) == name;
  };
  bool is_written = false, is_stale = false;
  for (const PlacedOperator& placed : graph.Operators()) {
    if (&placed.op == read) break;
    is_written |= writes_it(placed.op);
  }
  for (const auto& [block, op] : graph.Operators()) {
    const bool declares = op.op == Op::kVariable && op.attributes.Has(AttributeId::kInitialValue);
    if (!declares || op.attributes.Text(AttributeId::kName) != name) continue;
    is_stale |= op.attributes.Value(AttributeId::kInitialValue) == got;
  }
  for (size_t i = 0; i < step; ++i) {
    const Step& earlier = vector.steps[i];
    if (earlier.context != vector.steps[step].context) continue;
    for (const PlacedOperator& placed : vector.GraphOf(earlier).Operators()) {
      is_written |= writes_it(placed.op);
    }
    const auto held = earlier.state_after.find(name);
    is_stale |= held != earlier.state_after.end() && !Compare(held->second, got).Wrong();
  }
  for (const auto& [variable, value] : vector.steps[step].state_before) {
    is_stale |= variable == name && value == got;
  }
  if (!is_written) return;
  if (is_stale) {
    finding.op = Op::kVariableWrite;
    finding.rule = OperatorName(finding.op);
    finding.message = "the variable " + name + " has a value from before the write";
  } else {
    finding.op = Op::kUnknown;
    finding.rule.clear();
    finding.graph = "VARIABLE_WRITE, VARIABLE_READ";
    finding.message = "the write or the read of the variable " + name + " is wrong";
  }
}

Suspect WriterOf(const Graph& graph, std::string_view variable) {
  Suspect suspect;
  for (const auto& [block, op] : graph.Operators()) {
    const AttributeValue* name = op.attributes.Find(AttributeId::kName);
    const auto* text = name == nullptr ? nullptr : std::get_if<std::string>(name);
    const bool named = text != nullptr && *text == variable;
    if (op.op == Op::kVariableWrite && named) {
      return {op.op, CharacteristicType(block, op)};
    }
    if (op.op == Op::kVariable && named) {
      suspect = {op.op, CharacteristicType(block, op)};
    }
    // A tensor with `variable=true`: takes the first operator that writes or reads it.
    for (const std::vector<TensorIndex>* tensors : {&op.outputs, &op.inputs}) {
      for (const TensorIndex tensor : *tensors) {
        const TensorInfo& info = block.tensors[static_cast<size_t>(tensor)];
        if (suspect.op == Op::kUnknown && info.variable &&
            (info.name == variable || info.variable_name == variable)) {
          suspect = {op.op, info.type.type};
        }
      }
    }
  }
  return suspect;
}

Suspect NamedIn(const Graph& graph, std::string_view words) {
  const std::string lower = LowerCase(words);
  Suspect named;
  size_t first = std::string_view::npos;
  bool type_is_named = false;
  for (const auto& [block, op] : graph.Operators()) {
    const size_t at = FindName(words, lower, op.op);
    const DType type = CharacteristicType(block, op);
    const bool names_type = FindWord(words, TypeName(type)) != std::string_view::npos;
    const bool is_better = op.op == named.op ? names_type && !type_is_named : at < first;
    if (at == std::string_view::npos || !is_better) continue;
    named = {op.op, type};
    first = at;
    type_is_named = names_type;
  }
  if (named.op != Op::kUnknown || graph.Main() == nullptr) return named;
  const Block& main = *graph.Main();
  int others = 0;
  for (const Operator& op : main.operators) {
    if (IsConstant(op.op)) continue;
    if (others++ > 0) return {};
    named = {op.op, CharacteristicType(main, op)};
  }
  return named;
}

Suspect SubjectOf(const Graph& graph, std::string_view rule) {
  const Rule* row = FindRule(rule);
  if (row == nullptr || row->op == Op::kUnknown) return {};
  for (const auto& [block, op] : graph.Operators()) {
    if (op.op == row->op) return {op.op, CharacteristicType(block, op)};
  }
  return {};
}

}  // namespace assay

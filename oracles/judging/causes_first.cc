// SPDX-License-Identifier: Apache-2.0
#include "causes_first.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace assay {
namespace {

// The indices of the findings from which the fault of a tensor or a variable may come.
using Origins = std::set<size_t>;

void Join(Origins& all, const Origins& more) { all.insert(more.begin(), more.end()); }

std::string TextOf(const Operator& op, AttributeId id) {
  const AttributeValue* value = op.attributes.Find(id);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::string() : *text;
}

// Follows the findings through a step, operator by operator. It takes both branches of a COND_IF,
// and repeats the blocks of a WHILE_LOOP until nothing is added.
class Tracer {
 public:
  Tracer(const std::vector<Finding>& findings, const Graph& graph)
      : findings_(findings), graph_(graph), origins_(findings.size()) {}

  // Returns for each finding the others that it may come from.
  std::vector<Origins> Trace() {
    Run(*graph_.Main(), {}, 0);
    return std::move(origins_);
  }

 private:
  // The depth that level 8K admits. A deeper block hands its inputs through. Tracing two branches
  // at each of 256 levels would take too long.
  static constexpr int kDepthMax = 6;

  std::vector<Origins> Run(const Block& block, const std::vector<Origins>& inputs, int depth) {
    std::vector<Origins> of(block.tensors.size());
    for (size_t i = 0; i < std::min(inputs.size(), block.inputs.size()); ++i) {
      of[static_cast<size_t>(block.inputs[i])] = inputs[i];
    }
    for (const Operator& op : block.operators) {
      std::vector<Origins> operands;
      for (const TensorIndex input : op.inputs) operands.push_back(Read(block, of, input));
      const std::vector<Origins> results = Apply(op, operands, depth);
      for (size_t i = 0; i < op.outputs.size(); ++i) {
        const auto at = static_cast<size_t>(op.outputs[i]);
        const TensorInfo& info = block.tensors[at];
        of[at] = i < results.size() ? results[i] : Origins();
        if (info.variable) of[at] = Write(info.name, of[at]);
        if (&block == graph_.Main()) Mark(/*variable=*/false, info.name, of[at]);
      }
    }
    std::vector<Origins> results;
    for (const TensorIndex output : block.outputs) results.push_back(Read(block, of, output));
    return results;
  }

  const Origins& Read(const Block& block, const std::vector<Origins>& of, TensorIndex tensor) {
    const TensorInfo& info = block.tensors[static_cast<size_t>(tensor)];
    return info.variable ? variables_[info.name] : of[static_cast<size_t>(tensor)];
  }

  Origins Write(const std::string& variable, Origins value) {
    Mark(/*variable=*/true, variable, value);
    return variables_[variable] = std::move(value);
  }

  // Adds the findings about a tensor or a variable of this name to its origins.
  void Mark(bool variable, const std::string& name, Origins& of) {
    const Origins before = of;
    for (size_t i = 0; i < findings_.size(); ++i) {
      const bool about_variable = findings_[i].violation == Violation::kState;
      if (findings_[i].tensor != name || about_variable != variable) continue;
      Join(origins_[i], before);
      of.insert(i);
    }
  }

  std::vector<Origins> Apply(const Operator& op, const std::vector<Origins>& operands, int depth) {
    switch (op.op) {
      case Op::kVariableRead:
        return {variables_[TextOf(op, AttributeId::kName)]};
      case Op::kVariableWrite:
        if (!operands.empty()) Write(TextOf(op, AttributeId::kName), operands[0]);
        return {};
      case Op::kCondIf:
        return CondIf(op, operands, depth + 1);
      case Op::kWhileLoop:
        return WhileLoop(op, operands, depth + 1);
      default: {
        Origins all;
        for (const Origins& operand : operands) Join(all, operand);
        return std::vector<Origins>(op.outputs.size(), all);
      }
    }
  }

  std::vector<Origins> Call(const Operator& op, AttributeId block_name,
                            const std::vector<Origins>& inputs, int depth) {
    const Block* block = graph_.FindBlock(TextOf(op, block_name));
    return block == nullptr || depth > kDepthMax ? inputs : Run(*block, inputs, depth);
  }

  std::vector<Origins> CondIf(const Operator& op, const std::vector<Origins>& operands, int depth) {
    if (operands.empty()) return {};
    const std::vector<Origins> inputs(operands.begin() + 1, operands.end());
    const std::map<std::string, Origins> before = variables_;
    std::vector<Origins> results = Call(op, AttributeId::kThenGraph, inputs, depth);
    const std::map<std::string, Origins> after_then = std::exchange(variables_, before);
    JoinAll(results, Call(op, AttributeId::kElseGraph, inputs, depth));
    for (const auto& [name, origins] : after_then) Join(variables_[name], origins);
    for (Origins& result : results) Join(result, operands[0]);
    return results;
  }

  std::vector<Origins> WhileLoop(const Operator& op, std::vector<Origins> values, int depth) {
    while (true) {
      const std::vector<Origins> values_before = values;
      const std::map<std::string, Origins> variables_before = variables_;
      for (const Origins& condition : Call(op, AttributeId::kCondGraph, values, depth)) {
        for (Origins& value : values) Join(value, condition);
      }
      JoinAll(values, Call(op, AttributeId::kBodyGraph, values, depth));
      for (const auto& [name, origins] : variables_before) Join(variables_[name], origins);
      if (values == values_before && variables_ == variables_before) return values;
    }
  }

  static void JoinAll(std::vector<Origins>& all, const std::vector<Origins>& more) {
    for (size_t i = 0; i < std::min(all.size(), more.size()); ++i) Join(all[i], more[i]);
  }

  const std::vector<Finding>& findings_;
  const Graph& graph_;
  std::vector<Origins> origins_;
  std::map<std::string, Origins> variables_;
};

}  // namespace

void CausesFirst(std::vector<Finding>& findings, const Graph& graph) {
  if (findings.size() < 2 || graph.Main() == nullptr) return;
  const std::vector<Origins> origins = Tracer(findings, graph).Trace();
  for (size_t i = 0; i < findings.size(); ++i) {
    for (const size_t cause : origins[i]) {
      // If two findings may come from each other, neither is the cause.
      if (cause == i || origins[cause].contains(i)) continue;
      findings[i].follows = findings[cause].tensor;
      break;
    }
  }
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.follows.empty(); });
}

}  // namespace assay

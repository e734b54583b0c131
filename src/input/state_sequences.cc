// SPDX-License-Identifier: Apache-2.0
#include "state_sequences.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "execution_order.h"
#include "model_values.h"
#include "operator_facts.h"
#include "window_graph.h"

namespace assay {
namespace {

using Positions = std::set<int32_t>;  // in Block::operators

std::string VariableOf(const Operator& op) {
  const bool is_access = op.op == Op::kVariableRead || op.op == Op::kVariableWrite;
  const bool has_name = is_access && op.attributes.Has(AttributeId::kName);
  return has_name ? op.attributes.Text(AttributeId::kName) : "";
}

// Finds the parts that carry state in a main block.
class StateParts {
 public:
  StateParts(const TestVector& model, const NeededPart& part)
      : main_(MainOf(model)), part_(part), producers_(main_.Producers()) {
    std::set<std::string> elsewhere;  // variables of other blocks
    for (const Block& block : model.graphs[0].Blocks()) {
      if (&block == &main_) continue;
      for (const Operator& op : block.operators) elsewhere.insert(VariableOf(op));
    }
    std::map<std::string, Positions> accesses;
    for (const int32_t position : part.operators) {
      const std::string name = VariableOf(At(position));
      if (!name.empty() && !elsewhere.contains(name)) accesses[name].insert(position);
    }
    for (const auto& [name, positions] : accesses) Add(Between(positions));
  }

  std::vector<Positions> parts() const { return parts_; }

 private:
  const Operator& At(int32_t position) const {
    return main_.operators[static_cast<size_t>(position)];
  }

  // Adds a part to the one that it meets.
  void Add(Positions part) {
    const auto meets = [&part](const Positions& other) {
      return std::ranges::any_of(part, [&](int32_t each) { return other.contains(each); });
    };
    for (auto other = parts_.begin(); other != parts_.end();) {
      if (!meets(*other)) {
        ++other;
        continue;
      }
      part.insert(other->begin(), other->end());
      other = parts_.erase(other);
    }
    parts_.push_back(std::move(part));
  }

  // Returns the accesses and all operators on a way from one to another.
  Positions Between(const Positions& accesses) const {
    Positions before = accesses;  // operators on which an access depends
    for (auto each = part_.operators.rbegin(); each != part_.operators.rend(); ++each) {
      if (!before.contains(*each)) continue;
      for (const TensorIndex input : At(*each).inputs) {
        before.insert(producers_[static_cast<size_t>(input)]);
      }
    }
    Positions between = accesses;
    for (const int32_t position : part_.operators) {
      const bool follows = std::ranges::any_of(At(position).inputs, [&](TensorIndex input) {
        return between.contains(producers_[static_cast<size_t>(input)]);
      });
      if (follows && before.contains(position)) between.insert(position);
    }
    return between;
  }

  const Block& main_;
  const NeededPart& part_;
  std::vector<int32_t> producers_;
  std::vector<Positions> parts_;
};

// Returns the value of a tensor in a step; nothing if it was not kept.
const Tensor* ValueIn(const TestVector& model, const ModelValues& values, size_t step,
                      TensorIndex tensor) {
  const std::vector<TensorIndex>& inputs = MainOf(model).inputs;
  const auto input = std::ranges::find(inputs, tensor);
  if (input != inputs.end()) {
    return &model.steps[step].inputs[static_cast<size_t>(input - inputs.begin())];
  }
  const auto found = values.values.find(tensor);
  return found == values.values.end() ? nullptr : &found->second;
}

// Returns the vector of a part; nothing if it has control flow, or operands that are not known.
std::optional<Window> SequenceOf(const TestVector& model, const NeededPart& part,
                                 const std::vector<ModelValues>& steps, const Positions& members) {
  const Block& main = MainOf(model);
  std::vector<int32_t> inside;  // in the order of execution
  std::set<std::string> variables;
  std::set<TensorIndex> read_outside(main.outputs.begin(), main.outputs.end());
  for (const int32_t position : part.operators) {
    const Operator& op = main.operators[static_cast<size_t>(position)];
    if (!members.contains(position)) {
      read_outside.insert(op.inputs.begin(), op.inputs.end());
      continue;
    }
    if (!CalleesOf(op).empty()) return std::nullopt;
    inside.push_back(position);
    variables.insert(VariableOf(op));
  }
  WindowGraph graph(main);
  for (const Operator& op : main.operators) {
    if (op.op != Op::kVariable) continue;
    if (variables.contains(op.attributes.Text(AttributeId::kName))) graph.AddOperator(op);
  }
  std::vector<TensorIndex> results, read;  // those that are read outside, and those of variables
  for (const int32_t position : inside) {
    const Operator& op = main.operators[static_cast<size_t>(position)];
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (graph.Has(op.inputs[i])) continue;
      const Operator* maker = main.ProducerOf(op.inputs[i]);
      const bool is_constant = maker != nullptr && IsConstant(maker->op);
      if (!is_constant && FactsOf(op.op).NeedsConstant(i)) return std::nullopt;
      const Tensor* value = is_constant ? nullptr : ValueIn(model, steps[0], 0, op.inputs[i]);
      if (!is_constant && value == nullptr) return std::nullopt;
      graph.AddOperand(op, i, is_constant ? maker : nullptr, is_constant ? Tensor() : *value);
    }
    graph.AddOperator(op);
    for (const TensorIndex output : op.outputs) {
      if (read_outside.contains(output)) results.push_back(output);
      if (op.op == Op::kVariableRead) read.push_back(output);
    }
  }
  for (const TensorIndex output : results.empty() ? read : results) graph.AddOutput(output);
  const std::vector<TensorIndex> inputs = graph.inputs();
  Window window = graph.Finish();
  window.stands_for = {{0, 0, inside[0]}};
  DescribeFrom(model, window);
  window.vector.steps[0].context = model.steps[0].context;
  for (size_t s = 1; s < steps.size(); ++s) {
    Step step;
    step.context = model.steps[s].context;
    for (const TensorIndex input : inputs) {
      const Tensor* value = ValueIn(model, steps[s], s, input);
      if (value == nullptr) return std::nullopt;
      step.inputs.push_back(*value);
    }
    window.vector.steps.push_back(std::move(step));
  }
  if (MainOf(window.vector).outputs.empty()) return std::nullopt;
  return window;
}

}  // namespace

std::vector<Window> StateSequences(const TestVector& model) {
  std::vector<Window> sequences;
  if (model.graphs.size() != 1) return sequences;
  const NeededPart part = PartNeededBy(MainOf(model), MainOf(model).outputs, true);
  const std::vector<Positions> parts = StateParts(model, part).parts();
  if (parts.empty()) return sequences;
  std::vector<ModelValues> steps = ValuesOfSteps(model, part);
  while (!steps.empty() && steps.back().outcome.kind != OutcomeKind::kValid) steps.pop_back();
  if (steps.empty()) return sequences;
  for (const Positions& members : parts) {
    std::optional<Window> window = SequenceOf(model, part, steps, members);
    if (window) sequences.push_back(std::move(*window));
  }
  return sequences;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "model_values.h"

#include <algorithm>
#include <set>
#include <utility>

#include "executor.h"
#include "graph_edit.h"
#include "tapped_outputs.h"

namespace assay {

const Block& MainOf(const TestVector& model) { return *model.graphs[0].Main(); }

NeededPart PartOf(const TestVector& model) {
  return PartNeededBy(MainOf(model), MainOf(model).outputs, model.steps.size() > 1);
}

void CutInvalidSteps(TestVector& model) {
  const std::vector<Outcome> outcomes = ExecuteVector(model, {});
  const auto invalid = std::find_if(outcomes.begin() + 1, outcomes.end(), [](const Outcome& step) {
    return step.kind != OutcomeKind::kValid;
  });
  model.steps.resize(static_cast<size_t>(invalid - outcomes.begin()));
}

TestVector WithOutputs(const TestVector& model, const std::vector<TensorIndex>& outputs) {
  TestVector other = model;
  other.constness.clear();
  Graph& graph = other.graphs[0];
  // Dropping tensors gives them new indices, so the outputs are set before.
  graph.Main()->outputs = outputs;
  SweepNested(*graph.Main());
  SweepRegions(graph);
  for (Step& step : other.steps) {
    step.expected = OutcomeKind::kValid;
    step.rule.clear();
    step.outputs.clear();
    step.state_after.clear();
  }
  return other;
}

std::vector<TensorIndex> CutOutputs(const Block& main, const NeededPart& part, size_t count) {
  std::set<TensorIndex> made;
  for (size_t i = 0; i < count; ++i) {
    const Operator& op = main.operators[static_cast<size_t>(part.operators[i])];
    made.insert(op.outputs.begin(), op.outputs.end());
  }
  std::set<TensorIndex> read(main.outputs.begin(), main.outputs.end());
  for (size_t i = count; i < part.operators.size(); ++i) {
    const Operator& op = main.operators[static_cast<size_t>(part.operators[i])];
    read.insert(op.inputs.begin(), op.inputs.end());
  }
  std::vector<TensorIndex> outputs;
  for (const TensorIndex tensor : made) {
    const TensorInfo& info = main.tensors[static_cast<size_t>(tensor)];
    const bool may_be_output = !info.variable && info.type.type != DType::kShape;
    if (read.contains(tensor) && may_be_output) outputs.push_back(tensor);
  }
  return outputs;
}

std::vector<ModelValues> ValuesOfSteps(const TestVector& model, const NeededPart& part) {
  std::set<TensorIndex> distinct(part.inner.begin(), part.inner.end());
  for (const TensorIndex output : MainOf(model).outputs) {
    if (MainOf(model).ProducerOf(output) != nullptr) distinct.insert(output);
  }
  const std::vector<TensorIndex> tensors(distinct.begin(), distinct.end());
  // Nothing is swept, so that a rule that only a part breaks that no output needs decides as well.
  TestVector all = model;
  all.graphs[0].Main()->outputs = tensors;
  std::vector<ModelValues> steps;
  for (Outcome& outcome : ExecuteVector(all, {.elements_max = kKeptElementsMax})) {
    ModelValues& step = steps.emplace_back();
    step.outcome = std::move(outcome);
    if (step.outcome.kind != OutcomeKind::kValid) break;
    for (size_t i = 0; i < tensors.size(); ++i) {
      step.values.emplace(tensors[i], step.outcome.outputs[i]);
    }
  }
  return steps;
}

ModelValues ValuesOf(const TestVector& model, const NeededPart& part) {
  return std::move(ValuesOfSteps(model, part)[0]);
}

}  // namespace assay

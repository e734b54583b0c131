// SPDX-License-Identifier: Apache-2.0
#include "spread_origin.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ensemble_run.h"
#include "execution_order.h"
#include "graph_edit.h"
#include "graph_text.h"

namespace assay {
namespace {

// Returns the vector up to a step, with the step's graph ending in these tensors.
TestVector PrefixOf(const TestVector& vector, size_t step, const std::vector<TensorIndex>& ends) {
  TestVector prefix = vector;
  prefix.steps.resize(step + 1);
  const int32_t graph = prefix.steps[step].graph;
  Graph& edited = prefix.graphs[static_cast<size_t>(graph)];
  // Dropping tensors gives them new indices, so the outputs are set before.
  edited.Main()->outputs = ends;
  SweepNested(*edited.Main());
  SweepRegions(edited);
  // Nobody judges what the steps expect, but backends may read how many outputs there are.
  const std::vector<Outcome> outcomes = ExecuteVector(prefix, {});
  for (size_t i = 0; i <= step; ++i) {
    if (prefix.steps[i].graph != graph) continue;
    prefix.steps[i].outputs.clear();
    for (const Tensor& value : outcomes[i].outputs) {
      prefix.steps[i].outputs.push_back({value, {}, {}, "exact"});
    }
    prefix.steps[i].state_after.clear();
  }
  return prefix;
}

class OriginSearch {
 public:
  OriginSearch(Backend& backend, const TestVector& vector, size_t step)
      : backend_(backend),
        vector_(vector),
        step_(step),
        block_(*vector.GraphOf(vector.steps[step]).Main()),
        producers_(block_.Producers()),
        order_(OrderOf(block_, producers_)) {}

  std::string From(TensorIndex output) {
    int32_t suspect = producers_[static_cast<size_t>(output)];
    if (suspect < 0) return "";
    while (true) {
      suspect = FirstBeyond(suspect);
      const std::optional<int32_t> operand = BeyondOperand(suspect);
      if (!operand) break;
      suspect = *operand;
    }
    if (runs_ > kPrefixesMax) return "";
    const Operator& op = block_.operators[static_cast<size_t>(suspect)];
    return std::string(OperatorName(op.op)) + " " + DeclarationText(block_, op.outputs[0]);
  }

 private:
  // Returns the operators that `last` depends on, itself included, in the order of execution.
  std::vector<int32_t> DependenciesOf(int32_t last) const {
    std::vector<char> needed(block_.operators.size());
    std::vector<int32_t> todo = {last};
    while (!todo.empty()) {
      const auto at = static_cast<size_t>(todo.back());
      todo.pop_back();
      if (std::exchange(needed[at], 1) != 0) continue;
      for (const TensorIndex input : block_.operators[at].inputs) {
        const int32_t producer = producers_[static_cast<size_t>(input)];
        if (producer >= 0) todo.push_back(producer);
      }
    }
    std::vector<int32_t> dependencies;
    for (const int32_t op : order_) {
      const bool is_searched = op == last || IsSearched(op);
      if (needed[static_cast<size_t>(op)] != 0 && is_searched) dependencies.push_back(op);
    }
    return dependencies;
  }

  // Returns true for an operator that calculates with floats.
  bool IsSearched(int32_t index) const {
    const Operator& op = block_.operators[static_cast<size_t>(index)];
    return !IsConstant(op.op) && !op.outputs.empty() && IsFloat(block_.TypeOf(op.outputs[0]).type);
  }

  // Bisects what `last` depends on, which is beyond the threshold.
  int32_t FirstBeyond(int32_t last) {
    const std::vector<int32_t> all = DependenciesOf(last);
    size_t low = 0, high = all.size() - 1;  // the first one beyond is in low..high
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (IsBeyond(all[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return all[high];
  }

  // The operator before in the order may be in another branch.
  std::optional<int32_t> BeyondOperand(int32_t index) {
    for (const TensorIndex input : block_.operators[static_cast<size_t>(index)].inputs) {
      const int32_t producer = producers_[static_cast<size_t>(input)];
      if (producer >= 0 && IsSearched(producer) && IsBeyond(producer)) return producer;
    }
    return std::nullopt;
  }

  // Returns true if the backend is beyond the threshold on the graph that ends with this operator.
  bool IsBeyond(int32_t index) {
    const auto known = std::ranges::find(known_, index, &std::pair<int32_t, bool>::first);
    if (known != known_.end()) return known->second;
    if (++runs_ > kPrefixesMax) return false;
    const Operator& op = block_.operators[static_cast<size_t>(index)];
    const bool is_beyond = EndsBeyond(PrefixOf(vector_, step_, op.outputs));
    known_.emplace_back(index, is_beyond);
    return is_beyond;
  }

  bool EndsBeyond(const TestVector& prefix) {
    if (!backend_.WhyUnsupported(prefix).empty()) return false;
    const Result<std::vector<Outcome>> got = backend_.Run(prefix);
    if (!got) return false;
    const auto members = ExecuteEnsemble(prefix, {}, kEnsembleSeed);
    if (members.size() < Ensemble().size()) return false;
    for (size_t i = 0; i < prefix.steps[step_].outputs.size(); ++i) {
      const SpreadDistance distance = DistanceOfOutput(members, *got, step_, i, nullptr);
      if (distance.distance > kSpreadThreshold) return true;
    }
    return false;
  }

  Backend& backend_;
  const TestVector& vector_;
  size_t step_;
  const Block& block_;
  std::vector<int32_t> producers_, order_;
  std::vector<std::pair<int32_t, bool>> known_;
  int runs_ = 0;
};

}  // namespace

SpreadDistance DistanceOfOutput(const std::vector<std::vector<Outcome>>& members,
                                const std::vector<Outcome>& got, size_t step, size_t output,
                                const Expectation* expected) {
  const auto has = [&](const std::vector<Outcome>& outcomes) {
    return step < outcomes.size() && outcomes[step].kind == OutcomeKind::kValid &&
           output < outcomes[step].outputs.size();
  };
  if (!has(got) || !std::ranges::all_of(members, has)) return {};
  std::vector<Tensor> outputs;
  outputs.reserve(members.size());
  for (const std::vector<Outcome>& member : members) {
    outputs.push_back(member[step].outputs[output]);
  }
  const Tensor& result = got[step].outputs[output];
  const Tensor& first = outputs.empty() ? result : outputs[0];
  if (result.type() != first.type() || result.shape() != first.shape()) return {};
  return DistanceFrom(outputs, result, expected);
}

std::string FindOrigin(Backend& backend, const TestVector& vector, size_t step, size_t output) {
  const Graph& graph = vector.GraphOf(vector.steps[step]);
  return OriginSearch(backend, vector, step).From(graph.Main()->outputs[output]);
}

}  // namespace assay

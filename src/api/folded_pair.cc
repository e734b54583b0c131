// SPDX-License-Identifier: Apache-2.0
#include "folded_pair.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executor.h"
#include "fold_graph.h"
#include "folded_graph.h"
#include "stage_graph.h"
#include "vector_facts.h"

namespace assay {
namespace {

constexpr std::string_view kLaw = "constant folding";

// Computes the expectation, requirements and tags.
Result<Done> Complete(TestVector& vector) {
  std::string reason;
  if (!Expect(vector, OptionsFor(vector, {}), &reason)) {
    return Unsupported(vector.name + ": no sound expectation: " + reason);
  }
  vector.requirements = NamesOf(RequirementsOf(vector, {}));
  vector.tags = TagsOf(vector);
  return Done{};
}

Result<Graph> Folded(const Graph& graph, const ExecutionOptions& execution) {
  FoldOptions options;
  options.execution = execution;
  const std::vector<Constness> varying(graph.Main()->inputs.size(), Constness::kVarying);
  const Result<Folding> folding = FoldGraph(graph, varying, options);
  if (!folding) return folding.error();
  return FoldedGraph(*folding, execution);
}

}  // namespace

Result<TestVector> WithConstantInputs(const TestVector& vector, uint64_t inputs) {
  TestVector frozen = BeforeFolding(vector);
  if (frozen.steps.empty() || frozen.graphs[0].Main() == nullptr) {
    return BadInput("no step runs graph 0");
  }
  frozen.steps.resize(1);
  Block& main = *frozen.graphs[0].Main();
  std::vector<Tensor>& values = frozen.steps[0].inputs;
  for (size_t i = main.inputs.size(); i-- > 0;) {
    if (main.inputs.size() == 1 || (inputs >> (i % 64) & 1) == 0) continue;
    if (main.tensors[static_cast<size_t>(main.inputs[i])].variable) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    main.operators.insert(main.operators.begin(), Literal(values[i], main.inputs[i]));
    main.inputs.erase(main.inputs.begin() + at);
    values.erase(values.begin() + at);
  }
  const Result<Done> complete = Complete(frozen);
  if (!complete) return complete.error();
  return frozen;
}

Result<TestVector> FoldedPair(const TestVector& vector, size_t graph) {
  const Graph& before = vector.graphs[graph];
  Result<Graph> after = Folded(before, OptionsFor(vector, {}));
  if (!after) return after.error();
  TestVector pair;
  pair.name = vector.name;
  pair.spec = vector.spec;
  pair.level = vector.level;
  pair.semantics = vector.semantics;
  pair.graphs = {before, std::move(*after)};
  int32_t contexts = 0;
  for (const Step& step : vector.steps) contexts = std::max(contexts, step.context + 1);
  for (const Step& step : vector.steps) {
    if (static_cast<size_t>(step.graph) != graph) continue;
    for (const int32_t which : {0, 1}) {
      Step& copy = pair.steps.emplace_back();
      copy.graph = which;
      copy.context = step.context + which * contexts;  // each graph has its own variables
      copy.inputs = step.inputs;
      copy.state_before = step.state_before;
    }
  }
  const Result<Done> complete = Complete(pair);
  if (!complete) return complete.error();
  pair.fold_pairs = {{0, 1, std::string(kLaw), true, "Values of constants alone are constants."}};
  return pair;
}

bool IsFoldedPair(const TestVector& vector) {
  return vector.fold_pairs.size() == 1 && vector.fold_pairs[0].law == kLaw;
}

TestVector BeforeFolding(const TestVector& vector) {
  TestVector before = vector;
  if (before.graphs.size() > 1) before.graphs.resize(1);
  before.fold_pairs.clear();
  std::erase_if(before.steps, [](const Step& step) { return step.graph != 0; });
  return before;
}

}  // namespace assay

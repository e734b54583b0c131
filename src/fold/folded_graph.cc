// SPDX-License-Identifier: Apache-2.0
#include "folded_graph.h"

#include <string>
#include <utility>
#include <vector>

#include "stage_graph.h"

namespace assay {
namespace {

// Returns the tensors of FoldRecord::cached. The compile-time stage is executed without inputs.
Result<std::vector<Tensor>> CachedValues(const Folding& folding, const ExecutionOptions& options) {
  const FoldStageRecord& stage = folding.record.at(FoldStage::kCompileTime);
  std::vector<Tensor> values(folding.record.cached.size());
  if (values.empty()) return values;
  if (!stage.inputs.empty() || stage.outputs.size() != values.size()) {
    return BadInput("the cached tensors depend on arguments");
  }
  Context context;
  Outcome outcome = Execute(context, folding.stage(FoldStage::kCompileTime), {}, options);
  if (outcome.kind != OutcomeKind::kValid) {
    return Unsupported("the compile-time stage: " + outcome.message);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    values[static_cast<size_t>(stage.outputs[i])] = std::move(outcome.outputs[i]);
  }
  return values;
}

}  // namespace

Result<Graph> FoldedGraph(const Folding& folding, const ExecutionOptions& options) {
  const Result<std::vector<Tensor>> cached = CachedValues(folding, options);
  if (!cached) return cached.error();
  const Block& original = *folding.original().Main();
  Graph graph = folding.stage(FoldStage::kEntry);
  Block& main = *graph.Main();
  std::vector<TensorIndex> inputs(original.inputs.size(), -1);
  std::vector<Operator> constants;
  const std::vector<FoldSource>& sources = folding.record.at(FoldStage::kEntry).inputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto index = static_cast<size_t>(sources[i].index);
    if (sources[i].kind == FoldSource::Kind::kArgument) {
      inputs[index] = main.inputs[i];
    } else {
      constants.push_back(Literal((*cached)[index], main.inputs[i]));
    }
  }
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k] >= 0) continue;  // an input that only folded operators read, or none
    inputs[k] = static_cast<TensorIndex>(main.tensors.size());
    main.tensors.push_back(original.tensors[static_cast<size_t>(original.inputs[k])]);
  }
  main.inputs = std::move(inputs);
  main.operators.insert(main.operators.begin(), std::make_move_iterator(constants.begin()),
                        std::make_move_iterator(constants.end()));
  return graph;
}

}  // namespace assay

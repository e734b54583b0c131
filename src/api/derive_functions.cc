#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "executor.h"
#include "fold_graph.h"
#include "guarded.h"
#include "handles.h"
#include "liveness.h"
#include "planner.h"
#include "stage_graph.h"
#include "vector_facts.h"

namespace assay::api {
namespace {

Result<const Graph*> GraphOf(const assay_vector* vector, size_t graph) {
  if (vector == nullptr) return NullPointer("vector");
  const std::vector<Graph>& graphs = vector->vector.graphs;
  if (graph >= graphs.size()) return BeyondList("graph", graph, "the vector", graphs.size());
  if (graphs[graph].Main() == nullptr) return BadInput("the graph has no main block");
  return &graphs[graph];
}

Result<std::unique_ptr<assay_vector>> Planned(const assay_vector* vector, size_t graph,
                                              const char* algorithm, int64_t alignment) {
  const Result<const Graph*> found = GraphOf(vector, graph);
  if (!found) return found.error();
  if (algorithm == nullptr) return NullPointer("algorithm");
  if (alignment < 1) return BadArgument("alignment: is " + std::to_string(alignment));
  const Result<const Algorithm*> chosen = FindAlgorithm(algorithm);
  if (!chosen) return chosen.error();
  MemoryTarget target;
  target.alignment = alignment;
  Result<GraphMemory> memory = MemoryOf(**found, target);
  if (!memory) return memory.error();
  Result<PlanningResult> planned = PlanMemory(memory->problem, **chosen);
  if (!planned) return planned.error();
  TestVector made = vector->vector;
  PlanRecord record;
  record.planned = {std::move(memory->problem), std::move(planned->plan)};
  record.graph = static_cast<int32_t>(graph);
  made.plans = {std::move(record)};
  return std::make_unique<assay_vector>(std::move(made));
}

// Returns the entry of a folding with CONSTs in place of the cached tensors, and with the inputs of
// the original graph.
Graph WithConstants(const Folding& folding, const std::vector<Tensor>& cached) {
  Graph graph = folding.stage(FoldStage::kEntry);
  Block& main = *graph.Main();
  const Block& original = *folding.original().Main();
  std::vector<TensorIndex> inputs(original.inputs.size(), -1);
  std::vector<Operator> constants;
  const std::vector<FoldSource>& sources = folding.record.at(FoldStage::kEntry).inputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto index = static_cast<size_t>(sources[i].index);
    if (sources[i].kind == FoldSource::Kind::kArgument) {
      inputs[index] = main.inputs[i];
    } else {
      constants.push_back(Literal(cached[index], main.inputs[i]));
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] >= 0) continue;  // nothing of the entry reads it
    inputs[i] = static_cast<TensorIndex>(main.tensors.size());
    main.tensors.push_back(original.tensors[static_cast<size_t>(original.inputs[i])]);
  }
  main.inputs = std::move(inputs);
  main.operators.insert(main.operators.begin(), constants.begin(), constants.end());
  return graph;
}

// Folds what depends on constants alone, and evaluates it with the reference executor.
Result<Graph> FoldedGraph(const Graph& graph, const ExecutionOptions& execution) {
  FoldOptions options;
  options.execution = execution;
  const std::vector<Constness> varying(graph.Main()->inputs.size(), Constness::kVarying);
  const Result<Folding> folding = FoldGraph(graph, varying, options);
  if (!folding) return folding.error();
  Context context;
  const Outcome outcome =
      Execute(context, folding->stage(FoldStage::kCompileTime), {}, options.execution);
  if (outcome.kind != OutcomeKind::kValid) {
    return Error{Error::Kind::kUnsupported,
                 "the constants cannot be computed: " + std::string(OutcomeName(outcome.kind)) +
                     " " + outcome.rule};
  }
  std::vector<Tensor> cached(folding->record.cached.size());
  const std::vector<int32_t>& made = folding->record.at(FoldStage::kCompileTime).outputs;
  for (size_t i = 0; i < made.size(); ++i)
    cached[static_cast<size_t>(made[i])] = outcome.outputs[i];
  return WithConstants(*folding, cached);
}

Result<std::unique_ptr<assay_vector>> Folded(const assay_vector* vector, size_t graph) {
  const Result<const Graph*> found = GraphOf(vector, graph);
  if (!found) return found.error();
  const ExecutionOptions options = OptionsFor(vector->vector, {});
  Result<Graph> after = FoldedGraph(**found, options);
  if (!after) return after.error();
  TestVector made;
  made.name = vector->vector.name;
  made.spec = vector->vector.spec;
  made.level = vector->vector.level;
  made.semantics = vector->vector.semantics;
  made.graphs = {**found, std::move(*after)};
  int32_t contexts = 0;
  for (const Step& step : vector->vector.steps) contexts = std::max(contexts, step.context + 1);
  for (const Step& step : vector->vector.steps) {
    if (static_cast<size_t>(step.graph) != graph) continue;
    for (const int32_t which : {0, 1}) {
      Step& copy = made.steps.emplace_back();
      copy.graph = which;
      copy.context = step.context + which * contexts;  // each graph has its own variables
      copy.inputs = step.inputs;
      copy.state_before = step.state_before;
    }
  }
  std::string reason;
  if (!Expect(made, options, &reason)) {
    return Error{Error::Kind::kUnsupported, made.name + ": no sound expectation: " + reason};
  }
  made.fold_pairs = {{0, 1, "constant folding", true, "Values of constants alone are constants."}};
  made.requirements = NamesOf(RequirementsOf(made, {}));
  made.tags = TagsOf(made);
  return std::make_unique<assay_vector>(std::move(made));
}

}  // namespace
}  // namespace assay::api

using assay::api::Making;

assay_status assay_plan_memory(const assay_vector* vector, size_t graph, const char* algorithm,
                               int64_t alignment, assay_vector** planned, assay_error* error) {
  return Making("planned", planned, error,
                [&] { return assay::api::Planned(vector, graph, algorithm, alignment); });
}
assay_status assay_fold(const assay_vector* vector, size_t graph, assay_vector** folded,
                        assay_error* error) {
  return Making("folded", folded, error, [&] { return assay::api::Folded(vector, graph); });
}

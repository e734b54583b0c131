// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "folded_pair.h"
#include "guarded.h"
#include "handles.h"
#include "liveness.h"
#include "planner.h"

namespace assay::api {
namespace {

Result<const Graph*> GraphWithMain(const assay_vector* vector, size_t graph) {
  if (vector == nullptr) return NullPointer("vector");
  const std::vector<Graph>& graphs = vector->vector.graphs;
  if (graph >= graphs.size()) return BeyondList("graph", graph, "the vector", graphs.size());
  if (graphs[graph].Main() == nullptr) return BadInput("the graph has no main block");
  return &graphs[graph];
}

}  // namespace
}  // namespace assay::api

using assay::Graph, assay::Result;
using assay::api::BadArgument, assay::api::GraphWithMain, assay::api::Making;

assay_status assay_plan_memory(const assay_vector* vector, size_t graph, const char* algorithm,
                               int64_t alignment, assay_vector** planned, assay_error* error) {
  return Making("planned", planned, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    const Result<const Graph*> found = GraphWithMain(vector, graph);
    if (!found) return found.error();
    if (algorithm == nullptr) return assay::api::NullPointer("algorithm");
    if (alignment < 1) return BadArgument("alignment: is " + std::to_string(alignment));
    const Result<const assay::Algorithm*> chosen = assay::FindAlgorithm(algorithm);
    if (!chosen) return chosen.error();
    assay::MemoryTarget target;
    target.alignment = alignment;
    Result<assay::GraphMemory> memory = MemoryOf(**found, target);
    if (!memory) return memory.error();
    Result<assay::PlanningResult> result = PlanMemory(memory->problem, **chosen);
    if (!result) return result.error();
    assay::TestVector made = vector->vector;
    assay::PlanRecord record;
    record.planned = {std::move(memory->problem), std::move(result->plan)};
    record.graph = static_cast<int32_t>(graph);
    made.plans = {std::move(record)};
    return std::make_unique<assay_vector>(std::move(made));
  });
}
assay_status assay_fold(const assay_vector* vector, size_t graph, assay_vector** folded,
                        assay_error* error) {
  return Making("folded", folded, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    const Result<const Graph*> found = GraphWithMain(vector, graph);
    if (!found) return found.error();
    Result<assay::TestVector> made = FoldedPair(vector->vector, graph);
    if (!made) return made.error();
    return std::make_unique<assay_vector>(std::move(*made));
  });
}

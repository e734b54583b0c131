// SPDX-License-Identifier: Apache-2.0
#include "planned_run.h"

#include <algorithm>
#include <utility>

#include "arena.h"
#include "executor.h"
#include "planner.h"

namespace assay {
namespace {

// A graph with its plan.
struct Planned {
  GraphMemory memory;
  MemoryPlan plan;
};

bool IsConstant(const BufferInfo& buffer) { return buffer.kind == BufferKind::kConstant; }

// Returns the peak of the pools divided by the sum of the aligned sizes, for all buffers but
// constants.
double ReuseOf(const Planned& planned) {
  const MemoryProblem& problem = planned.memory.problem;
  std::vector<int64_t> tops(problem.pools.size(), 0);
  int64_t sizes = 0, peak = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    if (IsConstant(buffer)) continue;
    const PoolAllocation place = *planned.plan.allocations[i];
    const auto pool = static_cast<size_t>(place.pool);
    sizes += AlignUp(buffer.size_bytes, buffer.alignment);
    tops[pool] =
        std::max(tops[pool], place.offset + buffer.size_bytes - problem.pools[pool].offset);
  }
  for (const int64_t top : tops) peak += top;
  return sizes == 0 ? 1 : static_cast<double>(peak) / static_cast<double>(sizes);
}

// Takes the places of buffers with the same names from a plan, in its pools.
void TakePlan(const PlannedProblem& other, Planned& planned) {
  std::map<std::string, std::optional<PoolAllocation>> places;
  for (size_t i = 0; i < other.problem.buffers.size(); ++i) {
    places[other.problem.buffers[i].name_hint] = other.plan->allocations[i];
  }
  planned.memory.problem.pools = other.problem.pools;
  for (const BufferInfo& buffer : planned.memory.problem.buffers) {
    const auto place = places.find(buffer.name_hint);
    planned.plan.allocations.push_back(place == places.end() ? std::nullopt : place->second);
  }
}

Result<Planned> PlanOf(const Graph& graph, const Planning& planning) {
  Planned planned;
  Result<GraphMemory> memory = MemoryOf(graph, planning.target);
  if (!memory) return memory.error();
  if (planning.fault != nullptr) planning.fault->change(graph, *memory);
  planned.memory = std::move(*memory);
  if (planning.given) {
    TakePlan(*planning.given, planned);
    return planned;
  }
  Result<PlanningResult> result = PlanMemory(planned.memory.problem, *planning.algorithm, {});
  if (!result) return result.error();
  planned.plan = std::move(result->plan);
  return planned;
}

// Runs the valid steps of a vector, each graph of each context in an arena of its own.
class VectorRun {
 public:
  VectorRun(const TestVector& vector, const std::string& path, PlannedRuns& runs)
      : vector_(vector), path_(path), runs_(runs) {}

  void Run(const Planning& planning) {
    if (planning.given && vector_.graphs.size() > 1) return PassOver("more than one graph");
    for (const Graph& graph : vector_.graphs) {
      Result<Planned> planned = PlanOf(graph, planning);
      if (!planned) return PassOver(planned.error().message);
      ++runs_.graphs;
      if (!planning.given && graph.OperatorCount() >= PlannedRuns::kManyOperators) {
        ++runs_.large_graphs;
        runs_.reuse += ReuseOf(*planned);
      }
      planned_.push_back(std::move(*planned));
    }
    const std::vector<Outcome> expected = ExecuteVector(vector_, {});
    for (size_t i = 0; i < vector_.steps.size(); ++i) {
      if (expected[i].kind != OutcomeKind::kValid) return;
      if (!RunStep(i, expected[i])) return;
      states_[vector_.steps[i].context] = expected[i].state;
    }
  }

 private:
  void PassOver(const std::string& why) {
    ++runs_.passed_over;
    ++runs_.reasons[why];
  }

  void Report(size_t step, const std::string& what) {
    ++runs_.differences;
    runs_.findings.push_back(path_ + ": step " + std::to_string(step) + ": " + what);
  }

  bool RunStep(size_t number, const Outcome& expected) {
    const Step& step = vector_.steps[number];
    const auto graph = static_cast<size_t>(step.graph);
    const std::pair key{step.context, step.graph};
    auto found = arenas_.find(key);
    if (found == arenas_.end()) {
      Result<Arena> arena =
          Arena::Make(vector_.graphs[graph], planned_[graph].memory, planned_[graph].plan);
      if (!arena) {
        PassOver(arena.error().message);
        return false;
      }
      found = arenas_.emplace(key, std::move(*arena)).first;
    }
    Arena& arena = found->second;
    arena.SetVariables(states_[step.context]);
    arena.SetVariables(step.state_before);
    const Outcome outcome = arena.Run(step.inputs);
    ++runs_.steps;
    if (arena.fault()) {
      Report(number, arena.fault()->ToString());
    } else if (outcome.kind != OutcomeKind::kValid) {
      PassOver(outcome.message);
    } else if (outcome.outputs != expected.outputs) {
      Report(number, "the outputs differ from those outside of the arena");
    } else {
      return true;
    }
    return false;
  }

  const TestVector& vector_;
  const std::string& path_;
  PlannedRuns& runs_;
  std::vector<Planned> planned_;                             // by graph
  std::map<std::pair<int32_t, int32_t>, Arena> arenas_;      // by context and graph
  std::map<int32_t, std::map<std::string, Tensor>> states_;  // by context
};

}  // namespace

void PlannedRuns::Run(const TestVector& vector, const std::string& path, const Planning& planning) {
  ++vectors;
  VectorRun(vector, path, *this).Run(planning);
}

}  // namespace assay

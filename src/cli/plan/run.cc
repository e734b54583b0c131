// SPDX-License-Identifier: Apache-2.0
// assay plan run: executes the graphs of vectors in the memory that is planned for them.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "arena.h"
#include "case_source.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "executor.h"
#include "files.h"
#include "json_fields.h"
#include "json_text.h"
#include "liveness_fault.h"
#include "memory_to_plan.h"
#include "name_search.h"
#include "note.h"
#include "planner.h"
#include "planner_tables.h"
#include "run_status.h"
#include "terminal.h"

namespace assay::cli::plan {
namespace {

constexpr int64_t kManyOperators = 10;  // at this number or more, memory should be used again

struct RunOptions {
  std::vector<std::string> suites;
  std::string algorithm = "auto";
  std::string plan;
  std::string fault;
  MemoryOptions memory;
  bool json = false;
};

void DeclareRun(CommandLine& line, RunOptions& options) {
  AddSuitesOption(line, options.suites).Required();
  line.Add("--algorithm", options.algorithm, "algorithm, as for `assay plan`").ShowDefault();
  line.Add("--plan", options.plan,
           "use the plan in this file for the only graph of a vector, in place of an "
           "algorithm. Its format is any that `plan check` reads, with the names of `assay "
           "plan --json`");
  line.Add("--fault", options.fault,
           "seed one of the faults below in the computation of live ranges");
  AddMemoryOptions(line, options.memory);
  line.AddFlag("--json", options.json, "print JSON");
  std::string faults = "\nFaults:";
  for (const LivenessFault& fault : AllLivenessFaults()) {
    const std::string name(fault.name);
    faults += "\n  " + name + std::string(26 - std::min<size_t>(name.size(), 25), ' ') +
              std::string(fault.what);
  }
  line.SetFooter(
      "Plans every graph, executes every valid step inside the planned pools, and "
      "compares the result\n"
      "with execution outside of them. Dead buffers are overwritten, and every byte "
      "that is read must\n"
      "still belong to its buffer." +
      faults);
}

struct Tally {
  int64_t vectors = 0, graphs = 0, steps = 0, differences = 0, passed_over = 0;
  int64_t large_graphs = 0;
  double reuse = 0;  // sum over the large graphs of peak / sum of sizes
  std::vector<std::string> findings;
  std::map<std::string, int64_t> reasons;  // of skipped vectors
};

// A graph with its plan.
struct Planned {
  GraphMemory memory;
  MemoryPlan plan;
};

// The way in which graphs are planned.
struct Planning {
  MemoryTarget target;
  const LivenessFault* fault = nullptr;  // none if null
  const Algorithm* algorithm = nullptr;
  std::optional<PlannedProblem> given = {};  // a plan to take in place of the algorithm's
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
  VectorRun(const TestVector& vector, const std::string& path, Tally& tally)
      : vector_(vector), path_(path), tally_(tally) {}

  void Run(const Planning& planning) {
    if (planning.given && vector_.graphs.size() > 1) return PassOver("more than one graph");
    for (const Graph& graph : vector_.graphs) {
      Result<Planned> planned = PlanOf(graph, planning);
      if (!planned) return PassOver(planned.error().message);
      ++tally_.graphs;
      if (!planning.given && graph.OperatorCount() >= kManyOperators) {
        ++tally_.large_graphs;
        tally_.reuse += ReuseOf(*planned);
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
    ++tally_.passed_over;
    ++tally_.reasons[why];
  }

  void Report(size_t step, const std::string& what) {
    ++tally_.differences;
    tally_.findings.push_back(path_ + ": step " + std::to_string(step) + ": " + what);
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
    ++tally_.steps;
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
  Tally& tally_;
  std::vector<Planned> planned_;                             // by graph
  std::map<std::pair<int32_t, int32_t>, Arena> arenas_;      // by context and graph
  std::map<int32_t, std::map<std::string, Tensor>> states_;  // by context
};

void PrintTally(const RunOptions& options, const Tally& tally) {
  const double reuse =
      tally.large_graphs == 0 ? 1 : tally.reuse / static_cast<double>(tally.large_graphs);
  if (options.json) {
    Print("{}\n", JsonText(Json({{"vectors", tally.vectors},
                                 {"graphs", tally.graphs},
                                 {"steps", tally.steps},
                                 {"differences", tally.differences},
                                 {"passed_over", tally.passed_over},
                                 {"reasons", tally.reasons},
                                 {"large_graphs", tally.large_graphs},
                                 {"mean_peak_of_sizes", reuse},
                                 {"findings", tally.findings}}),
                           2));
    return;
  }
  for (const std::string& finding : tally.findings) Print("FAIL  {}\n", CleanText(finding));
  Print("{} vectors, {} graphs planned by {}, {} steps executed in their memory, {} wrong\n",
        tally.vectors, tally.graphs, options.plan.empty() ? options.algorithm : options.plan,
        tally.steps, tally.differences);
  if (tally.large_graphs > 0) {
    Print("{} graphs of {} operators or more: peak over sum of aligned sizes {:.3f} on average\n",
          tally.large_graphs, kManyOperators, reuse);
  }
  for (const auto& [why, count] : tally.reasons)
    Print("{} passed over: {}\n", count, CleanText(why));
}

int RunPlan(const RunOptions& options) {
  const Result<const Algorithm*> algorithm = FindAlgorithm(options.algorithm);
  if (!algorithm) {
    return Fail({algorithm.error().kind, "--algorithm: " + algorithm.error().message});
  }
  Result<MemoryTarget> target = MemoryTargetOf(options.memory);
  if (!target) return Fail(target.error());
  Planning planning = {.target = std::move(*target), .algorithm = *algorithm};
  if (!options.fault.empty()) {
    const Result<size_t> fault = FindOptionName(
        "--fault", "fault", options.fault, NamesOfRows(AllLivenessFaults(), &LivenessFault::name));
    if (!fault) return Fail(fault.error());
    planning.fault = &AllLivenessFaults()[*fault];
  }
  const Result<CaseList> cases = ListCases(options.suites, Note);
  if (!cases) return Fail(cases.error());
  if (!options.plan.empty()) {
    const Result<std::string> text = ReadTextFile(options.plan);
    if (!text) return Fail(text.error());
    Result<PlannedProblem> planned = ReadPlan(*text, options.plan);
    if (!planned) return Fail(planned.error());
    if (!planned->plan) return Fail(UsageError(options.plan + ": holds a problem, but no plan"));
    planning.given = std::move(*planned);
  }
  Tally tally;
  for (int64_t i = 0; i < cases->size(); ++i) {
    const Result<LoadedCase> loaded = cases->Load(i);
    if (!loaded) return Fail(loaded.error());
    ++tally.vectors;
    VectorRun(loaded->vector, cases->Name(i), tally).Run(planning);
  }
  PrintTally(options, tally);
  if (tally.differences > 0) return StatusWithGaps(kExitFinding, cases->gaps);
  return StatusWithGaps(tally.steps == 0 ? kExitUndecided : kExitClean, cases->gaps);
}

}  // namespace

extern const Command run_command = {
    .name = "run",
    .summary = "executes vectors in the memory that is planned for their graphs",
    .declare = DeclareWith<RunOptions, DeclareRun, RunPlan>,
};

}  // namespace assay::cli::plan

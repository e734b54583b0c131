// SPDX-License-Identifier: Apache-2.0
// assay plan run: executes the graphs of vectors in the memory that is planned for them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "case_source.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "files.h"
#include "json_fields.h"
#include "json_text.h"
#include "liveness_fault.h"
#include "memory_to_plan.h"
#include "name_search.h"
#include "note.h"
#include "planned_run.h"
#include "planner_tables.h"
#include "run_status.h"
#include "terminal.h"

namespace assay::cli::plan {
namespace {

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

void PrintTally(const RunOptions& options, const PlannedRuns& tally) {
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
          tally.large_graphs, PlannedRuns::kManyOperators, reuse);
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
  PlannedRuns tally;
  for (int64_t i = 0; i < cases->size(); ++i) {
    const Result<LoadedCase> loaded = cases->Load(i);
    if (!loaded) return Fail(loaded.error());
    tally.Run(loaded->vector, cases->Name(i), planning);
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

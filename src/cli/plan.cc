#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "check.h"
#include "command.h"
#include "memory_problem.h"
#include "plan_check.h"
#include "plan_json.h"
#include "quoted.h"
#include "terminal.h"

namespace assay::cli {

extern const Command plan_check_command, plan_generate_command, plan_run_command;

namespace {

constexpr const Command* kVerbs[] = {&plan_check_command, &plan_generate_command, &plan_run_command};

struct Options {
  const CLI::App* app = nullptr;
  std::string file;
  std::string algorithm = "auto";
  MemoryOptions memory;
  std::optional<int64_t> steps_max;
  bool json = false;
};
Options options;

void Declare(CLI::App& app) {
  options.app = &app;
  for (const Command* verb : kVerbs) {
    verb->declare(*app.add_subcommand(std::string(verb->name), std::string(verb->summary)));
  }
  app.add_option("FILE", options.file,
                 "a graph (.tosa, .tvec, .mlir, JSON, an Arm test directory), or a memory problem: "
                 "JSON, as --json writes it, or a table of MiniMalloc (CSV), TVM, ExecuTorch or "
                 "TensorFlow Lite; a plan in it is set aside");
  app.add_option("--algorithm", options.algorithm, "one of those below")->capture_default_str();
  AddMemoryOptions(app, options.memory);
  app.add_option("--max-steps", options.steps_max,
                 "how long a search may go on, in steps of about ten nanoseconds; otherwise some "
                 "hundredths of a second, exact some tens of seconds")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--json", options.json, "print the problem with its plan as JSON");
  std::string footer = "Algorithms:";
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const std::string name(algorithm->name);
    footer += "\n  " + name + std::string(24 - std::min<size_t>(name.size(), 23), ' ') +
              std::string(algorithm->summary);
  }
  app.footer(footer);
}

void PrintPools(const MemoryProblem& problem, const MemoryPlan& plan) {
  std::vector<int64_t> tops(problem.pools.size(), 0), counts(problem.pools.size(), 0);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const auto pool = static_cast<size_t>(plan.allocations[i]->pool);
    tops[pool] = std::max(tops[pool], plan.allocations[i]->offset + problem.buffers[i].size_bytes -
                                          problem.pools[pool].offset);
    ++counts[pool];
  }
  for (size_t i = 0; i < problem.pools.size(); ++i) {
    const PoolInfo& pool = problem.pools[i];
    const std::string size = pool.size_bytes < 0 ? "" : " of " + std::to_string(pool.size_bytes);
    Print("pool {}: {}{} bytes, {} buffers\n", Quoted(pool.name), tops[i], size, counts[i]);
  }
}

void PrintText(const MemoryProblem& problem, const PlanningResult& result) {
  int64_t sizes = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    const PoolAllocation& place = *result.plan.allocations[i];
    sizes += buffer.size_bytes;
    Print("{} at {} of {}, {} bytes\n", Quoted(buffer.name_hint), place.offset,
          Quoted(problem.pools[static_cast<size_t>(place.pool)].name), buffer.size_bytes);
  }
  PrintPools(problem, result.plan);
  Print("{} bytes for buffers of {}; at least {} are needed{}\n", result.total_bytes, sizes,
        result.bound_bytes, result.total_bytes == result.bound_bytes ? ", so none is wasted" : "");
}

int Run() {
  for (const Command* verb : kVerbs) {
    if (options.app->got_subcommand(std::string(verb->name))) return verb->run();
  }
  if (options.file.empty()) return Fail({Error::Kind::kUsage, "plan: FILE is required"});
  const Algorithm* algorithm = AlgorithmByName(options.algorithm);
  if (algorithm == nullptr) {
    return Fail({Error::Kind::kUsage, "--algorithm " + Quoted(options.algorithm) +
                                          ": there is none; `assay plan --help` lists them"});
  }
  Result<GraphMemory> memory = LoadMemoryProblem(options.file, options.memory);
  if (!memory) return Fail(memory.error());
  MemoryProblem& problem = memory->problem;
  Result<PlanningResult> result = PlanMemory(problem, *algorithm, options.steps_max);
  if (!result) {
    return Fail({result.error().kind, options.file + ": " + result.error().message});
  }
  Check(CheckPlan(problem, result->plan).breaches.empty(), "a plan of ours is sound");
  if (!options.json) {
    PrintText(problem, *result);
    if (memory->dynamic > 0) {
      Print("{} tensors are of unknown size, and not planned\n", memory->dynamic);
    }
    return kExitClean;
  }
  const Result<std::string> text = PlanJson({std::move(problem), std::move(result->plan)});
  if (!text) return Fail(text.error());
  Write(*text);
  return kExitClean;
}

}  // namespace

extern const Command plan_command = {
    .name = "plan",
    .summary = "plans where buffers go in memory; `plan check` checks one",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli

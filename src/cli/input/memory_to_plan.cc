// SPDX-License-Identifier: Apache-2.0
#include "memory_to_plan.h"

#include <optional>
#include <utility>

#include "command_line.h"
#include "files.h"
#include "graph_source.h"
#include "operator_table.h"
#include "planner_tables.h"
#include "pool_options.h"
#include "quoted.h"
#include "run_options.h"
#include "vector_source.h"

namespace assay {
namespace {

Error TargetError(const std::string& text, const std::string& what) {
  return UsageError("--target " + Quoted(text) + ": " + what);
}

// Reads "npu:CONV2D,MATMUL", or "npu" for all operators that are not named.
Result<Done> AddTarget(const std::string& text, MemoryTarget& target) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name.empty()) return TargetError(text, "has no name");
  if (colon == std::string::npos) {
    target.default_target = name;
    return Done{};
  }
  for (size_t begin = colon + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string op = text.substr(begin, end - begin);
    const auto known = OperatorByName(op);
    if (!known) return TargetError(text, Quoted(op) + " is no operator");
    target.targets[*known] = name;
    begin = end + 1;
  }
  return Done{};
}

}  // namespace

Result<MemoryTarget> MemoryTargetOf(const MemoryOptions& options) {
  MemoryTarget target;
  target.alignment = options.alignment;
  target.workspace_io = options.workspace_io;
  target.share_operands = options.share_operands;
  for (const std::string& text : options.pools) {
    Result<PoolInfo> pool = ParsePool(text);
    if (!pool) return pool.error();
    target.pools.push_back(std::move(*pool));
  }
  for (const std::string& text : options.targets) {
    const Result<Done> added = AddTarget(text, target);
    if (!added) return added.error();
  }
  return target;
}

namespace {

// A graph of a vector or an Arm test directory, or a graph alone.
Result<PlannedSource> SourceOf(const std::string& path, const MemoryOptions& options) {
  Result<GraphOrVector> loaded = LoadGraphOrVector(path, options.function);
  if (!loaded) return loaded.error();
  const Result<size_t> chosen =
      Choose(path, "--graph", "graphs", loaded->vector.graphs.size(), options.graph);
  if (!chosen) return chosen.error();
  return PlannedSource{std::move(loaded->vector), static_cast<int32_t>(*chosen)};
}

Result<GraphMemory> MemoryOfGraph(const std::string& path, const Graph& graph,
                                  const MemoryOptions& options) {
  const Result<MemoryTarget> target = MemoryTargetOf(options);
  if (!target) return target.error();
  Result<GraphMemory> memory = MemoryOf(graph, *target);
  if (!memory) return Error{memory.error().kind, path + ": " + memory.error().message};
  return memory;
}

// Returns the text of a memory problem, or nothing if the path stands for graphs. JSON may be of
// either.
Result<std::optional<std::string>> ProblemText(const std::string& path) {
  const PathKind kind = KindOfFile(path);
  const bool is_json = kind == PathKind::kJson;
  if (IsDirectory(path) || kind == PathKind::kVector || (IsGraphAlone(kind) && !is_json)) {
    return std::optional<std::string>();
  }
  Result<std::string> text = ReadTextFile(path);
  if (!text) return text.error();
  const bool is_graph = text->find("\"regions\"") != std::string::npos &&
                        text->find("\"buffers\"") == std::string::npos;
  return is_graph ? std::nullopt : std::optional(std::move(*text));
}

Result<GraphMemory> WithPools(MemoryProblem problem, const MemoryOptions& options) {
  if (!options.pools.empty()) {
    const Result<Done> replaced = ReplacePools(options.pools, problem);
    if (!replaced) return replaced.error();
  }
  GraphMemory memory;
  memory.problem = std::move(problem);
  return memory;
}

}  // namespace

void AddMemoryOptions(CommandLine& line, MemoryOptions& options) {
  line.Add("--pool", options.pools, kPoolOptionHelp).TakeAll();
  line.Add("--target", options.targets,
           "for graphs: target of operators, NAME:OPERATOR[,OPERATOR...], or NAME for all "
           "other operators (default: c)")
      .TakeAll();
  line.Add("--alignment", options.alignment, "for graphs: alignment of each buffer, in bytes")
      .Between(1, 1 << 30)
      .ShowDefault();
  line.Add("--graph", options.graph, "number of the graph in a .tvec file, from 0").NotNegative();
  AddFunctionOption(line, options.function);
  line.AddFlag("--workspace-io", options.workspace_io,
               "for graphs: place inputs and outputs in the workspace (default: the caller owns "
               "them)");
  line.AddFlag("--share", options.share_operands,
               "for graphs: let results share the memory of an operand where possible (views; "
               "element-wise operators that are its last reader)");
}

Result<PlannedSource> LoadGraphToPlan(const std::string& path, const MemoryOptions& options) {
  const Result<std::optional<std::string>> problem = ProblemText(path);
  if (!problem) return problem.error();
  if (*problem) return UsageError(path + ": holds no graph");
  return SourceOf(path, options);
}

Result<GraphMemory> LoadMemoryProblem(const std::string& path, const MemoryOptions& options,
                                      PlannedSource& source) {
  const Result<std::optional<std::string>> problem = ProblemText(path);
  if (!problem) return problem.error();
  if (!*problem) {
    Result<PlannedSource> from = SourceOf(path, options);
    if (!from) return from.error();
    source = std::move(*from);
    return MemoryOfGraph(path, source.Chosen(), options);
  }
  Result<PlannedProblem> planned = ReadPlan(**problem, path);
  if (!planned) return planned.error();
  return WithPools(std::move(planned->problem), options);
}

Result<PlanRecord> LoadPlanRecord(const std::string& path, std::optional<int64_t> index) {
  Result<TestVector> vector = LoadVector(path);
  if (!vector) return vector.error();
  const Result<size_t> chosen = Choose(path, "--plan", "plans", vector->plans.size(), index);
  if (!chosen) return chosen.error();
  return std::move(vector->plans[*chosen]);
}

}  // namespace assay

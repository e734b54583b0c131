#include "memory_to_plan.h"

#include <optional>
#include <utility>

#include "case_source.h"
#include "command_line.h"
#include "files.h"
#include "graph_source.h"
#include "operator_table.h"
#include "planner_tables.h"
#include "pool_options.h"
#include "quoted.h"
#include "vector_source.h"

namespace assay {
namespace {

Error Usage(const std::string& option, const std::string& text, const std::string& what) {
  return {Error::Kind::kUsage, option + " " + Quoted(text) + ": " + what};
}

// "npu:CONV2D,MATMUL", or "npu" for all that is not named.
Result<Done> AddTarget(const std::string& text, MemoryTarget& target) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name.empty()) return Usage("--target", text, "has no name");
  if (colon == std::string::npos) {
    target.default_target = name;
    return Done{};
  }
  for (size_t begin = colon + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string op = text.substr(begin, end - begin);
    const auto known = OperatorByName(op);
    if (!known) return Usage("--target", text, Quoted(op) + " is no operator");
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

// The number of one of `count` things, from 0; the only one where `index` is -1.
Result<size_t> Choose(const std::string& path, const char* option, const char* what, size_t count,
                      int64_t index) {
  if (index < 0 && count == 1) return size_t{0};
  if (index >= 0 && static_cast<uint64_t>(index) < count) return static_cast<size_t>(index);
  return Error{Error::Kind::kUsage, path + ": has " + std::to_string(count) + " " + what + "; " +
                                        option + " takes the number of one, from 0"};
}

bool IsVector(const std::string& path) { return path.ends_with(".tvec") || IsDirectory(path); }

// A graph of a vector or an Arm test directory, or a graph alone.
Result<PlannedSource> SourceOf(const std::string& path, const MemoryOptions& options) {
  if (!IsVector(path)) {
    Result<Graph> graph = LoadGraph(path, options.function, nullptr);
    if (!graph) return graph.error();
    PlannedSource source;
    source.vector.graphs.push_back(std::move(*graph));
    source.graph = 0;
    return source;
  }
  Result<LoadedCase> loaded = LoadCase(path);
  if (!loaded) return loaded.error();
  const Result<size_t> chosen =
      Choose(path, "--graph", "graphs", loaded->vector.graphs.size(), options.graph);
  if (!chosen) return chosen.error();
  return PlannedSource{std::move(loaded->vector), static_cast<int32_t>(*chosen)};
}

Result<GraphToPlan> GraphOf(const std::string& path, const MemoryOptions& options) {
  Result<PlannedSource> source = SourceOf(path, options);
  if (!source) return source.error();
  TestVector& vector = source->vector;
  return GraphToPlan{std::move(vector.graphs[static_cast<size_t>(*source->graph)]),
                     IsVector(path) ? vector.semantics : ""};
}

Result<GraphMemory> MemoryOfGraph(const std::string& path, const Graph& graph,
                                  const MemoryOptions& options) {
  const Result<MemoryTarget> target = MemoryTargetOf(options);
  if (!target) return target.error();
  Result<GraphMemory> memory = MemoryOf(graph, *target);
  if (!memory) return Error{memory.error().kind, path + ": " + memory.error().message};
  return memory;
}

bool IsGraphPath(const std::string& path) {
  return path.ends_with(".tosa") || path.ends_with(".tvec") || IsMlirPath(path) ||
         IsDirectory(path);
}

// JSON is of graphs and of problems.
bool IsGraphJson(std::string_view text) {
  return text.find("\"regions\"") != std::string_view::npos &&
         text.find("\"buffers\"") == std::string_view::npos;
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
           "of a graph: where operators run, NAME:OPERATOR[,OPERATOR...], or NAME for all "
           "that are not named (otherwise c)")
      .TakeAll();
  line.Add("--alignment", options.alignment, "of a graph: of each buffer, in bytes")
      .Between(1, 1 << 30)
      .ShowDefault();
  line.Add("--graph", options.graph, "which graph of a .tvec file, from 0").NotNegative();
  AddFunctionOption(line, options.function);
  line.AddFlag("--workspace-io", options.workspace_io,
               "of a graph: its inputs and outputs lie in the workspace; otherwise they are the "
               "caller's");
  line.AddFlag("--share", options.share_operands,
               "of a graph: results lie where an operand does if they may (views; element-wise "
               "operators that are the last to read it)");
}

Result<GraphToPlan> LoadGraphToPlan(const std::string& path, const MemoryOptions& options) {
  if (!IsGraphPath(path)) {
    const Result<std::string> text = ReadTextFile(path);
    if (!text) return text.error();
    if (!IsGraphJson(*text)) return Error{Error::Kind::kUsage, path + ": holds no graph"};
  }
  return GraphOf(path, options);
}

Result<GraphMemory> LoadMemoryProblem(const std::string& path, const MemoryOptions& options,
                                      PlannedSource* source) {
  const bool is_graph = IsGraphPath(path);
  std::optional<std::string> text;
  if (!is_graph) {
    Result<std::string> read = ReadTextFile(path);
    if (!read) return read.error();
    text = std::move(*read);
  }
  if (is_graph || IsGraphJson(*text)) {
    Result<PlannedSource> from = SourceOf(path, options);
    if (!from) return from.error();
    Result<GraphMemory> memory =
        MemoryOfGraph(path, from->vector.graphs[static_cast<size_t>(*from->graph)], options);
    if (memory && source != nullptr) *source = std::move(*from);
    return memory;
  }
  Result<PlannedProblem> planned = ReadPlan(*text, path);
  if (!planned) return planned.error();
  return WithPools(std::move(planned->problem), options);
}

Result<PlanRecord> LoadPlanRecord(const std::string& path, int64_t index) {
  Result<TestVector> vector = LoadVector(path, nullptr);
  if (!vector) return vector.error();
  const Result<size_t> chosen = Choose(path, "--plan", "plans", vector->plans.size(), index);
  if (!chosen) return chosen.error();
  return std::move(vector->plans[*chosen]);
}

}  // namespace assay

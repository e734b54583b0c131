#include "memory_problem.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "files.h"
#include "load.h"
#include "operator_table.h"
#include "plan_tables.h"
#include "pool_options.h"
#include "quoted.h"

namespace assay {
namespace {

Error Usage(const std::string& option, const std::string& text, const std::string& what) {
  return {Error::Kind::kUsage, option + " " + Quoted(text) + ": " + what};
}

bool EndsWith(const std::string& path, std::string_view ending) {
  return std::string_view(path).ends_with(ending);
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

// Of a vector or an Arm test directory, one of its graphs.
Result<GraphToPlan> GraphOf(const std::string& path, int64_t index) {
  if (!EndsWith(path, ".tvec") && !IsDirectory(path)) {
    Result<Graph> graph = LoadGraph(path, nullptr);
    if (!graph) return graph.error();
    return GraphToPlan{std::move(*graph), {}};
  }
  Result<LoadedCase> loaded = LoadCase(path);
  if (!loaded) return loaded.error();
  std::vector<Graph>& graphs = loaded->vector.graphs;
  const auto count = static_cast<int64_t>(graphs.size());
  if (index < 0 && count == 1) index = 0;
  if (index < 0 || index >= count) {
    return Error{Error::Kind::kUsage, path + ": has " + std::to_string(count) +
                                          " graphs; --graph takes the number of one, from 0"};
  }
  return GraphToPlan{std::move(graphs[static_cast<size_t>(index)]), loaded->vector.semantics};
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
  return EndsWith(path, ".tosa") || EndsWith(path, ".tvec") || EndsWith(path, ".mlir") ||
         IsDirectory(path);
}

// JSON is of graphs and of problems.
bool IsGraphJson(std::string_view text) {
  return text.find("\"regions\"") != std::string_view::npos &&
         text.find("\"buffers\"") == std::string_view::npos;
}

}  // namespace

void AddMemoryOptions(CLI::App& app, MemoryOptions& options) {
  app.add_option("--pool", options.pools, kPoolOptionHelp)->take_all();
  app.add_option("--target", options.targets,
                 "of a graph: where operators run, NAME:OPERATOR[,OPERATOR...], or NAME for all "
                 "that are not named (otherwise c)")
      ->take_all();
  app.add_option("--alignment", options.alignment, "of a graph: of each buffer, in bytes")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--graph", options.graph, "which graph of a .tvec file, from 0")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--workspace-io", options.workspace_io,
               "of a graph: its inputs and outputs lie in the workspace; otherwise they are the "
               "caller's");
  app.add_flag("--share", options.share_operands,
               "of a graph: results lie where an operand does if they may (views; element-wise "
               "operators that are the last to read it)");
}

Result<GraphToPlan> LoadGraphToPlan(const std::string& path, const MemoryOptions& options) {
  if (!IsGraphPath(path)) {
    const Result<std::string> text = ReadTextFile(path);
    if (!text) return text.error();
    if (!IsGraphJson(*text)) return Error{Error::Kind::kUsage, path + ": holds no graph"};
  }
  return GraphOf(path, options.graph);
}

Result<GraphMemory> LoadMemoryProblem(const std::string& path, const MemoryOptions& options) {
  const bool is_graph = IsGraphPath(path);
  std::optional<std::string> text;
  if (!is_graph) {
    Result<std::string> read = ReadTextFile(path);
    if (!read) return read.error();
    text = std::move(*read);
  }
  if (is_graph || IsGraphJson(*text)) {
    const Result<GraphToPlan> loaded = GraphOf(path, options.graph);
    if (!loaded) return loaded.error();
    return MemoryOfGraph(path, loaded->graph, options);
  }
  Result<PlannedProblem> planned = ReadPlan(*text, path);
  if (!planned) return planned.error();
  if (!options.pools.empty()) {
    const Result<Done> replaced = ReplacePools(options.pools, planned->problem);
    if (!replaced) return replaced.error();
  }
  GraphMemory memory;
  memory.problem = std::move(planned->problem);
  return memory;
}

}  // namespace assay

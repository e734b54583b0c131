// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "liveness.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

class CommandLine;

// Options that say which memory a problem is planned for. For a file with a memory problem, options
// about graphs have no effect.
struct MemoryOptions {
  std::vector<std::string> pools;    // --pool
  std::vector<std::string> targets;  // --target
  int64_t alignment = 16;            // --alignment
  std::optional<int64_t> graph;      // --graph
  std::string function;              // --function
  bool workspace_io = false;         // --workspace-io
  bool share_operands = false;       // --share
};
void AddMemoryOptions(CommandLine& line, MemoryOptions& options);

// Returns the memory that the options describe. Error kUsage names the option.
Result<MemoryTarget> MemoryTargetOf(const MemoryOptions& options);

// The vector that a path stands for, and which of its graphs is planned. A graph alone is in a
// vector of its own; of a memory problem there is no graph.
struct PlannedSource {
  TestVector vector;
  std::optional<int32_t> graph;

  const Graph& Chosen() const { return vector.graphs[static_cast<size_t>(*graph)]; }
};

// The graph that a file holds or, of several, that the options choose. Error kUsage if the file
// holds none.
Result<PlannedSource> LoadGraphToPlan(const std::string& path, const MemoryOptions& options);

// The problem that a file stands for: the buffers of a graph (.tosa, .tvec, .mlir, JSON), or a
// memory problem of any format, without its plan. `source` gets the graph.
Result<GraphMemory> LoadMemoryProblem(const std::string& path, const MemoryOptions& options,
                                      PlannedSource& source);

// Loads a plan of a `.tvec` file, with what the file records about it. `index` is the number of the
// plan, or nothing for the only one. Error kUsage if there is no such plan.
Result<PlanRecord> LoadPlanRecord(const std::string& path, std::optional<int64_t> index);

}  // namespace assay

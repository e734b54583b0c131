#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "liveness.h"
#include "result.h"

namespace CLI {
class App;
}

namespace assay {

// Options that say what memory a problem is planned for; those about graphs say nothing to a file
// that holds a problem.
struct MemoryOptions {
  std::vector<std::string> pools;    // --pool
  std::vector<std::string> targets;  // --target
  int64_t alignment = 16;            // --alignment
  int64_t graph = -1;                // --graph
  bool workspace_io = false;         // --workspace-io
  bool share_operands = false;       // --share
};
void AddMemoryOptions(CLI::App& app, MemoryOptions& options);

// The memory that the options describe. Error kUsage names the option.
Result<MemoryTarget> MemoryTargetOf(const MemoryOptions& options);

// The graph that a file holds or, of several, that the options choose, and the semantics of its
// variables (TestVector::semantics). Error kUsage if the file holds none.
struct GraphToPlan {
  Graph graph;
  std::string semantics;
};
Result<GraphToPlan> LoadGraphToPlan(const std::string& path, const MemoryOptions& options);

// The problem that a file stands for: the buffers of a graph (.tosa, .tvec, .mlir, JSON), or a
// memory problem of any format, without its plan.
Result<GraphMemory> LoadMemoryProblem(const std::string& path, const MemoryOptions& options);

}  // namespace assay

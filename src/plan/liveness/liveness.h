#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "liveness_fault.h"
#include "memory_plan.h"
#include "result.h"

namespace assay {

// Which memory a graph is planned for.
struct MemoryTarget {
  std::vector<PoolInfo> pools;  // none: `workspace`, and `parameters` for constants, both unlimited
  int64_t alignment = 16;       // of every buffer
  // Inputs and outputs of the graph lie in the workspace: the former from before the first
  // operator to their last reader, the latter from their producer to behind the last operator.
  // Otherwise they are the caller's, and no buffers.
  bool workspace_io = false;
  // Results share the bytes of an operand where that is possible: views (RESHAPE, IDENTITY), and
  // element-wise operators that are the last to read theirs.
  bool share_operands = false;
  // Where operators run; those that are not named, on `default_target`.
  std::map<Op, std::string> targets;
  std::string default_target = "c";
  LivenessFault fault = LivenessFault::kNone;  // what is done wrong on purpose
};

// The buffers of a graph. A tensor is called BLOCK/TENSOR, what an operator needs while it runs
// BLOCK/INDEX.OPERATOR/NAME, a variable by its name alone.
//
// Time: each operator takes one tick, in the order of execution; what it reads and what it writes
// are live in it together. The blocks of COND_IF and WHILE_LOOP follow the tick of the operator,
// and end with one in which their results are copied to the operator's own. What a loop carries is
// one buffer from before the loop to the last reader of its result. A block that is run from two
// places is live in both. Constants and variables are live all the time.
struct GraphMemory {
  MemoryProblem problem;
  // The buffers of the problem that the graph's execution uses, for as long as the graph itself is
  // there: those of tensors that are made by an operator of their block, or given to `main` (the
  // inputs of other blocks lie where the operands of their runner do; what is not here is the
  // caller's or has no bytes), those of variables, and the scratch of operators by block and index.
  std::map<std::pair<const Block*, TensorIndex>, int32_t> tensors;
  std::map<std::string, int32_t> variables;
  std::map<std::pair<const Block*, int32_t>, std::vector<int32_t>> scratch;
  int64_t dynamic = 0;  // tensors of unknown size, which stay out of the problem
};

// Error kBadInput names the rule that a graph without an order of execution breaks, or the buffer
// that no pool may hold; kResource if blocks run each other more often than can be laid out.
Result<GraphMemory> MemoryOf(const Graph& graph, const MemoryTarget& target);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "memory_plan.h"
#include "result.h"

namespace assay {

// The memory that a graph is planned for, and how its tensors may use it.
struct MemoryTarget {
  std::vector<PoolInfo> pools;  // none: `workspace`, and `parameters` for constants, both unlimited
  int64_t alignment = 16;       // of every buffer
  // If true, inputs and outputs of the graph lie in the workspace. An input is live from before the
  // first operator to its last reader, an output from its producer to after the last operator. If
  // false, they belong to the caller and have no buffers.
  bool workspace_io = false;
  // If true, results share the bytes of an operand where that is possible: views (RESHAPE,
  // IDENTITY), and element-wise operators that are the last reader of their operand.
  bool share_operands = false;
  // The targets where operators run. Operators that are not named run on `default_target`.
  std::map<Op, std::string> targets;
  std::string default_target = "c";
};

// The buffers of a graph. A tensor is called BLOCK/TENSOR, the scratch of an operator
// BLOCK/INDEX.OPERATOR/NAME, a variable by its name alone.
//
// Time: each operator takes one tick, in the order of execution. Everything that it reads and
// writes is live in this tick. The blocks of COND_IF and WHILE_LOOP follow the tick of the
// operator. Each block ends with one tick in which its results are copied to the operator's own. A
// value that a loop carries is one buffer, live from before the loop to the last reader of its
// result. A block that is run from two places is live in both. Constants and variables are live all
// the time.
struct GraphMemory {
  MemoryProblem problem;
  // The buffers that the graph's execution uses; the keys are valid as long as the graph itself.
  // `tensors` has the tensors that an operator of their block makes, and the inputs of `main`.
  // Inputs of other blocks lie in the operands of the operator that runs them. Tensors that are
  // missing here belong to the caller or have no bytes. `variables` are by name, `scratch` by block
  // and index of the operator.
  std::map<std::pair<const Block*, TensorIndex>, int32_t> tensors;
  std::map<std::string, int32_t> variables;
  std::map<std::pair<const Block*, int32_t>, std::vector<int32_t>> scratch;
  int64_t dynamic = 0;  // tensors of unknown size, which are not in the problem
};

// Returns the memory of a graph. Error kBadInput names the rule that a graph without an order of
// execution breaks, or the buffer that no pool may hold; kResource if blocks run each other more
// often than can be laid out.
Result<GraphMemory> MemoryOf(const Graph& graph, const MemoryTarget& target);

}  // namespace assay

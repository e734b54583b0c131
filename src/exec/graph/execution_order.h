// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph.h"
#include "signature.h"

namespace assay {

// Facts about a block that do not depend on input values. They are computed once, before execution.
struct BlockPlan {
  // The rules of graphs that the block breaks (`graph/ERROR_IF/cycle`...). If there is one, the
  // block cannot run.
  Judgement judgement;
  std::vector<int32_t> order;      // of execution: list order, if that is possible
  std::vector<int32_t> producers;  // Block::Producers()
  // By tensor: the position in `order` of the last operator that names it. The outputs of the block
  // and variable tensors have a position behind all operators.
  std::vector<int32_t> last_uses;
};

// Plans a block whose graph has passed CheckStructure(). `runner` is the block whose COND_IF or
// WHILE_LOOP runs it, null for the main block.
BlockPlan PlanBlock(const Block& block, const Block* runner);

// Returns list order if that is an order of execution. Otherwise the order always takes the first
// operator in the list whose operands exist. It is shorter than the block if operators wait for
// each other. `producers` are Block::Producers().
std::vector<int32_t> OrderOf(const Block& block, const std::vector<int32_t>& producers);

// Returns the rule that a tensor breaks if it is read but nothing in its block produces it. The
// tensor either belongs to the block that runs its block, or is not produced at all.
const char* UnmadeRule(const TensorInfo& tensor, const Block* runner);

// Checks a graph as a whole: it has a main block, all tensors exist, and no block runs itself. Of
// blocks that nothing runs, only the tensors are checked.
void CheckStructure(const Graph& graph, Judgement& judgement);

// Refuses a graph whose blocks run each other deeper than any level allows, or without end
// (COND_IF/ERROR_IF/1, WHILE_LOOP/ERROR_IF/1, graph/ERROR_IF/recursion). Code that recurses into
// the blocks of a graph from a file must call this first. An execution breaks these rules only if
// it gets that deep; this function also counts blocks that an execution may skip.
void CheckNesting(const Graph& graph, Judgement& judgement);

}  // namespace assay

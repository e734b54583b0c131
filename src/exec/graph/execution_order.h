#pragma once

#include <vector>

#include "graph.h"
#include "signature.h"

namespace assay {

// What a block says about its execution before anything runs.
struct BlockPlan {
  // The rules of graphs that the block breaks (`graph/ERROR_IF/cycle`...). If there is one, the
  // block cannot run.
  Judgement judgement;
  std::vector<int32_t> order;      // of execution: list order, except where that is none
  std::vector<int32_t> producers;  // Block::Producers()
};

// Of a block whose graph has passed CheckStructure(). `runner` is the block whose COND_IF or
// WHILE_LOOP runs it, null for the main block.
BlockPlan PlanBlock(const Block& block, const Block* runner);

// List order where it is an order of execution; else always the first operator in the list whose
// operands are there. Shorter than the block if operators wait for each other. `producers` are
// Block::Producers().
std::vector<int32_t> OrderOf(const Block& block, const std::vector<int32_t>& producers);

// The rule that a tensor breaks which is read and nothing in its block makes: it is one of the
// block that runs its own, or no tensor at all.
const char* UnmadeRule(const TensorInfo& tensor, const Block* runner);

// What can be wrong in a graph as a whole, whatever it executes: no block to start with, tensors
// that do not exist, a block that runs itself. Blocks that nothing runs count for tensors only.
void CheckStructure(const Graph& graph, Judgement& judgement);

// Refuses a graph whose blocks run each other deeper than any level allows, or for ever
// (COND_IF/ERROR_IF/1, WHILE_LOOP/ERROR_IF/1, graph/ERROR_IF/recursion). What walks the blocks of a
// graph from a file by recursion must ask this first. An execution breaks these rules only where it
// gets so deep; this counts blocks that it may pass by, too.
void CheckNesting(const Graph& graph, Judgement& judgement);

}  // namespace assay

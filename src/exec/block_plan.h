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

// Of a block whose graph has passed CheckStructure().
BlockPlan PlanBlock(const Block& block);

// What can be wrong in a graph as a whole, whatever it executes: no block to start with, tensors
// that do not exist, a block that runs itself. Blocks that nothing runs count for tensors only.
void CheckStructure(const Graph& graph, Judgement& judgement);

}  // namespace assay

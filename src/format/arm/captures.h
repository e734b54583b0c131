#pragma once

#include "graph.h"

namespace assay {

// In a valid graph a block reads nothing of the block that runs it but its inputs (rule
// graph/ERROR_IF/captured-tensor). Some writers of files do otherwise: their blocks name tensors of
// the surrounding block, and so have tensors that nothing makes. This gives each COND_IF and
// WHILE_LOOP what its blocks name: constants are copied into the block, other tensors become
// further inputs (and results, of a loop). Returns how many tensors it provided. What it cannot
// find, and what the blocks of two operators share, stays as it is.
int ResolveCaptures(Graph& graph);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph.h"

namespace assay {

// Repairs captured tensors. In a valid graph a block reads nothing of the block that runs it but
// its inputs (rule graph/ERROR_IF/captured-tensor). Some writers let blocks name tensors of the
// surrounding block, so these blocks have tensors that nothing produces. This function gives each
// COND_IF and WHILE_LOOP what its blocks name. Constants are copied into the block; other tensors
// become further inputs (and results, of a loop). Returns how many tensors it provided. Tensors
// that it cannot find, and blocks that two operators share, stay unchanged.
int ResolveCaptures(Graph& graph);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor.h"
#include "folding.h"
#include "result.h"

namespace assay {

// Returns the entry of a folding as a graph of its own, with the inputs of the original graph. The
// tensors that are cached become CONSTs. Error kBadInput: the stages before the entry read
// arguments, so that the cached values are not known. Error kUnsupported: they cannot be executed.
Result<Graph> FoldedGraph(const Folding& folding, const ExecutionOptions& options = {});

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "folding.h"
#include "folding_fault.h"
#include "mutants.h"

namespace assay {

// The mistakes of FoldFault that need more than a branch in the correct code. With any other fault,
// these functions change nothing.

// Returns the graph to be folded with one of these faults: a simplification that does not hold, or
// results that blocks compute from CONSTs, computed before the blocks run.
Graph Rewritten(const Graph& graph, FoldFault fault);

// Returns the attributes to copy to another graph. If `are_lost`, flags, axes and other attributes
// are reset.
Attributes Carried(const Attributes& attributes, bool are_lost);

// Changes a stage of folding when it is built.
void Spoil(Graph& stage, FoldStage which, FoldFault fault);

// Makes the entry return zeros for outputs that are cached.
void ForgetCachedOutputs(Graph& entry, size_t arguments);

// Changes the results that a stage has computed.
void Spoil(std::vector<Tensor>& results, FoldStage which, FoldFault fault);

// Returns the mutant that computes at compile time in place of the executor, or null for the
// executor.
const Mutant* EvaluatorOf(FoldFault fault);

// Returns the compile-time stage with fp32 in place of fp16 and bf16. Results are rounded at the
// end.
Graph WithoutRounding(const Graph& stage);

}  // namespace assay

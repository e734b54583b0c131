#pragma once

#include <vector>

#include "folding.h"
#include "folding_fault.h"
#include "mutants.h"

namespace assay {

// The mistakes of FoldFault that take more than a branch where things are done rightly. Without a
// fault of theirs they change nothing.

// A graph before it is folded, with simplifications that do not hold, or what its blocks compute of
// CONSTs computed before they run.
Graph Rewritten(const Graph& graph, FoldFault fault);

// Attributes on their way to another graph.
Attributes Carried(const Attributes& attributes, bool are_lost);

// A stage of folding, as it is built.
void Spoil(Graph& stage, FoldStage which, FoldFault fault);

// The entry, with zeros for outputs that are cached.
void ForgetCachedOutputs(Graph& entry, size_t arguments);

// What a stage has computed.
void Spoil(std::vector<Tensor>& results, FoldStage which, FoldFault fault);

// What computes in place of the executor at compile time; null: the executor.
const Mutant* EvaluatorOf(FoldFault fault);

// The stage of compile time with fp32 for all narrower floats, rounded at the end.
Graph WithoutRounding(const Graph& stage);

}  // namespace assay

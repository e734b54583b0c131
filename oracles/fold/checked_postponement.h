#pragma once

#include <string>

#include "executor.h"
#include "folding.h"
#include "named_graph.h"

namespace assay {

// Applies a postponement to a graph, after it has seen that the result is the same for all inputs,
// bit by bit: "" if so, otherwise what stands against it, and the graph is as it was.
//
// An element of an expansion E(x) is an element of x, whichever, or a constant outside of x; the
// element-wise f computes with elements alone. So f(E(x), p) = E(f(x, p')) if wherever two elements
// of E(x) are the same of x, f sees the same of p with them; if f is defined for what E leaves out;
// and if nobody else reads E(x). (Or, for widening casts, if f gives on the narrow type just what
// it gives on the wide one.) `postponed` is the graph after all postponements: from it comes the
// type of what f gives now.
std::string Postpone(NamedGraph& graph, const Postponement& postponement,
                     const NamedGraph& postponed, const ExecutionOptions& options);

}  // namespace assay

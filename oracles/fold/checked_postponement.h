// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "executor.h"
#include "folding.h"
#include "named_graph.h"

namespace assay {

// Applies a postponement to a graph, after checking that the result is the same for all inputs, bit
// by bit. Returns "" if so. Otherwise returns the objection, and leaves the graph unchanged.
//
// Each element of an expansion E(x) is some element of x, or a constant from outside of x. The
// element-wise f computes with single elements. So f(E(x), p) = E(f(x, p')) if three conditions
// hold. Wherever two elements of E(x) are the same element of x, f sees the same of p with them. f
// is defined for what E leaves out. Nothing else reads E(x). (Or, for widening casts, f gives on
// the narrow type exactly what it gives on the wide one.) `postponed` is the graph after all
// postponements; it provides the type of the new result of f.
std::string Postpone(NamedGraph& graph, const Postponement& postponement,
                     const NamedGraph& postponed, const ExecutionOptions& options);

}  // namespace assay

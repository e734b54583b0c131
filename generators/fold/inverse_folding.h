// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "choices.h"
#include "generator_options.h"
#include "graph.h"

namespace assay {

// Does the inverse of folding: computes values of the graph's main block once more by operators
// that undo each other, and constants from other constants. All of it must fold back: the result
// has the same meaning for all inputs. If `wrongly`, one operator does not undo the other, and the
// result differs for some inputs, perhaps not for those that a test tries. The graph must have no
// control flow and no state. Returns nullopt if the graph has no place for it.
std::optional<Graph> Unfold(const Graph& graph, Choices& choices, const GeneratorOptions& options,
                            bool wrongly);

}  // namespace assay

#pragma once

#include <optional>

#include "choices.h"
#include "generator_options.h"
#include "graph.h"

namespace assay {

// The inverse of folding: values of the graph's main block are computed once more by operators that
// undo each other, constants from others. All of it must fold back: the result means the same for
// all inputs. If `wrongly`, one of them does not undo the other, and the result differs (for some
// inputs, perhaps not for all that one happens to look at). Of graphs without control flow and
// state. Nothing if there is no place for it.
std::optional<Graph> Unfold(const Graph& graph, Choices& choices, const GeneratorOptions& options,
                            bool wrongly);

}  // namespace assay

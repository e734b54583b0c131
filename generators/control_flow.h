#pragma once

#include <functional>

#include "menu.h"

namespace assay {

// Adds a COND_IF whose branches keep the types of what they are given, and whose condition a
// backend cannot see at compile time (or, at times, can). False if it does not fit.
bool GrowCondIf(GraphBuilder& builder, const Menu& menu, int depth);

// Adds a WHILE_LOOP over a counter with a hidden number of rounds (0, 1, 2, ... 5): it ends by
// construction. False if it does not fit.
bool GrowWhileLoop(GraphBuilder& builder, const Menu& menu, int depth);

// Adds a WHILE_LOOP over a counter from 0 to `rounds` and nothing else, for the sake of what
// `each_round` adds to its body, where fresh operands are constants: the final counter.
ValueIndex AddCountedLoop(GraphBuilder& builder, int64_t rounds,
                          const std::function<void(GraphBuilder& body)>& each_round);

// One operator on a value that gives back its type and shape: arithmetic with a fresh or known
// operand, negation, reversal...; IDENTITY if nothing else fits, and the value itself if not even
// that.
ValueIndex GrowPreserving(GraphBuilder& builder, const Menu& menu, ValueIndex value);

// Whether the options allow control flow at all.
bool AllowsControlFlow(const GeneratorOptions& options);

}  // namespace assay

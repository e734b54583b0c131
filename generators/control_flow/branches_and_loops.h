#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "allowed_operators.h"

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
// The same with one of these operators.
ValueIndex GrowPreserving(GraphBuilder& builder, const Menu& menu, ValueIndex value,
                          std::span<const Op> operators);

// The region that holds a block, both of that name.
Region RegionOf(Block block, const std::string& name);
// A name that no region of the builder has: `what` with a number.
std::string NextRegionName(const GraphBuilder& builder, std::string_view what);

// Adds a COND_IF or WHILE_LOOP on values of the pool, whose regions the builder has; the executor
// evaluates it. The first of its results, which have the given types, or -1, with nothing changed,
// if it is not valid or hangs on what the specification leaves open.
ValueIndex AddControlFlow(GraphBuilder& builder, Operator op, std::span<const TensorType> results);
// The same of a WHILE_LOOP some rounds of which have run already: `carried` is what they left.
ValueIndex AddLoopFrom(GraphBuilder& builder, Operator op, std::vector<BoundTensor> carried);

// Whether the options allow control flow at all.
bool AllowsControlFlow(const GeneratorOptions& options);

}  // namespace assay

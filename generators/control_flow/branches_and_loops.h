// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "allowed_operators.h"

namespace assay {

// Adds a COND_IF whose branches keep the types of their operands. Its condition is mostly unknown
// to a backend at compile time, sometimes known. Returns false if the operator does not fit.
bool GrowCondIf(GraphBuilder& builder, const Menu& menu, int depth);

// Adds a WHILE_LOOP over a counter with a hidden number of rounds (0, 1, 2, ... 5): it ends by
// construction. Returns false if the operator does not fit.
bool GrowWhileLoop(GraphBuilder& builder, const Menu& menu, int depth);

// Adds a WHILE_LOOP over a counter from 0 to `rounds` and nothing else. Its purpose is what
// `each_round` adds to its body, where fresh operands are constants. Returns the final counter.
ValueIndex AddCountedLoop(GraphBuilder& builder, int64_t rounds,
                          const std::function<void(GraphBuilder& body)>& each_round);

// Adds one operator that keeps the type and shape of a value: arithmetic with a fresh or known
// operand, negation, reversal... Adds IDENTITY if no other operator fits. Returns its result, or
// the value itself if IDENTITY does not fit either.
ValueIndex GrowPreserving(GraphBuilder& builder, const Menu& menu, ValueIndex value);
// Does the same with one of these operators.
ValueIndex GrowPreserving(GraphBuilder& builder, const Menu& menu, ValueIndex value,
                          std::span<const Op> operators);

// Returns a region that holds a block; both have that name.
Region RegionOf(Block block, const std::string& name);
// Returns a name that no region of the builder has: `what` with a number.
std::string NextRegionName(const GraphBuilder& builder, std::string_view what);

// Adds a COND_IF or WHILE_LOOP on values of the pool; the builder must have its regions. The
// executor evaluates it. Returns the first of its results, which have the given types. Returns
// none, with nothing changed, if the operator is not valid or depends on what the specification
// leaves open.
MaybeValue AddControlFlow(GraphBuilder& builder, Operator op, std::span<const TensorType> results);
// Does the same for a WHILE_LOOP some rounds of which have run already; `carried` holds their
// results.
MaybeValue AddLoopFrom(GraphBuilder& builder, Operator op, std::vector<BoundTensor> carried);

// Returns true if the options allow control flow.
bool AllowsControlFlow(const GeneratorOptions& options);

}  // namespace assay

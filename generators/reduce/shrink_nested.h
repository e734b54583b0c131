// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shrink_moves.h"

namespace assay {

// Shrink moves on control flow, anywhere in a graph. A block is named by its number in AllBlocks(),
// an operator by its position in its block. Blocks may be shared, and may run each other and
// themselves. If a block changes, every operator that runs the block changes with it, so that they
// still fit. As with the other moves, the expectation must still be computed.
// Returns the main block of a graph, followed by NestedBlocks().
std::vector<Block*> AllBlocks(Graph& graph);

// Replaces a COND_IF by one of its branches, the then-branch if `first`. Replaces a WHILE_LOOP by
// its body in either case.
Candidate InlineBlock(const TestVector& vector, int32_t graph, size_t block, size_t op, bool first);

// Drops an operand that COND_IF or WHILE_LOOP hands to its blocks; its readers there read zeros. A
// loop loses the matching result as well, and the operand stands in for it. Returns nullopt if a
// COND_IF would lose a result that is read.
Candidate DropHandedIn(const TestVector& vector, int32_t graph, size_t block, size_t op,
                       size_t operand);

// Drops a result of COND_IF that nothing reads. No other COND_IF that runs its blocks may have a
// reader of that result either.
Candidate DropUnread(const TestVector& vector, int32_t graph, size_t block, size_t op,
                     size_t result);

// Drops operator `op` of a block that control flow runs. `number` selects what stands in for its
// results: the operand at that position; after the operands an input of the block, then zeros.
// Returns nullopt if the types differ or `number` is too large.
Candidate DropNested(const TestVector& vector, int32_t graph, size_t block, size_t op,
                     size_t number);

}  // namespace assay

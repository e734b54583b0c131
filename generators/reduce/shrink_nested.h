#pragma once

#include "shrink_moves.h"

namespace assay {

// Shrink moves on control flow, wherever it stands. A block is named by its number in AllBlocks(),
// an operator by its position in its block. Blocks may be shared, and run each other and
// themselves: whatever runs a block that changes, changes with it, so that operators still fit the
// blocks that they run. As with the other moves, the expectation still has to be worked out.

// The main block of a graph, then NestedBlocks().
std::vector<Block*> AllBlocks(Graph& graph);

// COND_IF becomes what one of its branches does, `first` the then-branch; WHILE_LOOP becomes what
// its body does (`first` or not).
Candidate InlineBlock(const TestVector& vector, int32_t graph, size_t block, size_t op, bool first);

// Without an operand that COND_IF or WHILE_LOOP hands to its blocks: those that read it read zeros.
// A loop loses the result as well; what the operand was stands in for it. Nothing if that is the
// result of a COND_IF that is read.
Candidate DropHandedIn(const TestVector& vector, int32_t graph, size_t block, size_t op,
                       size_t operand);

// Without a result of COND_IF that nothing reads, also of no other COND_IF that runs its blocks.
Candidate DropUnread(const TestVector& vector, int32_t graph, size_t block, size_t op,
                     size_t result);

// Without operator `op` of a block that control flow runs. What stands in for each result is an
// operand of its type, in the order of their number; after these an input of the block, then zeros.
// Nothing for a number beyond.
Candidate DropNested(const TestVector& vector, int32_t graph, size_t block, size_t op,
                     size_t number);

}  // namespace assay

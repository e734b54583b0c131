// SPDX-License-Identifier: Apache-2.0
#include "liveness_fault.h"

namespace assay {
namespace {

using enum LivenessFault;

constexpr LivenessFaultRow kRows[] = {
    {kEndsEarly, "ends-early", "a buffer is dead at its last read"},
    {kStartsLate, "starts-late", "a buffer becomes live only after the operator that writes it"},
    {kEndsAtFirstRead, "ends-at-first-read", "a buffer is dead after its first reader"},
    {kInputsFromFirstRead, "inputs-from-first-read",
     "graph inputs become live only at their first read"},
    {kOutputsToLastAccess, "outputs-to-last-access",
     "graph outputs are dead after the last operator that uses them"},
    {kUnreadNotLive, "unread-not-live", "results that nothing reads have no live range"},
    {kScratchForgotten, "scratch-forgotten", "the scratch memory of operators has no live range"},
    {kConstantsDie, "constants-die",
     "constants are live only from their operator to their last reader"},
    {kVariablesDie, "variables-die",
     "variables are live at the operators that use them, but not in between"},
    {kOperandsOfBlocksLost, "operands-of-blocks-lost",
     "operands that control flow passes to a block are not live in it"},
    {kResultsNotYetLive, "results-not-yet-live", "results of a loop are live only from its end"},
    {kSecondRunForgotten, "second-run-forgotten",
     "buffers of a block that runs from two places are live only in the first run"},
    {kSharesWithReaders, "shares-with-readers",
     "a result shares memory with an operand that others read later"},
    {kSharesWithOthers, "shares-with-others",
     "a result shares memory with an operand that belongs to the block's caller"},
    {kSharesAnySize, "shares-any-size", "a result shares memory with an operand of another size"},
    {kViewsForgotten, "views-forgotten", "reading a view does not keep its base buffer live"},
    {kElementsForBytes, "elements-for-bytes", "sizes count elements, not bytes"},
    {kFirstDimensionLost, "first-dimension-lost", "sizes leave out the first dimension"},
    {kSizeInSixteens, "size-in-sixteens", "sizes are rounded down to a multiple of 16"},
};

}  // namespace

std::span<const LivenessFaultRow> AllLivenessFaults() { return kRows; }

}  // namespace assay

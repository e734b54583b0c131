#include "liveness_fault.h"

namespace assay {
namespace {

using enum LivenessFault;

constexpr LivenessFaultRow kRows[] = {
    {kEndsEarly, "ends-early", "a buffer is dead where it is read last"},
    {kStartsLate, "starts-late", "a buffer is live from behind the operator that makes it"},
    {kEndsAtFirstRead, "ends-at-first-read", "a buffer is dead behind its first reader"},
    {kInputsFromFirstRead, "inputs-from-first-read",
     "inputs of the graph are live from where they are read"},
    {kOutputsToLastAccess, "outputs-to-last-access",
     "outputs of the graph are dead behind the last operator on them"},
    {kUnreadNotLive, "unread-not-live", "results that nothing reads need no memory"},
    {kScratchForgotten, "scratch-forgotten", "operators need nothing beside operands and results"},
    {kConstantsDie, "constants-die",
     "constants are live from where they are made to their last reader"},
    {kVariablesDie, "variables-die",
     "variables are live at one operator after the other, not between"},
    {kOperandsOfBlocksLost, "operands-of-blocks-lost",
     "what control flow hands to a block is not live in it"},
    {kResultsNotYetLive, "results-not-yet-live", "the results of a loop are live from its end"},
    {kSecondRunForgotten, "second-run-forgotten",
     "a block that is run from two places is live in the first one alone"},
    {kSharesWithReaders, "shares-with-readers",
     "a result lies on an operand that others are still to read"},
    {kSharesWithOthers, "shares-with-others",
     "a result lies on an operand that belongs to whoever runs the block"},
    {kSharesAnySize, "shares-any-size", "a result lies on an operand of another size"},
    {kViewsForgotten, "views-forgotten", "readers of a view do not keep what it is a view of"},
    {kElementsForBytes, "elements-for-bytes", "sizes are counts of elements"},
    {kFirstDimensionLost, "first-dimension-lost", "sizes leave the first dimension out"},
    {kSizeInSixteens, "size-in-sixteens", "sizes are rounded down to a multiple of 16"},
};

}  // namespace

std::span<const LivenessFaultRow> AllLivenessFaults() { return kRows; }

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

// Ways in which the memory problem of a graph can be made wrong on purpose: the mistakes that
// planners were seen to make when they work out what is live when, how large, and what shares
// bytes. A plan for such a problem corrupts data.
enum class LivenessFault : uint8_t {
  kNone,
  kEndsEarly,             // a buffer is dead where it is read last
  kStartsLate,            // a buffer is live from behind the operator that makes it
  kEndsAtFirstRead,       // a buffer is dead behind its first reader
  kInputsFromFirstRead,   // inputs of the graph are live from where they are read
  kOutputsToLastAccess,   // outputs of the graph are dead behind the last operator on them
  kUnreadNotLive,         // results that nothing reads need no memory
  kScratchForgotten,      // operators need nothing beside operands and results
  kConstantsDie,          // constants are live from where they are made to their last reader
  kVariablesDie,          // variables are live at one operator after the other, not between
  kOperandsOfBlocksLost,  // what control flow hands to a block is not live in it
  kResultsNotYetLive,     // the results of a loop are live from its end
  kSecondRunForgotten,    // a block that is run from two places is live in the first one alone
  kSharesWithReaders,     // a result lies on an operand that others are still to read
  kSharesWithOthers,      // a result lies on an operand that belongs to whoever runs the block
  kSharesAnySize,         // a result lies on an operand of another size
  kViewsForgotten,        // readers of a view do not keep what it is a view of
  kElementsForBytes,      // sizes are counts of elements
  kFirstDimensionLost,    // sizes leave the first dimension out
  kSizeInSixteens,        // sizes are rounded down to a multiple of 16
};

struct LivenessFaultRow {
  LivenessFault fault;
  std::string_view name;  // "ends-early"
  std::string_view what;
};

std::span<const LivenessFaultRow> AllLivenessFaults();  // without kNone
std::optional<LivenessFault> LivenessFaultByName(std::string_view name);

}  // namespace assay

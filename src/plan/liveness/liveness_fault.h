#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

// Ways in which the memory problem of a graph can be made wrong on purpose: the mistakes that
// planners were seen to make when they work out what is live when, how large, and what shares
// bytes. A plan for such a problem corrupts data. AllLivenessFaults() says what each of them is.
// clang-format off
enum class LivenessFault : uint8_t {
  kNone, kEndsEarly, kStartsLate, kEndsAtFirstRead, kInputsFromFirstRead, kOutputsToLastAccess,
  kUnreadNotLive, kScratchForgotten, kConstantsDie, kVariablesDie, kOperandsOfBlocksLost,
  kResultsNotYetLive, kSecondRunForgotten, kSharesWithReaders, kSharesWithOthers, kSharesAnySize,
  kViewsForgotten, kElementsForBytes, kFirstDimensionLost, kSizeInSixteens,
};
// clang-format on

struct LivenessFaultRow {
  LivenessFault fault;
  std::string_view name;  // "ends-early"
  std::string_view what;
};

std::span<const LivenessFaultRow> AllLivenessFaults();  // without kNone

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

// The mistakes that can be put into the memory problem of a graph on purpose. They were seen in
// planners, in the computation of live ranges, sizes and shared bytes. A plan for such a problem
// corrupts data. AllLivenessFaults() describes each of them.
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

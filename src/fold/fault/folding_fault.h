// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

// The mistakes that can be put into folding, and into the cache of folded tensors, on purpose. They
// are mistakes that were seen in compilers and runtimes. AllFoldFaults() describes each of them.
// clang-format off
enum class FoldFault : uint8_t {
  kNone,
  // Analysis: the constness of values.
  kAnyOperand, kFirstOperandOnly, kArgumentShifted, kRuntimeAsCompileTime, kConditionIgnored,
  kLoopByOneOperand, kBlocksNotSearched, kHoistedFromBlocks, kVariablesConstant, kWritesFolded,
  kCustomFolded, kNoOperandsConstant,
  // Partition: the stage in which a value is computed.
  kNothingFolded, kFoldedStaysInEntry, kTooLargeNotFolded, kMixedAtCompileTime, kConstantsDropped,
  kFirstResultOnly, kResultsExchanged, kSharedByType, kReturnedNotBound, kAttributesLost,
  kResultTypeChanged, kOperandsCached, kWritesRemoved, kOrderVaries,
  // Size policy.
  kNoSizePolicy, kLimitExcluded, kCrossingUnsized, kSizeInElements, kSubByteIsNothing,
  // Postponed expansion.
  kConcatFirstOnly, kMovedWithoutAttributes, kOtherReadersForgotten, kExpandedFirst, kPadValueKept,
  kPartnerCutOff, kPadPastReduction, kBilinearMoved, kPadPastReverse, kGatherPastPartial,
  // Rewriting, and the arithmetic of folding.
  kTimesZeroIsZero, kMinusItselfIsZero, kSplatsByValue, kFoldsBoolSigned, kFoldsWrapping,
  kFoldsInFp64, kFoldsFlushing, kFoldsMulTruncating, kRuntimeFoldsFlushing,
  // The cache of folded tensors.
  kIndicesRestart, kContextNotInKey, kWeightsNotInKey, kWeightsByAddress, kWeightsByFirstBytes,
  kFoldedPerModule, kFoldedEveryRun, kCountedOnFailure, kEvictionIgnored, kPartlyEvicted,
  kFreedInUse, kPublishedEarly, kFilledInPlace, kFailureRemembered, kCapacityLeaks,
  kFullGivesNothing, kEntryWritesCache, kOutputIsCache, kViewOfWeights, kMisaligned, kFreedAfterRun,
  kMemoryReused, kPackedByFold, kIndicesByGraph,
};
// clang-format on

struct FoldFaultRow {
  FoldFault fault;
  std::string_view name;  // "indices-restart"
  std::string_view what;
};

// A mistake that other folders make, and the reason why it cannot be made here.
struct UnmadeFoldFaultRow {
  std::string_view name;
  std::string_view what;
  std::string_view why;
};

std::span<const FoldFaultRow> AllFoldFaults();  // without kNone
std::span<const UnmadeFoldFaultRow> UnmadeFoldFaults();

}  // namespace assay

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

// Ways in which folding, and the cache of what was folded, can be made wrong on purpose: the
// mistakes that compilers and runtimes were seen to make. AllFoldFaults() says what each of them
// is.
// clang-format off
enum class FoldFault : uint8_t {
  kNone,
  // Analysis: how constant values are.
  kAnyOperand, kFirstOperandOnly, kArgumentShifted, kRuntimeAsCompileTime, kConditionIgnored,
  kLoopByOneOperand, kBlocksNotSearched, kHoistedFromBlocks, kVariablesConstant, kWritesFolded,
  kCustomFolded, kNoOperandsConstant,
  // Partition: what is computed where.
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

// A mistake that folders make elsewhere, and why none can be made here.
struct UnmadeFoldFaultRow {
  std::string_view name;
  std::string_view what;
  std::string_view why;
};

std::span<const FoldFaultRow> AllFoldFaults();  // without kNone
std::span<const UnmadeFoldFaultRow> UnmadeFoldFaults();

}  // namespace assay

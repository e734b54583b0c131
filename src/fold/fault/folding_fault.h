// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "folding.h"

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

// A graph to fold, with what a fault may change of it.
struct UnfoldedGraph {
  Graph graph;
  std::vector<Constness> arguments;
  SizePolicy policy;
  std::set<std::string> pure_domains;  // of CUSTOM operators
};

// The function that makes a fault, in the input of a correct folding or in its result. Both are
// null for a fault that is a branch in the code that it breaks.
struct FoldChange {
  void (*input)(UnfoldedGraph& input) = nullptr;
  void (*folding)(Folding& folding) = nullptr;
};

struct FoldFaultRow {
  FoldFault fault;
  std::string_view name;  // "indices-restart"
  std::string_view what;
  FoldChange change = {};
};

std::span<const FoldFaultRow> AllFoldFaults();  // without kNone

// Make a fault that is made from outside. Other faults change nothing.
void ChangeInput(FoldFault fault, UnfoldedGraph& input);
void ChangeFolding(FoldFault fault, Folding& folding);

}  // namespace assay

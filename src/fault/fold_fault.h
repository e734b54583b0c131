#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

// Ways in which folding, and the cache of what was folded, can be made wrong on purpose: the
// mistakes that compilers and runtimes were seen to make.
enum class FoldFault : uint8_t {
  kNone,
  // The cache of folded tensors.
  kIndicesRestart,       // global indices start anew for each module
  kContextNotInKey,      // contexts with the same weights share buffers
  kWeightsNotInKey,      // what was folded of other weights is found
  kWeightsByAddress,     // weights are told apart by where they lie
  kWeightsByFirstBytes,  // weights are told apart by their first eight bytes
  kFoldedPerModule,      // folded once for a module, whatever the context
  kFoldedEveryRun,       // never looked up
  kCountedOnFailure,     // a fold that failed counts as done
  kEvictionIgnored,      // what was evicted is used as if it were there
  kPartlyEvicted,        // of several buffers, only the first is looked at
  kFreedInUse,           // eviction takes the bytes from those that use them
  kPublishedEarly,       // others see a buffer before it is filled
  kFilledInPlace,        // folding again writes to buffers that are in use
  kFailureRemembered,    // those that wait for a fold that fails, fail for ever
  kCapacityLeaks,        // what did not fit is counted as held
  kFullGivesNothing,     // what does not fit is not folded either
  kEntryWritesCache,     // an operator of the entry overwrites its operand
  kOutputIsCache,        // an output of the graph is the cached buffer itself
  kViewOfWeights,        // what is folded without moving an element is the caller's memory
};

struct FoldFaultRow {
  FoldFault fault;
  std::string_view name;  // "indices-restart"
  std::string_view what;
};

std::span<const FoldFaultRow> AllFoldFaults();  // without kNone
std::optional<FoldFault> FoldFaultByName(std::string_view name);

}  // namespace assay

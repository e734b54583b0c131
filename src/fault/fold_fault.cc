#include "fold_fault.h"

namespace assay {
namespace {

using enum FoldFault;

constexpr FoldFaultRow kRows[] = {
    {kIndicesRestart, "indices-restart", "global indices start anew for each module"},
    {kContextNotInKey, "context-not-in-key", "contexts with the same weights share buffers"},
    {kWeightsNotInKey, "weights-not-in-key", "what was folded of other weights is found"},
    {kWeightsByAddress, "weights-by-address", "weights are told apart by where they lie"},
    {kWeightsByFirstBytes, "weights-by-first-bytes",
     "weights are told apart by their first eight bytes"},
    {kFoldedPerModule, "folded-per-module", "folded once for a module, whatever the context"},
    {kFoldedEveryRun, "folded-every-run", "never looked up"},
    {kCountedOnFailure, "counted-on-failure", "a fold that failed counts as done"},
    {kEvictionIgnored, "eviction-ignored", "what was evicted is used as if it were there"},
    {kPartlyEvicted, "partly-evicted", "of several buffers, only the first is looked at"},
    {kFreedInUse, "freed-in-use", "eviction takes the bytes from those that use them"},
    {kPublishedEarly, "published-early", "others see a buffer before it is filled"},
    {kFilledInPlace, "filled-in-place", "folding again writes to buffers that are in use"},
    {kFailureRemembered, "failure-remembered",
     "a fold that fails once fails for ever for those that wanted the same"},
    {kCapacityLeaks, "capacity-leaks", "what did not fit is counted as held"},
    {kFullGivesNothing, "full-gives-nothing", "what does not fit is not folded either"},
    {kEntryWritesCache, "entry-writes-cache", "an operator of the entry overwrites its operand"},
    {kOutputIsCache, "output-is-cache", "an output of the graph is the cached buffer itself"},
    {kViewOfWeights, "view-of-weights",
     "what is folded without moving an element is the caller's memory"},
};

}  // namespace

std::span<const FoldFaultRow> AllFoldFaults() { return kRows; }

std::optional<FoldFault> FoldFaultByName(std::string_view name) {
  for (const FoldFaultRow& row : kRows) {
    if (row.name == name) return row.fault;
  }
  return std::nullopt;
}

}  // namespace assay

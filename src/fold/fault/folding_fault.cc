#include "folding_fault.h"

namespace assay {
namespace {

using enum FoldFault;

constexpr FoldFaultRow kRows[] = {
    {kAnyOperand, "any-operand", "a value is constant if one operand is"},
    {kFirstOperandOnly, "first-operand-only", "a value is as constant as the first operand"},
    {kArgumentShifted, "argument-shifted", "the mark of an argument goes to the one before it"},
    {kRuntimeAsCompileTime, "runtime-as-compile-time",
     "run-time constants are taken for known at compile time"},
    {kConditionIgnored, "condition-ignored",
     "what COND_IF gives is constant whatever the condition is"},
    {kLoopByOneOperand, "loop-by-one-operand",
     "what WHILE_LOOP gives is as constant as its last operand"},
    {kBlocksNotSearched, "blocks-not-searched",
     "effects in the blocks of control flow are not seen"},
    {kHoistedFromBlocks, "hoisted-from-blocks",
     "constants of a block are folded, whether it is taken or not"},
    {kVariablesConstant, "variables-constant", "VARIABLE_READ gives a constant"},
    {kWritesFolded, "writes-folded", "VARIABLE_WRITE of a constant is folded, and so runs once"},
    {kCustomFolded, "custom-folded", "CUSTOM of constants is folded"},
    {kNoOperandsConstant, "no-operands-constant", "what has no operands is constant"},
    {kNothingFolded, "nothing-folded", "the entry computes everything"},
    {kFoldedStaysInEntry, "folded-stays-in-entry",
     "what is folded is computed in the entry as well"},
    {kTooLargeNotFolded, "too-large-not-folded",
     "what is too large to be cached is missing where others are folded of it"},
    {kMixedAtCompileTime, "mixed-at-compile-time",
     "what is computed of constants of both kinds is folded at compile time"},
    {kConstantsDropped, "constants-dropped",
     "the entry does without constant arguments that it reads"},
    {kFirstResultOnly, "first-result-only",
     "of several results of an operator, only the first is cached"},
    {kResultsExchanged, "results-exchanged", "folded tensors come to lie in the buffers of others"},
    {kSharedByType, "shared-by-type", "tensors of one type share a buffer"},
    {kReturnedNotBound, "returned-not-bound",
     "a folded tensor that is an output of the graph is zeros"},
    {kAttributesLost, "attributes-lost", "operators lose their attributes on the way to a stage"},
    {kResultTypeChanged, "result-type-changed", "a stage gives another type than the entry takes"},
    {kOperandsCached, "operands-cached", "a compile-time-constant operand is a cached tensor"},
    {kWritesRemoved, "writes-removed", "VARIABLE_WRITE of a folded value is taken for dead"},
    {kOrderVaries, "order-varies",
     "cached tensors have another order every time a graph is folded"},
    {kNoSizePolicy, "no-size-policy", "nothing is too large to be cached"},
    {kLimitExcluded, "limit-excluded", "what is exactly as large as it may be is not cached"},
    {kCrossingUnsized, "crossing-unsized", "what one stage hands to the next may be of any size"},
    {kSizeInElements, "size-in-elements", "sizes are counts of elements"},
    {kSubByteIsNothing, "sub-byte-is-nothing", "elements of less than eight bits take no byte"},
    {kConcatFirstOnly, "concat-first-only",
     "of the operands of CONCAT, only the first is computed with"},
    {kMovedWithoutAttributes, "moved-without-attributes",
     "the operator that moves loses its attributes"},
    {kOtherReadersForgotten, "other-readers-forgotten",
     "what was expanded has other readers, and they read what was not"},
    {kExpandedFirst, "expanded-first",
     "the operator that moves reads what was expanded as its first operand"},
    {kPadValueKept, "pad-value-kept", "the padding is not computed with"},
    {kPartnerCutOff, "partner-cut-off",
     "of a partner without repetition, the first period is taken for all"},
    {kPadPastReduction, "pad-past-reduction", "PAD moves past a reduction along another axis"},
    {kBilinearMoved, "bilinear-moved", "a bilinear RESIZE moves as if it moved elements"},
    {kPadPastReverse, "pad-past-reverse", "PAD moves past REVERSE with its sides as they are"},
    {kGatherPastPartial, "gather-past-partial",
     "GATHER moves past an operator that is not defined for what it leaves out"},
    {kTimesZeroIsZero, "times-zero-is-zero",
     "x * 0 is 0, also where x is NaN, infinite or negative"},
    {kMinusItselfIsZero, "minus-itself-is-zero", "x - x is 0, also where x is NaN or infinite"},
    {kSplatsByValue, "splats-by-value",
     "a tensor of equal elements is stored as one of them, and -0 equals 0"},
    {kFoldsBoolSigned, "folds-bool-signed", "CAST of true gives -1 at compile time"},
    {kFoldsWrapping, "folds-wrapping", "CAST wraps around at compile time"},
    {kFoldsInFp64, "folds-in-fp64", "sums and products are not rounded at compile time"},
    {kFoldsFlushing, "folds-flushing", "subnormal results are 0 at compile time"},
    {kFoldsMulTruncating, "folds-mul-truncating",
     "the shift of MUL does not round at compile time"},
    {kRuntimeFoldsFlushing, "runtime-folds-flushing",
     "subnormal results are 0 in the run-time stage alone"},
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
    {kMisaligned, "misaligned", "buffers are not aligned"},
    {kFreedAfterRun, "freed-after-run", "buffers are freed with the temporaries of an execution"},
    {kMemoryReused, "memory-reused", "the entry uses a buffer for its own tensors"},
    {kPackedByFold, "packed-by-fold",
     "folds store two elements of four bits in a byte, the entry reads one"},
    {kIndicesByGraph, "indices-by-graph", "modules of one graph have the same global indices"},
};

constexpr UnmadeFoldFaultRow kUnmade[] = {
    {"captures-ignored", "a block reads a tensor of the block that runs it, and nobody looks",
     "blocks read nothing but their inputs (graph/ERROR_IF/captured-tensor)"},
    {"block-scaled-moved", "TILE moves past a cast to a block-scaled type",
     "TOSA 1.0 has no block-scaled types"},
    {"offsets-in-elements", "offsets of cached tensors in one piece of memory count elements",
     "every cached tensor has memory of its own"},
    {"byte-order", "folds and entry disagree about the order of bytes",
     "both run in one process, on tensors of one layout"},
};

}  // namespace

std::span<const FoldFaultRow> AllFoldFaults() { return kRows; }

std::span<const UnmadeFoldFaultRow> UnmadeFoldFaults() { return kUnmade; }

std::optional<FoldFault> FoldFaultByName(std::string_view name) {
  for (const FoldFaultRow& row : kRows) {
    if (row.name == name) return row.fault;
  }
  return std::nullopt;
}

}  // namespace assay

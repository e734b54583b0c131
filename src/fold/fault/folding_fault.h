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
  // Analysis: how constant values are.
  kAnyOperand,            // a value is constant if one operand is
  kFirstOperandOnly,      // a value is as constant as the first operand
  kArgumentShifted,       // the mark of an argument goes to the one before it
  kRuntimeAsCompileTime,  // run-time constants are taken for known at compile time
  kConditionIgnored,      // what COND_IF gives is constant whatever the condition is
  kLoopByOneOperand,      // what WHILE_LOOP gives is as constant as its last operand
  kBlocksNotSearched,     // effects in the blocks of control flow are not seen
  kHoistedFromBlocks,     // constants of a block are folded, whether it is taken or not
  kVariablesConstant,     // VARIABLE_READ gives a constant
  kWritesFolded,          // VARIABLE_WRITE of a constant is folded, and so runs once
  kCustomFolded,          // CUSTOM of constants is folded
  kNoOperandsConstant,    // what has no operands is constant
  // Partition: what is computed where.
  kNothingFolded,       // the entry computes everything
  kFoldedStaysInEntry,  // what is folded is computed in the entry as well
  kTooLargeNotFolded,   // what is too large to be cached is missing where others are folded of it
  kMixedAtCompileTime,  // what is computed of constants of both kinds is folded at compile time
  kConstantsDropped,    // the entry does without constant arguments that it reads
  kFirstResultOnly,     // of several results of an operator, only the first is cached
  kResultsExchanged,    // folded tensors come to lie in the buffers of others
  kSharedByType,        // tensors of one type share a buffer
  kReturnedNotBound,    // a folded tensor that is an output of the graph is zeros
  kAttributesLost,      // operators lose their attributes on the way to a stage
  kResultTypeChanged,   // a stage gives another type than the entry takes
  kOperandsCached,      // a compile-time-constant operand is a cached tensor
  kWritesRemoved,       // VARIABLE_WRITE of a folded value is taken for dead
  kOrderVaries,         // cached tensors have another order every time a graph is folded
  // Size policy.
  kNoSizePolicy,      // nothing is too large to be cached
  kLimitExcluded,     // what is exactly as large as it may be is not cached
  kCrossingUnsized,   // what one stage hands to the next may be of any size
  kSizeInElements,    // sizes are counts of elements
  kSubByteIsNothing,  // elements of less than eight bits take no byte
  // Postponed expansion.
  kConcatFirstOnly,         // of the operands of CONCAT, only the first is computed with
  kMovedWithoutAttributes,  // the operator that moves loses its attributes
  kOtherReadersForgotten,   // what was expanded has other readers, and they read what was not
  kExpandedFirst,           // the operator that moves reads what was expanded as its first operand
  kPadValueKept,            // the padding is not computed with
  kPartnerCutOff,           // of a partner without repetition, the first period is taken for all
  kPadPastReduction,        // PAD moves past a reduction along another axis
  kBilinearMoved,           // a bilinear RESIZE moves as if it moved elements
  kPadPastReverse,          // PAD moves past REVERSE with its sides as they are
  kGatherPastPartial,  // GATHER moves past an operator that is not defined for what it leaves out
  // Rewriting, and the arithmetic of folding.
  kTimesZeroIsZero,       // x * 0 is 0, also where x is NaN, infinite or negative
  kMinusItselfIsZero,     // x - x is 0, also where x is NaN or infinite
  kSplatsByValue,         // a tensor of equal elements is stored as one of them, and -0 equals 0
  kFoldsBoolSigned,       // CAST of true gives -1 at compile time
  kFoldsWrapping,         // CAST wraps around at compile time
  kFoldsInFp64,           // sums and products are not rounded at compile time
  kFoldsFlushing,         // subnormal results are 0 at compile time
  kFoldsMulTruncating,    // the shift of MUL does not round at compile time
  kRuntimeFoldsFlushing,  // subnormal results are 0 in the run-time stage alone
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
  kMisaligned,           // buffers are not aligned
  kFreedAfterRun,        // buffers are freed with the temporaries of an execution
  kMemoryReused,         // the entry uses a buffer for its own tensors
  kPackedByFold,         // folds store two elements of four bits in a byte, the entry reads one
  kIndicesByGraph,       // modules of one graph have the same global indices
};

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
std::optional<FoldFault> FoldFaultByName(std::string_view name);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "operator.h"
#include "verdict.h"

namespace assay {

// Mutants: variants of the executor, each with one fault in the kernel of one operator. A suite is
// as good as the mutants that it kills. A mutant is a twist, which is a kind of kernel fault,
// applied to an operator. The twist changes the checks, the operands that the kernel reads, the
// words with which it calculates, its results, or control flow and state.

enum class Twist : uint8_t {
  kNone,
  kRuleOverlooked,  // the static part accepts what breaks `rule`

  // --- operands that the kernel reads. `a` and `b` are positions of operands.
  kOperandsExchanged,       // a and b
  kOperandZeroed,           // every element is 0
  kOperandFirstOnly,        // every element is element 0
  kOperandShifted,          // element i is element i + 1, the last one element 0
  kOperandReversed,         // last element first
  kOperandPairsExchanged,   // elements 2i and 2i + 1
  kOperandHalvesExchanged,  // the second half comes first
  kOperandBatchRepeated,    // along dimension 0 the first slice is repeated
  kOperandIncremented,      // integers: 1 more, at most the type's maximum
  kOperandDecremented,      // integers: 1 less, at least the type's minimum
  kOperandNegated,          // the other sign
  kOperandMagnitude,        // without its sign
  kOperandUnsigned,         // the bits of a signed integer as an unsigned one
  kOperandInFp32,           // integers: rounded to fp32
  kOperandNarrow,           // floats: a significand of 11 bits for fp32, 8 for fp16, 7 for bf16
  kOperandLimited,          // floats: at most b, and at least -b
  kOperandLowBits,          // integers: the lowest b bits alone
  kOperandNanZero,          // NaN is 0
  kOperandInfinityFinite,   // an infinity is the greatest number of its sign
  kOperandZeroUnsigned,     // -0 is 0
  kZeroPointsZeroed,        // zero points of operands are 0
  kBroadcastTruncated,      // a stretched operand is 0 beyond as many elements as it has

  // --- attributes that the kernel reads: `attribute`, and entries `a` and `b` of a list.
  kAttributeSet,      // an integer or flag is `a`
  kFlagInverted,      // true for false
  kEntriesExchanged,  // a and b
  kEntriesReversed,   // last entry first
  kEntriesSet,        // every entry is `a`
  kPermsInverted,     // perms[i] = j for perms[j] = i
  kAxisNext,          // axis + 1, after the last one 0
  kBoundsSymmetric,   // CLAMP: min_val is -max_val
  kOffsetSet,         // RESIZE: offset and border of axis a are those without an offset
  kOffsetsExchanged,  // RESIZE: offset y and x, the sizes kept
  kChoicesExchanged,  // an enumeration is `b` for `a` and the other way round

  // --- words
  kStoreTruncates,       // a float result is rounded toward zero
  kStoreHalfAway,        // a float result halfway between two numbers goes away from zero
  kStoreFlushes,         // a subnormal float result is 0
  kRoundsTowardZero,     // ShiftRight, FloatToInteger, Ceil, Floor
  kRoundsDown,           // FloatToInteger
  kRoundsHalfUp,         // FloatToInteger
  kRoundsHalfAway,       // FloatToInteger
  kStoreSaturates,       // a float result beyond the type is its greatest number
  kResultNarrow,         // Store: significand as for kOperandNarrow
  kShiftsLogically,      // ShiftRight: zeros come in from the left, of 32 bits
  kShiftsOneLess,        // ShiftRight, ShiftLeft: by one less
  kRoundingTermLost,     // AddInteger: nothing is added
  kExtendsSign,          // ZeroExtend keeps the sign
  kTruncateSaturates,    // Truncate clips to the type
  kClipLowerLost,        // Clip, Max: no lower bound
  kClipUpperLost,        // Clip, Min: no upper bound
  kClipShort,            // Clip: the upper bound is one less
  kClipSymmetric,        // Clip: the lower bound is minus the upper one
  kClipWraps,            // Clip, FloatToInteger: what is out of range wraps around
  kCountsWide,           // CountLeadingZeros counts one bit more
  kLowBitLost,           // And, Or, Xor, Not: bit 0 of the result is 0
  kOrForXor,             // Or for Xor
  kXorForOr,             // Xor for Or
  kOrForAnd,             // Or for And
  kEqualForAnd,          // And of bools: whether they are equal
  kAddsInt32,            // AddInteger wraps to 32 bits
  kMultipliesInt32,      // MulInteger wraps to 32 bits
  kConditionInverted,    // Select, LogicalNot
  kLookupNext,           // Lookup reads one entry further on
  kUpdateNext,           // Update writes one entry further on
  kEqualMeansGreater,    // Greater holds for equal operands, GreaterEqual does not
  kNanCompares,          // a comparison with NaN holds
  kZerosDiffer,          // Equal: -0 is not 0
  kComparesMagnitude,    // Max, Min, ArgMax, comparisons: without the signs
  kMaxForMin,            // Max for Min, Min for Max
  kNanSecondLost,        // Max, Min: `a >= b ? a : b`, whatever is NaN
  kNanFirstLost,         // Max, Min: `b >= a ? b : a`, whatever is NaN
  kArgMin,               // ArgMax: the first minimum
  kArgMaxLast,           // ArgMax: the last maximum
  kArgMaxSkipsFirst,     // ArgMax: element 0 is no candidate
  kFirstTermLost,        // Dot, Sum, Product
  kLastTermLost,         // Dot, Sum, Product
  kLastTermTwice,        // Dot, Sum, Product
  kAccumulatesNarrow,    // Dot, Sum, Product: every running value, as for kOperandNarrow; integers:
                         // in 16 bits that wrap
  kAccumulatesFp16,      // Dot, Sum: running sums are fp16; overflow is infinite
  kAccumulatesUp,        // Dot, Sum: running sums of floats are rounded toward +infinity
  kAccumulatesShort,     // Dot, Sum: running sums of floats have three bits too few
  kAccumulatesInt32,     // Dot: running sums wrap to 32 bits
  kAccumulatesFp32,      // Dot, Sum: integers are summed in fp32
  kProductsNarrow,       // Dot: every product is rounded to the type of its operands
  kProductsMagnitude,    // Dot: the sign of the second factor is lost
  kBiasLost,             // Dot
  kBiasTwice,            // Dot
  kBiasSubtracted,       // Dot
  kProductStartsAtZero,  // Product
  kCountsPadding,        // Average, Sum of a pool: divided by the whole kernel
  kSumsInsteadOfAverage,  // Average, Sum of a pool: by nothing
  kCornersExchanged,      // Bilinear: v01 for v10
  kFractionLost,          // Bilinear: dy and dx are 0; TABLE's And: the fraction is 0
  kFractionOfOneAxis,     // Bilinear: dx is dy
  kTowardNext,            // Ceil: floor + 1, Floor: ceil - 1
  kThroughFp32,           // IntegerToFloat: rounded to fp32 on the way
  kOnlyOneIsTrue,         // Equal in a CAST to bool: what lies within -1..1 is false
  kDividesDown,           // DivInteger: toward minus infinity
  kDividesAway,           // DivInteger: away from zero

  // --- results of the kernel. `a` is the output.
  kLastLost,              // the last element stays 0
  kTailLost,              // elements beyond a multiple of 8 stay 0
  kBatchRepeated,         // along dimension 0 the first slice is repeated
  kLastTwoExchanged,      // the last two elements
  kRowsReversed,          // the last dimension runs backwards
  kColumnMajor,           // elements come in the order of the dimensions reversed
  kResultNegated,         // the other sign
  kResultsExchanged,      // outputs 0 and 1
  kResultInFp32,          // integers: rounded to fp32
  kResultNanZero,         // NaN is 0
  kResultInfinityFinite,  // an infinity is the greatest number of its sign
  kAddsOperand,           // what is not the element of operand a is added to it
  kRepeatsElements,       // TILE: every element as often as the tensor should be

  // --- control flow and state: in the interpreter
  kConditionNegated,      // COND_IF takes the other block
  kThenAlways,            // COND_IF
  kElseAlways,            // COND_IF
  kArgumentsReversed,     // two operands of one type at the ends are exchanged for the callee
  kOutputsReversed,       // the same of the results
  kArgumentStale,         // the last operand that is not the only one is 0 for the callee
  kBodyOnce,              // WHILE_LOOP: an if
  kBodyFirst,             // WHILE_LOOP: a do-while
  kLastIterationLost,     // WHILE_LOOP: the results are those before the last iteration
  kConditionStale,        // WHILE_LOOP: looks at the values before the iteration
  kLoopCarriesFirstOnly,  // WHILE_LOOP: only the first value is carried on
  kLoopStopsAtFour,       // WHILE_LOOP: four iterations at most
  kWriteLost,             // VARIABLE_WRITE, or IDENTITY to a variable tensor: after the first
  kWritesOnce,            // VARIABLE_WRITE: only the first of an execution
  kWritesFirstElement,    // VARIABLE_WRITE: the rest keeps its value
  kWritesEverywhere,      // VARIABLE_WRITE: to all variables of the type
  kReadsInitial,          // VARIABLE_READ: what the execution began with
  kReadsFirst,            // VARIABLE_READ: of the first variable of the type, by name
  kReadsZeroed,           // VARIABLE_READ: resets the variable to 0
  kInitialValueLost,      // VARIABLE: starts as 0
  kInitialValueFirst,     // VARIABLE: starts as element 0 of its value
  kInitialisesAgain,      // VARIABLE: in every execution
  kForgets,               // VARIABLE: state is lost between executions
  kContextsShared,        // VARIABLE: all contexts are one
  kWritesAllButLast,      // VARIABLE_WRITE: the last element keeps its value
  kWritesLeak,            // VARIABLE_WRITE: other contexts that know the variable see it, too
  kReadsFirstElement,     // VARIABLE_READ: element 0 everywhere
  kReadsLater,            // VARIABLE_READ: what it gave changes with a later write
  kSeenStays,             // VARIABLE: `seen` is not cleared between executions
  kSeenLost,              // VARIABLE: a declaration in a later execution leaves `seen` unset
  kRedeclares,            // VARIABLE: one of another type or shape makes the variable anew
  kVariablesOfGraph,      // VARIABLE: every graph has variables of its own
  kTwoBuffers,            // VARIABLE: two sets of variables, used in turns
  kForgetsUndeclared,     // VARIABLE: what an execution does not declare is lost at its end
  kTwoContexts,           // VARIABLE: there are two contexts, for even and odd numbers
  kContextReused,         // VARIABLE: a new context has the variables of the one used last
  kUntakenWrites,         // COND_IF: what the other block writes stays, too
  kWritesUndone,          // COND_IF, WHILE_LOOP: what is written inside is lost at the end
  kLastWritesUndone,      // WHILE_LOOP: what the last iteration writes is lost
  kNestedForgets,         // COND_IF, WHILE_LOOP: the blocks know no variables
};

// Tells whether a twist changes what one kernel does. A mutant with such a twist says whether it
// changes anything in a configuration of its operator (RunMutant()).
constexpr bool IsOfKernel(Twist twist) {
  return twist > Twist::kRuleOverlooked && twist < Twist::kConditionNegated;
}

// Tells whether a twist of the kernel of an element-wise operator changes each element of the
// result by itself, so that neither its place nor the shape matters.
constexpr bool IsOfElements(Twist twist) {
  const auto lies_in = [twist](Twist first, Twist last) { return first <= twist && twist <= last; };
  return twist == Twist::kOperandsExchanged || twist == Twist::kOperandZeroed ||
         lies_in(Twist::kOperandIncremented, Twist::kZeroPointsZeroed) ||
         twist == Twist::kAttributeSet || twist == Twist::kFlagInverted ||
         twist == Twist::kBoundsSymmetric || twist == Twist::kChoicesExchanged ||
         lies_in(Twist::kStoreTruncates, Twist::kDividesAway) || twist == Twist::kResultNegated ||
         lies_in(Twist::kResultInFp32, Twist::kResultInfinityFinite);
}

enum class OperatorClass : uint8_t {
  kUnary,
  kBinary,  // and ternary
  kActivation,
  kComparison,
  kReduction,
  kTensor,
  kLayout,
  kScatterGather,
  kImage,
  kConversion,
  kControlFlow,
  kState,
  kMixed,  // only for canaries
};
inline constexpr int kOperatorClassCount = 12;  // without kMixed
std::string_view OperatorClassName(OperatorClass operator_class);

// The parameters of a twist. The comment at the twist says which of them it reads.
struct TwistDetail {
  int a = 0, b = 1;
  AttributeId attribute = AttributeId::kAxis;
  std::string_view rule = "";
};

struct Mutant {
  std::string_view id;  // "conv2d/strides-exchanged"
  OperatorClass operator_class;
  Op op;  // in force while this operator runs
  Twist twist;
  TwistDetail detail;
  std::string_view what;
  // The reason, from the specification, why results cannot tell a backend with this fault from a
  // right one; else "".
  std::string_view equivalent = "";
  // For a canary: all operators for which it is in force, and the violation that a report shows. A
  // canary's kernels still check their REQUIREs; those of other mutants do not.
  std::span<const Op> operators = {};
  Violation violation = Violation::kValue;

  bool IsCanary() const { return !operators.empty(); }
  bool HoldsFor(Op other) const {
    return other == op || std::ranges::find(operators, other) != operators.end();
  }
};

// The minimum number of mutants in the table for each class. The comments at the rows give the
// present numbers.
struct MutantQuota {
  OperatorClass operator_class;
  int minimum;
};

std::span<const Mutant> AllMutants();
std::span<const MutantQuota> MutantQuotas();
const Mutant* MutantById(std::string_view id);  // null if there is none

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "canaries.h"

#include "types.h"

namespace assay {
namespace {

using enum Op;
using enum Twist;

constexpr TwistDetail kNanModes = {.a = static_cast<int>(NanMode::kPropagate),
                                   .b = static_cast<int>(NanMode::kIgnore),
                                   .attribute = AttributeId::kNanMode};

constexpr Mutant Canary(std::string_view name, std::span<const Op> operators, Twist twist,
                        const TwistDetail& detail, std::string_view what, Violation violation) {
  return {name, OperatorClass::kMixed, operators[0], twist, detail, what, "", operators, violation};
}

// Each list and each row is one line.
// clang-format off
constexpr Op kScaling[] = {kRescale, kMul, kAvgPool2d};
constexpr Op kSubtracting[] = {kSub};
constexpr Op kWriting[] = {kVariableWrite, kVariableRead, kIdentity};
constexpr Op kWithZeroPoints[] = {kConv2d, kConv3d, kDepthwiseConv2d, kTransposeConv2d, kMatmul, kAvgPool2d, kNegate, kRescale};
constexpr Op kWithNanModes[] = {kMaximum, kMinimum, kReduceMax, kReduceMin, kMaxPool2d, kClamp, kArgmax};
constexpr Op kBroadcasting[] = {kAdd, kSub, kMul, kMaximum, kMinimum, kPow, kIntdiv, kBitwiseAnd, kBitwiseOr, kBitwiseXor, kLogicalAnd, kLogicalOr, kLogicalXor, kEqual, kGreater, kGreaterEqual, kSelect, kLogicalLeftShift, kLogicalRightShift, kArithmeticRightShift};
constexpr Op kSumming[] = {kReduceSum, kReduceProduct, kMatmul, kConv2d, kConv3d, kDepthwiseConv2d, kTransposeConv2d, kAvgPool2d, kFft2d, kRfft2d};
constexpr Op kSummingFloats[] = {kReduceSum, kMatmul, kConv2d, kConv3d, kDepthwiseConv2d, kTransposeConv2d, kAvgPool2d, kFft2d, kRfft2d};
constexpr Op kSaturating[] = {kClamp, kCast, kRescale, kNegate, kAvgPool2d};
constexpr Op kCasting[] = {kCast};
constexpr Op kDividing[] = {kIntdiv};
constexpr Op kChoosing[] = {kArgmax};
constexpr Op kPadding[] = {kPad};
constexpr Op kRescaling[] = {kRescale};

constexpr Mutant kCanaryRows[] = {
    Canary("off-by-one-rounding", kScaling, kRoundingTermLost, {}, "scaling by multiplier and shift truncates instead of rounding", Violation::kValue),
    Canary("swapped-operands", kSubtracting, kOperandsExchanged, {.a = 0, .b = 1}, "SUB computes input2 - input1", Violation::kValue),
    Canary("stale-variable", kWriting, kWriteLost, {}, "a write to a variable is lost", Violation::kState),
    Canary("ignored-zero-point", kWithZeroPoints, kZeroPointsZeroed, {}, "input zero points are taken as 0", Violation::kValue),
    Canary("wrong-nan-mode", kWithNanModes, kChoicesExchanged, kNanModes, "PROPAGATE and IGNORE are exchanged", Violation::kValue),
    Canary("truncated-broadcast", kBroadcasting, kBroadcastTruncated, {}, "a stretched operand is read once and then as zero", Violation::kValue),
    Canary("dropped-last-element", kSumming, kLastTermLost, {}, "sums and products miss their last term", Violation::kValue),
    Canary("wrong-saturation", kSaturating, kClipWraps, {}, "clipping to a range wraps around instead", Violation::kValue),
    Canary("ties-away", kCasting, kRoundsHalfAway, {}, "CAST from float rounds halves away from zero", Violation::kValue),
    Canary("floor-division", kDividing, kDividesDown, {}, "INTDIV rounds toward minus infinity", Violation::kValue),
    Canary("last-index-wins", kChoosing, kArgMaxLast, {}, "ARGMAX returns the last of equal maxima", Violation::kValue),
    Canary("pad-with-zero", kPadding, kOperandZeroed, {.a = 2}, "PAD ignores pad_const", Violation::kValue),
    Canary("rounds-up", kSummingFloats, kAccumulatesUp, {}, "floating-point accumulators round toward +infinity", Violation::kStatistics),
    Canary("short-accumulator", kSummingFloats, kAccumulatesShort, {}, "floating-point accumulators keep three bits too few", Violation::kStatistics),
    Canary("missing-check", kRescaling, kRuleOverlooked, {.rule = "RESCALE/ERROR_IF/7"}, "RESCALE accepts an unsigned input together with an unsigned output", Violation::kOutcome),
};
// clang-format on

}  // namespace

std::span<const Mutant> AllCanaries() { return kCanaryRows; }

}  // namespace assay

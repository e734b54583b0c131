#include "canary_fault.h"

#include <array>

#include "check.h"

namespace assay {
namespace {

constexpr Op kScaling[] = {Op::kRescale, Op::kMul, Op::kAvgPool2d};
constexpr Op kSubtract[] = {Op::kSub};
constexpr Op kWrite[] = {Op::kVariableWrite, Op::kVariableRead, Op::kIdentity};
constexpr Op kZeroPoint[] = {Op::kConv2d,          Op::kConv3d, Op::kDepthwiseConv2d,
                             Op::kTransposeConv2d, Op::kMatmul, Op::kAvgPool2d,
                             Op::kNegate,          Op::kRescale};
constexpr Op kNan[] = {Op::kMaximum,   Op::kMinimum, Op::kReduceMax, Op::kReduceMin,
                       Op::kMaxPool2d, Op::kClamp,   Op::kArgmax};
constexpr Op kBroadcast[] = {Op::kAdd,
                             Op::kSub,
                             Op::kMul,
                             Op::kMaximum,
                             Op::kMinimum,
                             Op::kPow,
                             Op::kIntdiv,
                             Op::kBitwiseAnd,
                             Op::kBitwiseOr,
                             Op::kBitwiseXor,
                             Op::kLogicalAnd,
                             Op::kLogicalOr,
                             Op::kLogicalXor,
                             Op::kEqual,
                             Op::kGreater,
                             Op::kGreaterEqual,
                             Op::kSelect,
                             Op::kLogicalLeftShift,
                             Op::kLogicalRightShift,
                             Op::kArithmeticRightShift};
constexpr Op kTaps[] = {Op::kReduceSum, Op::kReduceProduct,   Op::kMatmul,          Op::kConv2d,
                        Op::kConv3d,    Op::kDepthwiseConv2d, Op::kTransposeConv2d, Op::kAvgPool2d,
                        Op::kFft2d,     Op::kRfft2d};
constexpr Op kFloatSums[] = {Op::kReduceSum, Op::kMatmul,          Op::kConv2d,
                             Op::kConv3d,    Op::kDepthwiseConv2d, Op::kTransposeConv2d,
                             Op::kAvgPool2d, Op::kFft2d,           Op::kRfft2d};
constexpr Op kSaturating[] = {Op::kClamp, Op::kCast, Op::kRescale, Op::kNegate, Op::kAvgPool2d};
constexpr Op kCast[] = {Op::kCast};
constexpr Op kIntdiv[] = {Op::kIntdiv};
constexpr Op kArgmax[] = {Op::kArgmax};
constexpr Op kPad[] = {Op::kPad};
constexpr Op kRescale[] = {Op::kRescale};

constexpr FaultRow kRows[] = {
    {Fault::kNone, "none", "nothing is wrong", {}, ""},
    {Fault::kRoundingOffByOne, "off-by-one-rounding",
     "scaling by multiplier and shift truncates instead of rounding", kScaling, "value"},
    {Fault::kSwappedOperands, "swapped-operands", "SUB computes input2 - input1", kSubtract,
     "value"},
    {Fault::kStaleVariable, "stale-variable", "a write to a variable is lost", kWrite, "state"},
    {Fault::kIgnoredZeroPoint, "ignored-zero-point", "input zero points are taken as 0", kZeroPoint,
     "value"},
    {Fault::kWrongNanMode, "wrong-nan-mode", "PROPAGATE and IGNORE are exchanged", kNan, "value"},
    {Fault::kTruncatedBroadcast, "truncated-broadcast",
     "a stretched operand is read once and then as zero", kBroadcast, "value"},
    {Fault::kDroppedLastElement, "dropped-last-element", "sums and products miss their last term",
     kTaps, "value"},
    {Fault::kWrongSaturation, "wrong-saturation", "clipping to a range wraps around instead",
     kSaturating, "value"},
    {Fault::kTiesAway, "ties-away", "CAST from float rounds halves away from zero", kCast, "value"},
    {Fault::kFloorDivision, "floor-division", "INTDIV rounds toward minus infinity", kIntdiv,
     "value"},
    {Fault::kLastIndexWins, "last-index-wins", "ARGMAX returns the last of equal maxima", kArgmax,
     "value"},
    {Fault::kPadWithZero, "pad-with-zero", "PAD ignores pad_const", kPad, "value"},
    {Fault::kRoundsUp, "rounds-up", "floating-point accumulators round toward +infinity",
     kFloatSums, "statistics"},
    {Fault::kShortAccumulator, "short-accumulator",
     "floating-point accumulators keep three bits too few", kFloatSums, "statistics"},
    {Fault::kMissingCheck, "missing-check",
     "RESCALE accepts an unsigned input together with an unsigned output", kRescale, "outcome"},
};

}  // namespace

std::span<const FaultRow> AllFaults() { return kRows; }

std::optional<Fault> FaultByName(std::string_view name) {
  for (const FaultRow& row : kRows) {
    if (row.name == name) return row.fault;
  }
  return std::nullopt;
}

const FaultRow& RowOf(Fault fault) {
  const FaultRow& row = kRows[static_cast<size_t>(fault)];
  Check(row.fault == fault, "fault rows are in the order of the enumeration");
  return row;
}

}  // namespace assay

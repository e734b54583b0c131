// SPDX-License-Identifier: Apache-2.0
#include "wire_fields.h"

#include <array>

#include "types.h"

namespace assay {

using enum AttributeId;

WireKind WireKindOf(AttributeId attribute) {
  switch (attribute) {
    case kInitialValue:
    case kName:
    case kType:
    case kValues:
    case kVarShape:
      return WireKind::kNone;
    case kInputUnsigned:
    case kInverse:
    case kLocalBound:
    case kOutputUnsigned:
    case kPerChannel:
    case kRound:
    case kScale32:
      return WireKind::kFlag;
    case kAxis:
      return WireKind::kInt;
    case kAccType:
    case kMode:
    case kNanMode:
    case kRoundingMode:
      return WireKind::kEnum;
    case kDilation:
    case kKernel:
    case kOutPad:
    case kPad:
    case kPerms:
    case kStride:
      return WireKind::kInts;
    case kBodyGraph:
    case kCondGraph:
    case kDomainName:
    case kElseGraph:
    case kOperatorName:
    case kThenGraph:
      return WireKind::kText;
    case kImplementationAttrs:
      return WireKind::kBytes;
    case kMaxVal:
    case kMinVal:
      return WireKind::kElement;
  }
  return WireKind::kNone;
}

uint32_t WireEnumMax(AttributeId attribute) {
  if (attribute == kAccType) return static_cast<uint32_t>(DType::kFp8e5m2);
  if (attribute == kRoundingMode) return static_cast<uint32_t>(RoundingMode::kDoubleRound);
  return 2;  // NanMode, ResizeMode
}

namespace {

constexpr AttributeId kAxisOnly[] = {kAxis};
constexpr AttributeId kNanModeOnly[] = {kNanMode};
constexpr AttributeId kAxisNanMode[] = {kAxis, kNanMode};
constexpr AttributeId kAvgPool[] = {kKernel, kStride, kPad, kAccType};
constexpr AttributeId kMaxPool[] = {kKernel, kStride, kPad, kNanMode};
constexpr AttributeId kConv[] = {kPad, kStride, kDilation, kLocalBound, kAccType};
constexpr AttributeId kTransposeConv[] = {kOutPad, kStride, kLocalBound, kAccType};
constexpr AttributeId kFft[] = {kInverse, kLocalBound};
constexpr AttributeId kRfft[] = {kLocalBound};
constexpr AttributeId kClamp[] = {kMinVal, kMaxVal, kNanMode};
constexpr AttributeId kShift[] = {kRound};
constexpr AttributeId kTranspose[] = {kPerms};
constexpr AttributeId kResize[] = {kMode};
constexpr AttributeId kRescale[] = {kScale32, kRoundingMode, kPerChannel, kInputUnsigned,
                                    kOutputUnsigned};
constexpr AttributeId kCustom[] = {kOperatorName, kDomainName, kImplementationAttrs};
constexpr AttributeId kCondIf[] = {kThenGraph, kElseGraph};
constexpr AttributeId kWhileLoop[] = {kCondGraph, kBodyGraph};

struct Row {
  Op op;
  std::span<const AttributeId> fields;
};

constexpr Row kRows[] = {
    {Op::kArgmax, kAxisNanMode},
    {Op::kAvgPool2d, kAvgPool},
    {Op::kConv2d, kConv},
    {Op::kConv3d, kConv},
    {Op::kDepthwiseConv2d, kConv},
    {Op::kFft2d, kFft},
    {Op::kMaxPool2d, kMaxPool},
    {Op::kRfft2d, kRfft},
    {Op::kTransposeConv2d, kTransposeConv},
    {Op::kClamp, kClamp},
    {Op::kArithmeticRightShift, kShift},
    {Op::kMaximum, kNanModeOnly},
    {Op::kMinimum, kNanModeOnly},
    {Op::kReduceAll, kAxisOnly},
    {Op::kReduceAny, kAxisOnly},
    {Op::kReduceMax, kAxisNanMode},
    {Op::kReduceMin, kAxisNanMode},
    {Op::kReduceProduct, kAxisOnly},
    {Op::kReduceSum, kAxisOnly},
    {Op::kConcat, kAxisOnly},
    {Op::kReverse, kAxisOnly},
    {Op::kTranspose, kTranspose},
    {Op::kResize, kResize},
    {Op::kRescale, kRescale},
    {Op::kCustom, kCustom},
    {Op::kCondIf, kCondIf},
    {Op::kWhileLoop, kWhileLoop},
};

using FieldsByOp = std::array<std::span<const AttributeId>, kOperatorCount + 1>;

constexpr FieldsByOp kFields = [] {
  FieldsByOp fields{};
  for (const Row& row : kRows) fields[static_cast<size_t>(row.op)] = row.fields;
  return fields;
}();

}  // namespace

std::span<const AttributeId> WireFields(Op op) { return kFields[static_cast<size_t>(op)]; }

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "native_kernels.h"

namespace assay {

NativeKernel NativeKernelOf(const Signature& signature) {
  switch (signature.op) {
    case Op::kConcat:
    case Op::kGather:
    case Op::kPad:
    case Op::kReverse:
    case Op::kScatter:
    case Op::kSlice:
    case Op::kTile:
    case Op::kTranspose:
      return NativeMove(signature);
    case Op::kAbs:
    case Op::kAdd:
    case Op::kClamp:
    case Op::kEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kMaximum:
    case Op::kMinimum:
    case Op::kMul:
    case Op::kNegate:
    case Op::kSelect:
    case Op::kSub:
      return NativeElementWise(signature);
    case Op::kCeil:
    case Op::kFloor:
    case Op::kReciprocal:
      return NativeRounding(signature);
    case Op::kBitwiseAnd:
    case Op::kBitwiseNot:
    case Op::kBitwiseOr:
    case Op::kBitwiseXor:
    case Op::kLogicalAnd:
    case Op::kLogicalNot:
    case Op::kLogicalOr:
    case Op::kLogicalXor:
      return NativeLogic(signature);
    case Op::kCast:
      return NativeCast(signature);
    case Op::kRescale:
      return NativeRescale(signature);
    case Op::kReduceAll:
    case Op::kReduceAny:
    case Op::kReduceMax:
    case Op::kReduceMin:
    case Op::kReduceProduct:
    case Op::kReduceSum:
      return NativeReduction(signature);
    case Op::kErf:
    case Op::kExp:
    case Op::kSigmoid:
    case Op::kTanh:
      return NativeTranscendental(signature);
    case Op::kConv2d:
    case Op::kConv3d:
    case Op::kTransposeConv2d:
      return NativeConvolution(signature);
    case Op::kDepthwiseConv2d:
      return NativeDepthwise(signature);
    case Op::kMatmul:
      return NativeMatmul(signature);
    case Op::kAvgPool2d:
      return NativeAvgPool(signature);
    case Op::kMaxPool2d:
      return NativeMaxPool(signature);
    default:
      return nullptr;
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "native_kernels.h"

namespace assay {

NativeKernel NativeKernelOf(const Signature& signature) {
  switch (signature.op) {
    case Op::kCast:
      return NativeCast(signature);
    case Op::kRescale:
      return NativeRescale(signature);
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
      break;
  }
  if (signature.inputs.empty()) return nullptr;
  // Each operator belongs to one family at most.
  for (const auto family : {NativeElementWise, NativeRounding, NativeLogic, NativeMove,
                            NativeReduction, NativeTranscendental}) {
    if (const NativeKernel kernel = family(signature)) return kernel;
  }
  return nullptr;
}

}  // namespace assay

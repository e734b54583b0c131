// SPDX-License-Identifier: Apache-2.0
#include "fused_shapes.h"

#include <algorithm>
#include <vector>

namespace assay {
namespace {

// A group of operators that backends fuse: at least one of `cores`, and any number of `partners`
// next to it.
struct FusedShape {
  std::vector<Op> cores;
  std::vector<Op> partners;
};

const std::vector<FusedShape>& FusedShapes() {
  static const std::vector<FusedShape> shapes = {
      // A dot product with bias, activation, rescale, residual addition, pooling and padding.
      {{Op::kConv2d, Op::kConv3d, Op::kDepthwiseConv2d, Op::kTransposeConv2d, Op::kMatmul},
       {Op::kAdd, Op::kClamp, Op::kRescale, Op::kSigmoid, Op::kTanh, Op::kErf, Op::kMul, Op::kCast,
        Op::kPad, Op::kAvgPool2d, Op::kMaxPool2d, Op::kTable, Op::kReshape, Op::kTranspose}},
      // Pooling.
      {{Op::kAvgPool2d, Op::kMaxPool2d},
       {Op::kPad, Op::kClamp, Op::kRescale, Op::kAdd, Op::kMul, Op::kCast}},
      // An addition or a multiplication with its activation.
      {{Op::kAdd, Op::kMul}, {Op::kClamp, Op::kRescale, Op::kCast}},
      // Attention and its softmax.
      {{Op::kMatmul, Op::kExp},
       {Op::kReduceMax, Op::kSub, Op::kReduceSum, Op::kReciprocal, Op::kMul, Op::kAdd}},
      // Softmax in parts, layer normalization.
      {{Op::kReduceSum, Op::kReduceMax, Op::kRsqrt, Op::kReciprocal},
       {Op::kSub, Op::kMul, Op::kAdd, Op::kExp}},
      // Gates.
      {{Op::kSigmoid, Op::kTanh, Op::kErf}, {Op::kMul, Op::kAdd, Op::kSub}},
  };
  return shapes;
}

bool Contains(const std::vector<Op>& list, Op op) {
  return std::ranges::find(list, op) != list.end();
}

}  // namespace

bool AreFusedInPractice(std::span<const Op> operators) {
  if (operators.size() < 2) return false;
  return std::ranges::any_of(FusedShapes(), [operators](const FusedShape& shape) {
    const auto is_core = [&shape](Op op) { return Contains(shape.cores, op); };
    const auto fits = [&](Op op) { return is_core(op) || Contains(shape.partners, op); };
    return std::ranges::any_of(operators, is_core) && std::ranges::all_of(operators, fits);
  });
}

}  // namespace assay

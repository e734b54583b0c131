// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

#include "numbered_checks.h"

namespace assay::ops {

AxisView::AxisView(const Shape& shape, int axis) : length(shape[axis]) {
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
}

bool InferReduction(const Signature& s, std::vector<TensorType>& outputs) {
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  if (axis < 0 || axis >= s.shape(0).rank()) return false;
  outputs.assign(1, s.inputs[0]);
  outputs[0].shape[axis] = 1;
  return true;
}

void CheckReduction(const Signature& s, const Level&, Judgement& j) {
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  NumberedChecks checks(s.op, j);
  checks.ErrorIf(axis < 0 || axis >= s.shape(0).rank());
  if (axis < 0 || axis >= std::min(s.shape(0).rank(), s.out_shape().rank())) return;
  checks.ErrorIf(s.out_shape()[axis] != 1);
}

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

#include "numbered_checks.h"

namespace assay::ops {

bool InferSameAsInput(const Signature& s, std::vector<TensorType>& outputs) {
  outputs.assign(1, s.inputs[0]);
  return true;
}

bool InferBroadcast(const Signature& s, std::vector<TensorType>& outputs) {
  outputs.assign(1, s.inputs[0]);
  return BroadcastShape(s.shape(0), s.shape(1), outputs[0].shape);
}

bool InferBroadcastToBool(const Signature& s, std::vector<TensorType>& outputs) {
  outputs.assign(1, {DType::kBool, {}});
  return BroadcastShape(s.shape(0), s.shape(1), outputs[0].shape);
}

bool InferBroadcastShape(const Signature& s, std::vector<TensorType>& outputs) {
  return BroadcastShape(s.shape(0), s.shape(1), outputs[0].shape);
}

bool InferSameShape(const Signature& s, std::vector<TensorType>& outputs) {
  outputs[0].shape = s.shape(0);
  return true;
}

bool InferNoOutputs(const Signature&, std::vector<TensorType>& outputs) {
  outputs.clear();
  return true;
}

bool CannotInfer(const Signature&, std::vector<TensorType>&) { return false; }

void MoveInOrder(const Signature& s, std::vector<Run>& runs) {
  AppendRun(runs, {0, 0, s.shape(0).Elements(), 1});
}

void MoveAlong(const Shape& to, const BroadcastStrides& along, int64_t first,
               std::vector<Run>& runs) {
  // Axes of length 1 at the end add nothing to a row.
  int last = to.rank() - 1;
  while (last > 0 && to[last] == 1) --last;
  if (last < 0) return AppendRun(runs, {0, first, 1, 1});
  const Shape rows(to.dims().first(static_cast<size_t>(last)));
  ForEachBroadcast<1>(rows, {along}, [&](int64_t, const auto& offset) {
    AppendRun(runs, {0, first + offset[0], to[last], along.stride[static_cast<size_t>(last)]});
  });
}

void CheckBroadcast(const Signature& s, const Level&, Judgement& j) {
  Shape shape;
  const bool stretches = BroadcastShape(s.shape(0), s.shape(1), shape);
  NumberedChecks checks(s.op, j);
  checks.ErrorIf(!stretches, "broadcast_shape");
  checks.ErrorIf(stretches && s.out_shape() != shape);
}

BroadcastStrides::BroadcastStrides(const Shape& from, const Shape& to) : rank(to.rank()) {
  int64_t step = 1;
  for (int axis = from.rank() - 1; axis >= 0; --axis) {
    stride[static_cast<size_t>(axis)] = from[axis] == 1 ? 0 : step;
    step *= from[axis];
  }
}

}  // namespace assay::ops

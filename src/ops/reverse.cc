// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

void Checks(const Signature& s, const Level&, Judgement& j) {
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  j.ErrorIf(axis < 0 || axis >= s.out_shape().rank(), "REVERSE/ERROR_IF/1");
}

void Move(const Signature& s, std::vector<Run>& runs) {
  const Shape& shape = s.out_shape();
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  // Walk the axis from its last index down.
  BroadcastStrides along(shape, shape);
  int64_t& step = along.stride[static_cast<size_t>(axis)];
  const int64_t last = step * (shape[axis] - 1);
  step = -step;
  MoveAlong(shape, along, last, runs);
}

constexpr Example kExamples[] = {
    // Each row backwards.
    {"i8[2,3]{1,2,3,4,5,6}", "axis=1", "i8[2,3]{3,2,1,6,5,4}"},
    // The rows in the opposite order.
    {"fp32[3,2]{1,2,nan,4,5,-0}", "axis=0", "fp32[3,2]{5,-0,nan,4,1,2}"},
    // In the middle: [[a,b],[c,d]] becomes [[c,d],[a,b]] in either half.
    {"i16[2,2,2]{1,2,3,4,5,6,7,8}", "axis=1", "i16[2,2,2]{3,4,1,2,7,8,5,6}"},
    {"bool[1,2]{true,false}", "axis=0", "bool[1,2]{true,false}"},
    {"i8[2]{1,2}", "axis=1", "error REVERSE/ERROR_IF/1"},
    {"i8[2]{1,2}", "axis=-1", "error REVERSE/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition reverse_operator = {
    .op = Op::kReverse,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = InferSameAsInput,
    .check = Checks,
    .move = Move,
    .examples = kExamples,
};

}  // namespace assay::ops

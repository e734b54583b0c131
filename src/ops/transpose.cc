// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "element_wise.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  const auto& perms = s.attributes->Ints(AttributeId::kPerms);
  const Shape& from = s.shape(0);
  if (static_cast<int>(perms.size()) != from.rank()) return false;
  Shape to;
  for (int32_t axis : perms) {
    if (axis < 0 || axis >= from.rank()) return false;
    to.PushBack(from[axis]);
  }
  outputs.assign(1, {s.in(0), to});
  return true;
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  const auto& perms = s.attributes->Ints(AttributeId::kPerms);
  const Shape& from = s.shape(0);
  const Shape& to = s.out_shape();
  j.ErrorIf(from.rank() != to.rank(), "TRANSPOSE/ERROR_IF/1");
  j.ErrorIf(from.Elements() != to.Elements(), "TRANSPOSE/ERROR_IF/2");
  std::array<bool, Shape::kMaxRank> used{};
  const auto is_axis = [&](int32_t index) { return index >= 0 && index < from.rank(); };
  for (int32_t index : perms) {
    j.ErrorIf(index >= from.rank(), "TRANSPOSE/ERROR_IF/3");
    j.ErrorIf(index < 0, "TRANSPOSE/ERROR_IF/4");
    if (!is_axis(index)) continue;
    j.ErrorIf(used[static_cast<size_t>(index)], "TRANSPOSE/ERROR_IF/5");
    used[static_cast<size_t>(index)] = true;
  }
  for (int axis = 0; axis < std::min(to.rank(), static_cast<int>(perms.size())); ++axis) {
    const int32_t index = perms[static_cast<size_t>(axis)];
    j.ErrorIf(is_axis(index) && from[index] != to[axis], "TRANSPOSE/ERROR_IF/6");
  }
}

void Move(const Signature& s, std::vector<Run>& runs) {
  const auto& perms = s.attributes->Ints(AttributeId::kPerms);
  const BroadcastStrides from(s.shape(0), s.shape(0));
  BroadcastStrides along = from;
  for (size_t axis = 0; axis < perms.size(); ++axis) {
    along.stride[axis] = from.stride[static_cast<size_t>(perms[axis])];
  }
  // A dimension of 1 has stride 0 in `from`, which is right: its index never moves.
  MoveAlong(s.out_shape(), along, 0, runs);
}

constexpr Example kExamples[] = {
    // [[1,2,3],[4,5,6]] read column by column.
    {"i8[2,3]{1,2,3,4,5,6}", "perms=[1,0]", "i8[3,2]{1,4,2,5,3,6}"},
    // out[i,j,k] = in[j,k,i]: out[0,0,:] = in[0,:,0] = {1,3}, out[0,1,:] = in[1,:,0] = {5,7}, ...
    {"i32[2,2,2]{1,2,3,4,5,6,7,8}", "perms=[2,0,1]", "i32[2,2,2]{1,3,5,7,2,4,6,8}"},
    {"bool[1]{true}", "perms=[0]", "bool[1]{true}"},
    {"i8[2,2]{1,2,3,4}", "perms=[0,0] output=i8[2,2]", "error TRANSPOSE/ERROR_IF/5"},
};

}  // namespace

extern const OperatorDefinition transpose_operator = {
    .op = Op::kTranspose,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone, 3},
    .infer = Infer,
    .check = Checks,
    .move = Move,
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "levels.h"
#include "operator_definition.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  if (s.inputs.empty() || axis < 0 || axis >= s.shape(0).rank()) return false;
  Shape shape = s.shape(0);
  int64_t axis_sum = 0;
  for (const TensorType& input : s.inputs) {
    Shape same = input.shape;
    if (same.rank() != shape.rank()) return false;
    axis_sum += same[axis];
    same[axis] = shape[axis];
    if (same != shape) return false;
  }
  if (axis_sum > MaximumInteger(DType::kInt32)) return false;
  shape[axis] = static_cast<int32_t>(axis_sum);
  outputs.assign(1, {s.in(0), shape});
  return true;
}

void Checks(const Signature& s, const Level& level, Judgement& j) {
  j.Require(std::ssize(s.inputs) <= level.max_tensor_list_size, "CONCAT/LEVEL_CHECK/1");
  j.ErrorIf(s.inputs.empty(), "CONCAT/ERROR_IF/1");
  if (s.inputs.empty()) return;
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  const Shape& first = s.shape(0);
  j.ErrorIf(axis < 0 || axis >= std::max(1, first.rank()), "CONCAT/ERROR_IF/2");
  int64_t axis_sum = 0;
  int lowest_rank = s.out_shape().rank();
  for (const TensorType& input : s.inputs) {
    lowest_rank = std::min(lowest_rank, input.shape.rank());
    j.ErrorIf(input.shape.rank() != first.rank(), "CONCAT/ERROR_IF/3");
    for (int i = 0; i < std::min(first.rank(), input.shape.rank()); ++i) {
      if (i == axis) {
        axis_sum += input.shape[i];
      } else {
        j.ErrorIf(input.shape[i] != first[i], "CONCAT/ERROR_IF/4");
      }
    }
  }
  if (axis < 0 || axis >= lowest_rank) return;
  j.ErrorIf(axis_sum != s.out_shape()[axis], "CONCAT/ERROR_IF/5");
}

// Appends the runs: along the axis, the blocks of all operands follow one another.
void Move(const Signature& s, std::vector<Run>& runs) {
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  const Shape& to = s.out_shape();
  int64_t outer = 1;
  int64_t inner = 1;
  for (int i = 0; i < axis; ++i) outer *= to[i];
  for (int i = axis + 1; i < to.rank(); ++i) inner *= to[i];
  for (int64_t row = 0; row < outer; ++row) {
    for (size_t t = 0; t < s.inputs.size(); ++t) {
      const int64_t block = inner * s.inputs[t].shape[axis];
      AppendRun(runs, {static_cast<int32_t>(t), row * block, block, 1});
    }
  }
}

constexpr Example kExamples[] = {
    // Row by row: {1,2} and {5}; {3,4} and {6}.
    {"i8[2,2]{1,2,3,4} i8[2,1]{5,6}", "axis=1", "i8[2,3]{1,2,5,3,4,6}"},
    // Along axis 0 all of the first, then all of the second, then the third.
    {"fp16[1,2]{1,-0} fp16[2,2]{nan,4,5,6} fp16[1,2]{7,inf}", "axis=0",
     "fp16[4,2]{1,-0,nan,4,5,6,7,inf}"},
    // In the middle: for each of the 2 outer rows {a0 a1} and {b0 b1 b2 b3}.
    {"i32[2,1,2]{1,2,3,4} i32[2,2,2]{5,6,7,8,9,10,11,12}", "axis=1",
     "i32[2,3,2]{1,2,5,6,7,8,3,4,9,10,11,12}"},
    // A list of one.
    {"bool[2]{true,false}", "axis=0", "bool[2]{true,false}"},
    {"", "axis=0 output=i8[1]", "error CONCAT/ERROR_IF/1"},
    {"i8[2]{1,2} i8[2]{3,4}", "axis=1 output=i8[4]", "error CONCAT/ERROR_IF/2"},
    {"i8[2]{1,2} i8[2]{3,4}", "axis=-1 output=i8[4]", "error CONCAT/ERROR_IF/2"},
    {"i8[2]{1,2} i8[1,2]{3,4}", "axis=0 output=i8[4]", "error CONCAT/ERROR_IF/3"},
    // 2 rows beside 1 row.
    {"i8[2,1]{1,2} i8[1,1]{3}", "axis=1 output=i8[2,2]", "error CONCAT/ERROR_IF/4"},
    // 2 + 1 = 3.
    {"i8[2]{1,2} i8[1]{3}", "axis=0 output=i8[4]", "error CONCAT/ERROR_IF/5"},
};

}  // namespace

extern const OperatorDefinition concat_operator = {
    .op = Op::kConcat,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone, 3},
    .infer = Infer,
    .check = Checks,
    .move = Move,
    .examples = kExamples,
};

}  // namespace assay::ops

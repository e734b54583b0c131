// SPDX-License-Identifier: Apache-2.0
#include "operator_definition.h"

namespace assay::ops {
namespace {

// Elements of the shape operand `padding`: before and after, by axis.
int64_t Before(const Signature& s, int axis) { return s.ConstantInteger(1, 2 * axis); }
int64_t After(const Signature& s, int axis) { return s.ConstantInteger(1, 2 * axis + 1); }

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  Shape shape = s.shape(0);
  if (s.ConstantCount(1) != 2 * shape.rank()) return false;
  const int64_t limit = MaximumInteger(DType::kInt32);
  for (int i = 0; i < shape.rank(); ++i) {
    if (Before(s, i) < 0 || After(s, i) < 0) return false;
    if (Before(s, i) > limit || After(s, i) > limit) return false;
    const int64_t dimension = Before(s, i) + shape[i] + After(s, i);
    if (dimension > limit) return false;
    shape[i] = static_cast<int32_t>(dimension);
  }
  outputs.assign(1, {s.in(0), shape});
  return true;
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  const Shape& from = s.shape(0);
  const Shape& to = s.out_shape();
  j.ErrorIf(to.rank() != from.rank(), "PAD/ERROR_IF/1");
  if (to.rank() != from.rank() || s.ConstantCount(1) != 2 * from.rank()) return;
  for (int i = 0; i < to.rank(); ++i) {
    const int64_t before = Before(s, i);
    const int64_t after = After(s, i);
    j.ErrorIf(before < 0 || after < 0, "PAD/ERROR_IF/2");
    j.ErrorIf(IsVast(before) || IsVast(after) || to[i] != before + from[i] + after,
              "PAD/ERROR_IF/3");
  }
}

// Appends the runs of the output for one index of each outer axis. An index, less the padding
// before, that lies inside input1 takes the element there (reading `pad-high-side`). Every other
// index takes pad_const. `elements` is the number of output elements to fill; `row` numbers the
// outer indices of input1.
void Fill(const Signature& s, int axis, int64_t elements, int64_t row, std::vector<Run>& runs) {
  const Shape& from = s.shape(0);
  const Shape& to = s.out_shape();
  const int64_t inner = elements / to[axis];
  const int64_t before = Before(s, axis);
  AppendRun(runs, {2, 0, before * inner, 0});
  if (axis + 1 == to.rank()) {
    AppendRun(runs, {0, row * from[axis], from[axis], 1});
  } else {
    for (int64_t i = 0; i < from[axis]; ++i) {
      Fill(s, axis + 1, inner, row * from[axis] + i, runs);
    }
  }
  AppendRun(runs, {2, 0, (to[axis] - before - from[axis]) * inner, 0});
}

void Move(const Signature& s, std::vector<Run>& runs) {
  if (s.out_shape().rank() == 0) return AppendRun(runs, {0, 0, 1, 1});
  Fill(s, 0, s.out_shape().Elements(), 0, runs);
}

constexpr Example kExamples[] = {
    // One before, two after.
    {"i8[2]{1,2} shape[2]{1,2} i8[1]{9}", "", "i8[5]{9,1,2,9,9}"},
    // One row above, one column on the right.
    {"i32[2,2]{1,2,3,4} shape[4]{1,0,0,1} i32[1]{-7}", "", "i32[3,3]{-7,-7,-7,1,2,-7,3,4,-7}"},
    // One row below.
    {"i8[1,2]{1,2} shape[4]{0,1,0,0} i8[1]{9}", "", "i8[2,2]{1,2,9,9}"},
    // No rows, two columns on the left; pad_const is any value of the type.
    {"fp32[2,1]{1,2} shape[4]{0,0,2,0} fp32[1]{nan}", "", "fp32[2,3]{nan,nan,1,nan,nan,2}"},
    {"bool[1]{false} shape[2]{0,1} bool[1]{true}", "", "bool[2]{false,true}"},
    {"i8[2]{1,2} shape[2]{1,1} i8[1]{0}", "output=i8[1,4]", "error PAD/ERROR_IF/1"},
    {"i8[2]{1,2} shape[2]{-1,1} i8[1]{0}", "output=i8[2]", "error PAD/ERROR_IF/2"},
    {"i8[2]{1,2} shape[2]{1,-1} i8[1]{0}", "output=i8[2]", "error PAD/ERROR_IF/2"},
    // 1 + 2 + 1 = 4.
    {"i8[2]{1,2} shape[2]{1,1} i8[1]{0}", "output=i8[5]", "error PAD/ERROR_IF/3"},
    // padding has two numbers for each axis.
    {"i8[2]{1,2} shape[1]{1} i8[1]{0}", "output=i8[3]", "error PAD/ERROR_IF/arguments"},
};

}  // namespace

extern const OperatorDefinition pad_operator = {
    .op = Op::kPad,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = Infer,
    .check = Checks,
    .move = Move,
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "operator_definition.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  Shape shape = s.shape(0);
  if (s.ConstantCount(1) != shape.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t multiple = s.ConstantInteger(1, i);
    if (multiple < 1 || multiple > MaximumInteger(DType::kInt32)) return false;
    const int64_t dimension = shape[i] * multiple;
    if (dimension > MaximumInteger(DType::kInt32)) return false;
    shape[i] = static_cast<int32_t>(dimension);
  }
  outputs.assign(1, {s.in(0), shape});
  return true;
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  const Shape& from = s.shape(0);
  const Shape& to = s.out_shape();
  j.ErrorIf(from.rank() != to.rank(), "TILE/ERROR_IF/1");
  if (from.rank() != to.rank() || s.ConstantCount(1) != from.rank()) return;
  for (int i = 0; i < to.rank(); ++i) {
    const int64_t multiple = s.ConstantInteger(1, i);
    // The multiple alone first, so that the product cannot overflow.
    j.ErrorIf(multiple < 1 || multiple > to[i] || from[i] * multiple != to[i], "TILE/ERROR_IF/2");
  }
}

// Appends the runs of the output for one index of each outer axis. `row` numbers these indices in
// the input.
void Fill(const Signature& s, int axis, int64_t row, std::vector<Run>& runs) {
  const int64_t size = s.shape(0)[axis];
  const int64_t multiple = s.out_shape()[axis] / size;
  for (int64_t copy = 0; copy < multiple; ++copy) {
    if (axis + 1 == s.out_shape().rank()) {
      AppendRun(runs, {0, row * size, size, 1});
    } else {
      for (int64_t i = 0; i < size; ++i) Fill(s, axis + 1, row * size + i, runs);
    }
  }
}

void Move(const Signature& s, std::vector<Run>& runs) {
  if (s.out_shape().rank() == 0) return AppendRun(runs, {0, 0, 1, 1});
  Fill(s, 0, 0, runs);
}

constexpr Example kExamples[] = {
    {"i8[2]{1,2} shape[1]{3}", "", "i8[6]{1,2,1,2,1,2}"},
    // Columns twice: rows {1,2,1,2} and {3,4,3,4}.
    {"i32[2,2]{1,2,3,4} shape[2]{1,2}", "", "i32[2,4]{1,2,1,2,3,4,3,4}"},
    // Rows twice: {1,nan},{3,-0},{1,nan},{3,-0}.
    {"fp16[2,2]{1,nan,3,-0} shape[2]{2,1}", "", "fp16[4,2]{1,nan,3,-0,1,nan,3,-0}"},
    // [[1,2,3]] in 2 rows of 2 copies.
    {"i16[1,3]{1,2,3} shape[2]{2,2}", "", "i16[2,6]{1,2,3,1,2,3,1,2,3,1,2,3}"},
    {"bool[1,2,1]{true,false} shape[3]{1,1,2}", "", "bool[1,2,2]{true,true,false,false}"},
    {"i8[2]{1,2} shape[1]{2}", "output=i8[1,4]", "error TILE/ERROR_IF/1"},
    // 2 * 2 = 4.
    {"i8[2]{1,2} shape[1]{2}", "output=i8[5]", "error TILE/ERROR_IF/2"},
    {"i8[2]{1,2} shape[1]{-2}", "output=i8[4]", "error TILE/ERROR_IF/2"},
    {"i8[2]{1,2} shape[2]{2,1}", "output=i8[4]", "error TILE/ERROR_IF/arguments"},
};

}  // namespace

extern const OperatorDefinition tile_operator = {
    .op = Op::kTile,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = Infer,
    .check = Checks,
    .move = Move,
    .examples = kExamples,
};

}  // namespace assay::ops

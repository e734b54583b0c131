// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  Shape shape = s.shape(0);
  if (s.ConstantCount(1) != shape.rank() || s.ConstantCount(2) != shape.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t start = s.ConstantInteger(1, i);
    const int64_t size = s.ConstantInteger(2, i);
    if (start < 0 || size <= 0 || start > shape[i] || size > shape[i] - start) return false;
    shape[i] = static_cast<int32_t>(size);
  }
  outputs.assign(1, {s.in(0), shape});
  return true;
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  const Shape& from = s.shape(0);
  const Shape& to = s.out_shape();
  j.ErrorIf(from.rank() != s.ConstantCount(1) || from.rank() != s.ConstantCount(2),
            "SLICE/ERROR_IF/1");
  j.ErrorIf(from.rank() != to.rank(), "SLICE/ERROR_IF/2");
  if (from.rank() != s.ConstantCount(1) || from.rank() != s.ConstantCount(2) ||
      from.rank() != to.rank()) {
    return;
  }
  for (int i = 0; i < from.rank(); ++i) {
    const int64_t start = s.ConstantInteger(1, i);
    const int64_t size = s.ConstantInteger(2, i);
    j.ErrorIf(start < 0, "SLICE/ERROR_IF/3");
    j.ErrorIf(size <= 0, "SLICE/ERROR_IF/4");
    const bool beyond =
        IsVast(start) || IsVast(size) ? std::max(start, size) > from[i] : start + size > from[i];
    j.ErrorIf(beyond, "SLICE/ERROR_IF/5");
    j.ErrorIf(to[i] != size, "SLICE/ERROR_IF/6");
  }
}

void Move(const Signature& s, std::vector<Run>& runs) {
  const Shape& from = s.shape(0);
  const BroadcastStrides along(from, from);
  int64_t first = 0;
  for (int i = 0; i < from.rank(); ++i) {
    first += s.ConstantInteger(1, i) * along.stride[static_cast<size_t>(i)];
  }
  MoveAlong(s.out_shape(), along, first, runs);
}

constexpr Example kExamples[] = {
    // Indices 1, 2, 3.
    {"i8[5]{1,2,3,4,5} shape[1]{1} shape[1]{3}", "", "i8[3]{2,3,4}"},
    // Rows 1, 2 and column 1 of [[1,2,3],[4,5,6],[7,8,9]].
    {"i32[3,3]{1,2,3,4,5,6,7,8,9} shape[2]{1,1} shape[2]{2,1}", "", "i32[2,1]{5,8}"},
    // Row 0, columns 1 and 2.
    {"fp16[2,3]{1,nan,-0,4,5,6} shape[2]{0,1} shape[2]{1,2}", "", "fp16[1,2]{nan,-0}"},
    {"bool[1,2]{true,false} shape[2]{0,1} shape[2]{1,1}", "", "bool[1,1]{false}"},
    {"i8[2,2]{1} shape[1]{0} shape[2]{1,1}", "output=i8[1,1]", "error SLICE/ERROR_IF/1"},
    {"i8[2,2]{1} shape[2]{0,0} shape[1]{1}", "output=i8[1,1]", "error SLICE/ERROR_IF/1"},
    {"i8[2,2]{1} shape[2]{0,0} shape[2]{1,1}", "output=i8[1]", "error SLICE/ERROR_IF/2"},
    {"i8[2]{1,2} shape[1]{-1} shape[1]{1}", "output=i8[1]", "error SLICE/ERROR_IF/3"},
    {"i8[2]{1,2} shape[1]{0} shape[1]{0}", "output=i8[1]", "error SLICE/ERROR_IF/4"},
    // 1 + 2 = 3 > 2.
    {"i8[2]{1,2} shape[1]{1} shape[1]{2}", "output=i8[2]", "error SLICE/ERROR_IF/5"},
    {"i8[2]{1,2} shape[1]{0} shape[1]{1}", "output=i8[2]", "error SLICE/ERROR_IF/6"},
};

}  // namespace

extern const OperatorDefinition slice_operator = {
    .op = Op::kSlice,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone, 3},
    .infer = Infer,
    .check = Checks,
    .move = Move,
    .examples = kExamples,
};

}  // namespace assay::ops

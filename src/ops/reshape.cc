// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

// Returns true if the values of operand 1 (`shape`) are the dimensions of `shape`.
bool Says(const Signature& s, const Shape& shape) {
  if (s.ConstantCount(1) != shape.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (s.ConstantInteger(1, i) != shape[i]) return false;
  }
  return true;
}

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  Shape shape;
  if (s.ConstantCount(1) > Shape::kMaxRank) return false;
  for (int i = 0; i < s.ConstantCount(1); ++i) {
    const int64_t dimension = s.ConstantInteger(1, i);
    if (dimension < 1 || dimension > MaximumInteger(DType::kInt32)) return false;
    shape.PushBack(static_cast<int32_t>(dimension));
  }
  outputs.assign(1, {s.in(0), shape});
  return shape.Elements() == s.shape(0).Elements();
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  // The operand `shape` and the shape of the output are one in the Arguments table.
  j.ErrorIf(!Says(s, s.out_shape()), "RESHAPE/ERROR_IF/arguments");
  j.ErrorIf(s.shape(0).Elements() != s.out_shape().Elements(), "RESHAPE/ERROR_IF/1");
}

constexpr Example kExamples[] = {
    // The elements keep their order.
    {"i8[2,3]{1,2,3,4,5,6} shape[2]{3,2}", "", "i8[3,2]{1,2,3,4,5,6}"},
    {"fp32[1,2]{-0,nan} shape[3]{2,1,1}", "", "fp32[2,1,1]{-0,nan}"},
    // To and from rank 0.
    {"bool[1,1]{true} shape[0]{}", "", "bool[]{true}"},
    {"i32[]{-5} shape[1]{1}", "", "i32[1]{-5}"},
    // 6 elements, 4 elements.
    {"i8[2,3]{1,2,3,4,5,6} shape[2]{2,2}", "output=i8[2,2]", "error RESHAPE/ERROR_IF/1"},
    // The operand says [2,3].
    {"i8[6]{1,2,3,4,5,6} shape[2]{2,3}", "output=i8[3,2]", "error RESHAPE/ERROR_IF/arguments"},
};

}  // namespace

extern const OperatorDefinition reshape_operator = {
    .op = Op::kReshape,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone, 3},
    .infer = Infer,
    .check = Checks,
    .move = MoveInOrder,
    .view = true,
    .examples = kExamples,
};

}  // namespace assay::ops

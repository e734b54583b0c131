// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  if (axis < 0 || axis >= s.shape(0).rank()) return false;
  outputs.assign(1, {DType::kInt32, s.shape(0)});
  outputs[0].shape.Erase(axis);
  return true;
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  const int32_t axis = s.attributes->Int(AttributeId::kAxis);
  Shape shape = s.shape(0);
  j.ErrorIf(axis < 0 || axis >= shape.rank(), "ARGMAX/ERROR_IF/1");
  if (axis < 0 || axis >= shape.rank()) return;
  j.Require(int64_t{shape[axis]} - 1 <= MaximumInteger(DType::kInt32), "ARGMAX/REQUIRE/1");
  shape.Erase(axis);
  j.ErrorIf(shape != s.out_shape(), "ARGMAX/ERROR_IF/2");
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const NanMode mode = call.attributes().nan_mode();
  Reduce(d, call, [&](auto elements) { return d.ArgMax(type, mode, elements); });
}

constexpr Example kExamples[] = {
    // Rows: the first of two fives; -1 is greater than -2 and -3.
    {"i8[2,3]{1,5,5,-2,-3,-1}", "axis=1 nan_mode=PROPAGATE", "i32[2]{1,2}"},
    // Columns {1,4,4} and {9,-9,9}: the first maximum of each.
    {"i16[3,2]{1,9,4,-9,4,9}", "axis=0 nan_mode=PROPAGATE", "i32[2]{1,0}"},
    // In the middle: {1,3} and {4,2}; {5,7} and {8,6}.
    {"bf16[2,2,2]{1,4,3,2,5,8,7,6}", "axis=1 nan_mode=PROPAGATE", "i32[2,2]{1,0,1,0}"},
    // A NaN is the maximum, the first of several, also after infinity.
    {"fp32[2,3]{inf,nan,nan,nan,1,2}", "axis=1 nan_mode=PROPAGATE", "i32[2]{1,0}"},
    // A NaN is less than anything, also than -infinity; where all are NaN, index 0 stays.
    {"fp32[3,3]{nan,nan,-inf,1,nan,2,nan,nan,nan}", "axis=1 nan_mode=IGNORE", "i32[3]{2,2,0}"},
    // Zeros of either sign are equal. Rank 1 leaves rank 0.
    {"fp16[3]{-1,-0,0}", "axis=0 nan_mode=PROPAGATE", "i32[]{1}"},
    {"i8[2]{1,2}", "axis=1 nan_mode=PROPAGATE output=i32[]", "error ARGMAX/ERROR_IF/1"},
    {"i8[2]{1,2}", "axis=-1 nan_mode=PROPAGATE output=i32[]", "error ARGMAX/ERROR_IF/1"},
    // The axis is gone from the output.
    {"i8[2,3]{1}", "axis=1 nan_mode=PROPAGATE output=i32[3]", "error ARGMAX/ERROR_IF/2"},
};

}  // namespace

extern const OperatorDefinition argmax_operator = {
    .op = Op::kArgmax,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kRows},
    .infer = Infer,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

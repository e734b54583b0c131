// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace assay::ops {
namespace {

// Starts with the first element. The pseudocode starts with NaN (floats, IGNORE) or the maximum of
// the type. Both give the same result, because an axis is never empty.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const NanMode mode = call.attributes().nan_mode();
  Reduce(d, call, [&](auto elements) {
    auto acc = elements[0];
    for (const auto& value : elements.subspan(1)) acc = d.Min(type, mode, acc, value);
    return acc;
  });
}

constexpr Example kExamples[] = {
    // Columns: min(1,-4), min(127,5), min(3,3).
    {"i8[2,3]{1,127,3,-4,5,3}", "axis=0 nan_mode=PROPAGATE", "i8[1,3]{-4,5,3}"},
    // Rows; all positive in the first.
    {"i32[2,3]{4,7,3,-4,-5,-6}", "axis=1 nan_mode=IGNORE", "i32[2,1]{3,-6}"},
    // In the middle: min(1,3), min(2,-4); min(5,-7), min(6,8).
    {"i16[2,2,2]{1,2,3,-4,5,6,-7,8}", "axis=1 nan_mode=PROPAGATE", "i16[2,1,2]{1,-4,-7,6}"},
    // One NaN makes the result NaN, wherever it is.
    {"fp32[3,2]{nan,1,-inf,nan,1,2}", "axis=1 nan_mode=PROPAGATE", "fp32[3,1]{nan,nan,1}"},
    // NaN loses against anything, also inf; only all NaN is NaN.
    {"fp16[4,2]{nan,1,-2,nan,nan,inf,nan,nan}", "axis=1 nan_mode=IGNORE",
     "fp16[4,1]{1,-2,inf,nan}"},
    {"i8[2]{1}", "axis=2 nan_mode=PROPAGATE output=i8[1]", "error REDUCE_MIN/ERROR_IF/1"},
    {"i8[2]{1}", "axis=-1 nan_mode=PROPAGATE output=i8[1]", "error REDUCE_MIN/ERROR_IF/1"},
    // The output keeps the axis, with dimension 1.
    {"i8[2,3]{1}", "axis=1 nan_mode=PROPAGATE output=i8[2,3]", "error REDUCE_MIN/ERROR_IF/2"},
    {"i8[2,3]{1}", "axis=1 nan_mode=PROPAGATE output=i8[1,1]",
     "unpredictable REDUCE_MIN/REQUIRE/tensor_index_to_offset"},
};

}  // namespace

extern const OperatorDefinition reduce_min_operator = {
    .op = Op::kReduceMin,
    .traits = {ElementWise::kNo, ResultOrigin::kChosen, ScratchKind::kNone, Specials::kRows},
    .infer = InferReduction,
    .check = CheckReduction,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

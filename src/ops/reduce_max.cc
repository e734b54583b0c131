// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace assay::ops {
namespace {

// Starts with the first element. The pseudocode starts with NaN (floats, IGNORE) or the minimum of
// the type. Both give the same result, because an axis is never empty.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const NanMode mode = call.attributes().nan_mode();
  Reduce(d, call, [&](auto elements) {
    auto acc = elements[0];
    for (const auto& value : elements.subspan(1)) acc = d.Max(type, mode, acc, value);
    return acc;
  });
}

constexpr Example kExamples[] = {
    // Columns: max(1,-4), max(-128,5), max(3,3).
    {"i8[2,3]{1,-128,3,-4,5,3}", "axis=0 nan_mode=PROPAGATE", "i8[1,3]{1,5,3}"},
    // Rows; all negative in the second.
    {"i32[2,3]{1,7,3,-4,-5,-6}", "axis=1 nan_mode=IGNORE", "i32[2,1]{7,-4}"},
    // In the middle: max(1,3), max(2,-4); max(5,-7), max(6,8).
    {"i16[2,2,2]{1,2,3,-4,5,6,-7,8}", "axis=1 nan_mode=PROPAGATE", "i16[2,1,2]{3,2,5,8}"},
    // One NaN makes the result NaN, wherever it is.
    {"fp32[3,2]{nan,1,inf,nan,1,2}", "axis=1 nan_mode=PROPAGATE", "fp32[3,1]{nan,nan,2}"},
    // NaN loses against anything, also -inf; only all NaN is NaN.
    {"fp16[4,2]{nan,1,-2,nan,nan,-inf,nan,nan}", "axis=1 nan_mode=IGNORE",
     "fp16[4,1]{1,-2,-inf,nan}"},
    {"i8[2]{1}", "axis=2 nan_mode=PROPAGATE output=i8[1]", "error REDUCE_MAX/ERROR_IF/1"},
    {"i8[2]{1}", "axis=-1 nan_mode=PROPAGATE output=i8[1]", "error REDUCE_MAX/ERROR_IF/1"},
    // The output keeps the axis, with dimension 1.
    {"i8[2,3]{1}", "axis=1 nan_mode=PROPAGATE output=i8[2,3]", "error REDUCE_MAX/ERROR_IF/2"},
    {"i8[2,3]{1}", "axis=1 nan_mode=PROPAGATE output=i8[1,1]",
     "unpredictable REDUCE_MAX/REQUIRE/tensor_index_to_offset"},
    // 2^24 + 1 needs 25 bits: more than the significand of fp32.
    {"i32[2]{16777217,5}", "axis=0 nan_mode=PROPAGATE", "i32[1]{16777217}"},
};

}  // namespace

extern const OperatorDefinition reduce_max_operator = {
    .op = Op::kReduceMax,
    .traits = {ElementWise::kNo, ResultOrigin::kChosen, ScratchKind::kNone, Specials::kRows},
    .infer = InferReduction,
    .check = CheckReduction,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

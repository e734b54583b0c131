// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  Reduce(d, call, [&](auto elements) { return d.Product(type, elements); });
}

constexpr Example kExamples[] = {
    // Columns: 1*4, 2*5, 3*-6.
    {"fp32[2,3]{1,2,3,4,5,-6}", "axis=0", "fp32[1,3]{4,10,-18}"},
    // Rows: 1*2*3, 4*5*-6.
    {"fp16[2,3]{1,2,3,4,5,-6}", "axis=1", "fp16[2,1]{6,-120}"},
    // In the middle: 1*3, 2*4; 5*7, 6*8.
    {"bf16[2,2,2]{1,2,3,4,5,6,7,8}", "axis=1", "bf16[2,1,2]{3,8,35,48}"},
    // bf16 has 8 bits of precision: 17 * 31 = 527 lies between 524 and 528, and is nearer to 528.
    {"bf16[2]{17,31}", "axis=0", "bf16[1]{528}"},
    // One rounding, at the end: 3 * 683 * 1.5 = 3073.5 lies between 3072 and 3074, nearer to 3074.
    // Rounded on the way, 3 * 683 = 2049 would become 2048, and 2048 * 1.5 = 3072.
    {"fp16[3]{3,683,1.5}", "axis=0", "fp16[1]{3074}"},
    // An infinity times zero is NaN; -0 * 2 = -0; 60000 * 2 is beyond 65504.
    {"fp16[3,2]{inf,0,-0,2,60000,2}", "axis=1", "fp16[3,1]{nan,-0,inf}"},
    {"fp32[2]{1,2}", "axis=1 output=fp32[1]", "error REDUCE_PRODUCT/ERROR_IF/1"},
    {"fp32[2]{1,2}", "axis=-1 output=fp32[1]", "error REDUCE_PRODUCT/ERROR_IF/1"},
    {"fp32[2]{1,2}", "axis=0 output=fp32[2]", "error REDUCE_PRODUCT/ERROR_IF/2"},
};

}  // namespace

extern const OperatorDefinition reduce_product_operator = {
    .op = Op::kReduceProduct,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kAccumulator,
               Specials::kNone},
    .infer = InferReduction,
    .check = CheckReduction,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

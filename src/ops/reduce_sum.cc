// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  DotRule rule;
  rule.in_type = rule.weight_type = rule.out_type = type;
  rule.acc_type = type == DType::kBf16 ? DType::kFp32 : type;
  rule.kernel_size = call.shape()[call.attributes().Int(AttributeId::kAxis)];
  rule.overflow = "REDUCE_SUM/REQUIRE/apply_add_s";
  if (IsFloat(type)) rule.quantum = d.Quantum(type, *call.input(0).elements);
  Reduce(d, call, [&](auto elements) { return d.Sum(rule, elements); });
}

constexpr Example kExamples[] = {
    // Columns: 1+4, 2+5, 3+6.
    {"i32[2,3]{1,2,3,4,5,6}", "axis=0", "i32[1,3]{5,7,9}"},
    // Rows: 1+2+3, 4+5-6.
    {"i32[2,3]{1,2,3,4,5,-6}", "axis=1", "i32[2,1]{6,3}"},
    // In the middle: 1+3, 2+4; 5+7, 6+8.
    {"fp32[2,2,2]{1,2,3,4,5,6,7,8}", "axis=1", "fp32[2,1,2]{4,6,12,14}"},
    // 2^31 - 1 + 1 leaves the range, though the sum of all does not.
    {"i32[3]{2147483647,1,-1}", "axis=0", "unpredictable REDUCE_SUM/REQUIRE/apply_add_s"},
    // -2^31 + 2^31 - 1: either end of the range.
    {"i32[2]{-2147483648,2147483647}", "axis=0", "i32[1]{-1}"},
    // fp16: 2048 + 1 + 1 = 2050, rounded at the end only; 2048 + 1 lies halfway, 2048 is even.
    {"fp16[2,3]{2048,1,1,2048,1,0}", "axis=1", "fp16[2,1]{2050,2048}"},
    // bf16 has 8 bits of precision: 256 + 1.5 = 257.5 lies between 256 and 258.
    {"bf16[2]{256,1.5}", "axis=0", "bf16[1]{258}"},
    // inf - inf, NaN + 1.
    {"fp32[2,2]{inf,-inf,nan,1}", "axis=1", "fp32[2,1]{nan,nan}"},
    {"i32[2]{1,2}", "axis=1 output=i32[1]", "error REDUCE_SUM/ERROR_IF/1"},
    {"i32[2]{1,2}", "axis=-1 output=i32[1]", "error REDUCE_SUM/ERROR_IF/1"},
    {"i32[2,3]{1,2,3,4,5,6}", "axis=1 output=i32[2,2]", "error REDUCE_SUM/ERROR_IF/2"},
    // The rows of the output are not the rows of the input.
    {"i32[2,3]{1,2,3,4,5,6}", "axis=1 output=i32[3,1]",
     "unpredictable REDUCE_SUM/REQUIRE/tensor_index_to_offset"},
    // 2^24 + 1 needs 25 bits: more than the significand of fp32.
    {"i32[2]{16777217,2}", "axis=0", "i32[1]{16777219}"},
};

}  // namespace

extern const OperatorDefinition reduce_sum_operator = {
    .op = Op::kReduceSum,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kAccumulator,
               Specials::kNone},
    .infer = InferReduction,
    .check = CheckReduction,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops

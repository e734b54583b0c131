// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values, and NaN below zero.
    {"fp16[6]{-inf,inf,-0,0,nan,-1}", "", "fp16[6]{nan,0,-inf,inf,nan,nan}"},
    {"fp32[2]{4,0.25}", "", "fp32[2]{0.5,2}"},
    // 1/sqrt 2 = 0.707106781. fp16 counts in 2^-11 there: 1448.15, so 1448/2048; bf16 in 2^-8:
    // 181.02, so 181/256; fp32 in 2^-24: 11863283.2, so 11863283.
    {"fp16[1]{2}", "", "fp16[1]{0.70703125}"},
    {"bf16[1]{2}", "", "bf16[1]{0.70703125}"},
    {"fp32[1]{2}", "", "fp32[1]{0.707106769084930419921875}"},
    // 1/sqrt 3 = 0.577350269: 1182.41, so 1182/2048.
    {"fp16[1]{3}", "", "fp16[1]{0.5771484375}"},
};

}  // namespace

extern const OperatorDefinition rsqrt_operator = {
    .op = Op::kRsqrt,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

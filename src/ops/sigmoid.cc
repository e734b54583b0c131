// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values.
    {"fp16[5]{-inf,inf,-0,0,nan}", "", "fp16[5]{0,1,0.5,0.5,nan}"},
    // 1 / (1 + 1/e) = 0.731058579. fp16 counts in 2^-11 there: 1497.21, so 1497/2048; bf16 in 2^-8:
    // 187.2, so 187/256.
    {"fp16[1]{1}", "", "fp16[1]{0.73095703125}"},
    {"bf16[1]{1}", "", "bf16[1]{0.73046875}"},
    // 1 / (1 + e) = 0.268941421 in units of 2^-12: 1101.58, so 1102/4096.
    {"fp16[1]{-1}", "", "fp16[1]{0.26904296875}"},
    // 1 / (1 + e^1000) is nothing, 1 / (1 + e^-1000) one.
    {"fp32[2]{-1000,1000}", "", "fp32[2]{0,1}"},
};

}  // namespace

extern const OperatorDefinition sigmoid_operator = {
    .op = Op::kSigmoid,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList, 1},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

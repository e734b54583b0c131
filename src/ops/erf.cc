// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    {"fp16[4]{-inf,inf,0,nan}", "", "fp16[4]{-1,1,0,nan}"},
    // erf 1 = 0.842700793. fp16 counts in 2^-11 there: 1725.85, so 1726/2048; bf16 in 2^-8: 215.7,
    // so 216/256. Erf is odd.
    {"fp16[2]{1,-1}", "", "fp16[2]{0.8427734375,-0.8427734375}"},
    {"bf16[1]{1}", "", "bf16[1]{0.84375}"},
    // erf 0.5 = 0.520499878 in units of 2^-11: 1065.98, so 1066/2048; of 2^-24: 8732538.9.
    {"fp16[1]{0.5}", "", "fp16[1]{0.5205078125}"},
    {"fp32[1]{0.5}", "", "fp32[1]{0.520499885082244873046875}"},
    // 1 - erf 6 = 2e-17.
    {"fp32[1]{6}", "", "fp32[1]{1}"},
};

}  // namespace

extern const OperatorDefinition erf_operator = {
    .op = Op::kErf,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList, 1},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

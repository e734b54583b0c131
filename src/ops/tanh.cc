// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values: zero keeps its sign.
    {"fp16[5]{-inf,inf,-0,0,nan}", "", "fp16[5]{-1,1,-0,0,nan}"},
    // tanh 1 = 0.761594156. fp16 counts in 2^-11 there: 1559.74, so 1560/2048; bf16 in 2^-8:
    // 194.97, so 195/256. Tanh is odd.
    {"fp16[2]{1,-1}", "", "fp16[2]{0.76171875,-0.76171875}"},
    {"bf16[1]{1}", "", "bf16[1]{0.76171875}"},
    // tanh 0.5 = 0.462117157 in units of 2^-12: 1892.83, so 1893/4096.
    {"fp16[1]{0.5}", "", "fp16[1]{0.462158203125}"},
    // 1 - tanh 20 = 2 e^-40 is nothing to an fp32.
    {"fp32[2]{20,-20}", "", "fp32[2]{1,-1}"},
};

}  // namespace

extern const OperatorDefinition tanh_operator = {
    .op = Op::kTanh,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList, 1},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

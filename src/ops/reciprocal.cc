// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values.
    {"fp16[5]{-inf,inf,-0,0,nan}", "", "fp16[5]{-0,0,-inf,inf,nan}"},
    // 1/3 in units of 2^-12: 1365.33, so 1365/4096. 1/7 in units of 2^-13: 1170.29, so 1170/8192.
    {"fp16[2]{3,-7}", "", "fp16[2]{0.333251953125,-0.142822265625}"},
    // 1/65504 = 1.52663e-5 is subnormal: 256.125 units of 2^-24. 2^17 is beyond 65504.
    {"fp16[2]{65504,0.00000762939453125}", "", "fp16[2]{0.0000152587890625,inf}"},
    // 1/3 in units of 2^-25: 11184810.67, so 11184811.
    {"fp32[1]{3}", "", "fp32[1]{0.3333333432674407958984375}"},
};

}  // namespace

extern const OperatorDefinition reciprocal_operator = {
    .op = Op::kReciprocal,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

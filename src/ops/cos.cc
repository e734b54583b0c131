// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values.
    {"fp16[5]{-inf,inf,-0,0,nan}", "", "fp16[5]{nan,nan,1,1,nan}"},
    // cos 1 = 0.540302306. fp16 counts in 2^-11 there: 1106.54, so 1107/2048; bf16 in 2^-8: 138.3,
    // so 138/256. Cosine is even.
    {"fp16[2]{1,-1}", "", "fp16[2]{0.54052734375,0.54052734375}"},
    {"bf16[1]{1}", "", "bf16[1]{0.5390625}"},
    // cos 2 = -0.416146837 in units of 2^-12: 1704.54, so 1705/4096.
    {"fp16[1]{2}", "", "fp16[1]{-0.416259765625}"},
    // cos 2 in units of 2^-25: 13963570.7, so 13963571.
    {"fp32[1]{2}", "", "fp32[1]{-0.4161468446254730224609375}"},
};

}  // namespace

extern const OperatorDefinition cos_operator = {
    .op = Op::kCos,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList, 1},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values: zero keeps its sign.
    {"fp16[5]{-inf,inf,-0,0,nan}", "", "fp16[5]{nan,nan,-0,0,nan}"},
    // sin 1 = 0.841470985. fp16 counts in 2^-11 there: 1723.33, so 1723/2048; bf16 in 2^-8: 215.4,
    // so 215/256. Sine is odd.
    {"fp16[2]{1,-1}", "", "fp16[2]{0.84130859375,-0.84130859375}"},
    {"bf16[1]{1}", "", "bf16[1]{0.83984375}"},
    // pi - 3.140625 = 0.00096765359, less its cube / 6: 0.00096765344. In units of 2^-21: 2029.32.
    {"fp16[1]{3.140625}", "", "fp16[1]{0.000967502593994140625}"},
    // sin 2 = 0.909297427 in units of 2^-24: 15255479.3, so 15255479.
    {"fp32[1]{2}", "", "fp32[1]{0.909297406673431396484375}"},
};

}  // namespace

extern const OperatorDefinition sin_operator = {
    .op = Op::kSin,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList, 1},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values: zero keeps its sign.
    {"fp16[5]{-inf,inf,-0,0,nan}", "", "fp16[5]{-inf,inf,-0,0,nan}"},
    {"fp32[6]{0.5,-0.5,1.5,-1.5,2,-3}", "", "fp32[6]{0,-1,1,-2,2,-3}"},
    // Above 2^7 every bf16 is an integer.
    {"bf16[2]{-100.5,257}", "", "bf16[2]{-101,256}"},
};

}  // namespace

extern const OperatorDefinition floor_operator = {
    .op = Op::kFloor,
    .traits = {ElementWise::kInPlace, ResultOrigin::kRounded, ScratchKind::kNone, Specials::kList},
    .infer = InferSameAsInput,
    .meaning = UnaryReadings([](auto& d, DType type, auto& x) { return d.Floor(type, x); }),
    .examples = kExamples,
};

}  // namespace assay::ops

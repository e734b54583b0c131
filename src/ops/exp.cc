// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values.
    {"fp16[5]{-inf,inf,-0,0,nan}", "", "fp16[5]{0,inf,1,1,nan}"},
    // e = 2.718281828. fp16 counts in 2^-9 there: 1391.76, so 1392/512; bf16 in 2^-6: 173.97, so
    // 174/64; fp32 in 2^-22: 11401300.4, so 11401300/4194304.
    {"fp16[1]{1}", "", "fp16[1]{2.71875}"},
    {"bf16[1]{1}", "", "bf16[1]{2.71875}"},
    {"fp32[1]{1}", "", "fp32[1]{2.71828174591064453125}"},
    // 1/e = 0.367879441, in units of 2^-12: 1506.83, so 1507/4096.
    {"fp16[1]{-1}", "", "fp16[1]{0.367919921875}"},
    // e^11 = 59874.14 in units of 32: 1871.07, so 59872. e^12 = 162754.8 is beyond 65504.
    {"fp16[2]{11,12}", "", "fp16[2]{59872,inf}"},
    // e^-17 = 4.1399e-8 is 0.69 of the smallest subnormal 2^-24; e^-18 is 0.26 of it.
    {"fp16[2]{-17,-18}", "", "fp16[2]{5.9604644775390625e-08,0}"},
    // e^1000 exceeds fp64 as well: infinity (reading infinite-bound).
    {"fp32[2]{1000,-1000}", "", "fp32[2]{inf,0}"},
};

}  // namespace

extern const OperatorDefinition exp_operator = {
    .op = Op::kExp,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList, 1},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

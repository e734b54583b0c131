// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // The table of special values, and NaN below zero.
    {"fp16[6]{-inf,inf,-0,0,nan,-1}", "", "fp16[6]{nan,inf,-inf,-inf,nan,nan}"},
    {"fp32[1]{1}", "", "fp32[1]{0}"},
    // ln 2 = 0.693147181. fp16 counts in 2^-11 there: 1419.57, so 1420/2048; bf16 in 2^-8: 177.4,
    // so 177/256; fp32 in 2^-24: 11629079.99, so 11629080/16777216.
    {"fp16[1]{2}", "", "fp16[1]{0.693359375}"},
    {"bf16[1]{2}", "", "bf16[1]{0.69140625}"},
    {"fp32[1]{2}", "", "fp32[1]{0.693147182464599609375}"},
    // ln 10 = 2.302585093 in units of 2^-9: 1178.92, so 1179/512; ln 0.1 (0.0999755859375 in fp16)
    // = -2.302829264: 1179.05.
    {"fp16[2]{10,0.1}", "", "fp16[2]{2.302734375,-2.302734375}"},
};

}  // namespace

extern const OperatorDefinition log_operator = {
    .op = Op::kLog,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kList, 1},
    .infer = InferSameAsInput,
    .meaning = ElementaryReadings(),
    .examples = kExamples,
};

}  // namespace assay::ops

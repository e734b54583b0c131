// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    {"i32[3]{0,1,-1}", "", "i32[3]{32,31,0}"},
    // The highest bits set are 30, 30, 31 and 16.
    {"i32[4]{2147483647,1073741824,-2147483648,65536}", "", "i32[4]{1,1,0,15}"},
    {"i32[]{255}", "", "i32[]{24}"},
};

}  // namespace

extern const OperatorDefinition clz_operator = {
    .op = Op::kClz,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferSameAsInput,
    .meaning = UnaryReadings([](auto& d, DType, auto& x) { return d.CountLeadingZeros(32, x); }),
    .examples = kExamples,
};

}  // namespace assay::ops

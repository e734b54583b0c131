// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    {"bool[2]{true,false}", "", "bool[2]{false,true}"},
    {"bool[]{false}", "", "bool[]{true}"},
    {"bool[2,1]{true,true}", "", "bool[2,1]{false,false}"},
};

}  // namespace

extern const OperatorDefinition logical_not_operator = {
    .op = Op::kLogicalNot,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferSameAsInput,
    .meaning = UnaryReadings([](auto& d, DType, auto& x) { return d.LogicalNot(x); }),
    .examples = kExamples,
};

}  // namespace assay::ops

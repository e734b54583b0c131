// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    {"bool[4]{false,false,true,true} bool[4]{false,true,false,true}", "",
     "bool[4]{false,true,true,true}"},
    {"bool[1]{true} bool[2]{true,false}", "", "bool[2]{true,true}"},
    {"bool[1]{false} bool[2]{false,true}", "", "bool[2]{false,true}"},
    {"bool[2]{true,true} bool[3]{true}", "output=bool[3]",
     "error LOGICAL_OR/ERROR_IF/broadcast_shape"},
    {"bool[1]{true} bool[2]{true}", "output=bool[1]", "error LOGICAL_OR/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition logical_or_operator = {
    .op = Op::kLogicalOr,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = BinaryReadings([](auto& d, DType, auto& a, auto& b) { return d.Or(a, b); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    {"i32[3]{-2147483648,7,1} i32[3]{2147483647,7,-1}", "", "bool[3]{false,true,true}"},
    // A NaN compares false with everything; infinities of one sign are equal, as are zeros of both.
    {"fp32[7]{nan,inf,inf,-0,-inf,1,0} fp32[7]{nan,inf,-inf,0,1,0.5,nan}", "",
     "bool[7]{false,true,true,true,false,true,false}"},
    // Stretched: 2 >= 2, 1 >= 2, 2 >= 2.
    {"fp16[3]{2,1,2} fp16[1]{2}", "", "bool[3]{true,false,true}"},
    {"i32[2]{1} i32[3]{1}", "output=bool[3]", "error GREATER_EQUAL/ERROR_IF/broadcast_shape"},
    {"i32[2]{1} i32[1]{1}", "output=bool[1]", "error GREATER_EQUAL/ERROR_IF/1"},
    // In fp32 the first would be 16777216.
    {"i32[1]{16777217} i32[1]{16777217}", "", "bool[1]{true}"},
};

}  // namespace

extern const OperatorDefinition greater_equal_operator = {
    .op = Op::kGreaterEqual,
    .traits = {ElementWise::kYes, ResultOrigin::kCompared, ScratchKind::kNone, Specials::kPairs},
    .infer = InferBroadcastToBool,
    .check = CheckBroadcast,
    .meaning = BinaryReadings(
        [](auto& d, DType type, auto& a, auto& b) { return d.GreaterEqual(type, a, b); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    {"i48[2]{-140737488355328,140737488355327}", "", "i48[2]{-140737488355328,140737488355327}"},
    {"fp16[5]{nan,-inf,-0,65504,1}", "", "fp16[5]{nan,-inf,-0,65504,1}"},
    {"i4[1,2]{-7,7}", "", "i4[1,2]{-7,7}"},
    {"bool[]{true}", "", "bool[]{true}"},
    {"i8[2]{1,2}", "output=i8[1,2]", "error IDENTITY/ERROR_IF/arguments"},
    {"i8[2]{1,2}", "output=i16[2]", "error IDENTITY/ERROR_IF/types"},
};

}  // namespace

extern const OperatorDefinition identity_operator = {
    .op = Op::kIdentity,
    .traits = {ElementWise::kYes, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = InferSameAsInput,
    .move = MoveInOrder,
    .view = true,
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // 1100 | 1010 = 1110; 0x80 | 0x7f = 0xff.
    {"i8[2]{12,-128} i8[2]{10,127}", "", "i8[2]{14,-1}"},
    // Stretched: 0xff00 | 0x00f0 = 0xfff0, 0xff00 | 0x000f = 0xff0f.
    {"i16[1]{-256} i16[2]{240,15}", "", "i16[2]{-16,-241}"},
    // 0xf0f0f0f0 | 0x0ff00ff0 = 0xfff0fff0.
    {"i32[1]{-252645136} i32[1]{267390960}", "", "i32[1]{-983056}"},
    {"i8[1,2]{1,2} i8[2]{1,2}", "output=i8[1,2]", "error BITWISE_OR/ERROR_IF/broadcast_shape"},
    {"i8[2]{1,2} i8[1]{1}", "output=i8[1]", "error BITWISE_OR/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition bitwise_or_operator = {
    .op = Op::kBitwiseOr,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = BinaryReadings([](auto& d, DType, auto& a, auto& b) { return d.Or(a, b); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // 1100 & 1010 = 1000; -1 has all bits set.
    {"i8[2]{12,-1} i8[2]{10,-128}", "", "i8[2]{8,-128}"},
    // Stretched: 0xff00 & 0x7fff = 0x7f00, 0xff00 & 0x01ff = 0x0100.
    {"i16[1]{-256} i16[2]{32767,511}", "", "i16[2]{32512,256}"},
    // 0xf0f0f0f0 & 0x0ff00ff0 = 0x00f000f0.
    {"i32[1]{-252645136} i32[1]{267390960}", "", "i32[1]{15728880}"},
    {"i8[2]{1,2} i8[3]{1,2,3}", "output=i8[3]", "error BITWISE_AND/ERROR_IF/broadcast_shape"},
    {"i8[2]{1,2} i8[1]{1}", "output=i8[1]", "error BITWISE_AND/ERROR_IF/1"},
    // 111 & 101: the lowest bit counts, too.
    {"i8[1]{7} i8[1]{5}", "", "i8[1]{5}"},
};

}  // namespace

extern const OperatorDefinition bitwise_and_operator = {
    .op = Op::kBitwiseAnd,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = BinaryReadings([](auto& d, DType, auto& a, auto& b) { return d.And(a, b); }),
    .examples = kExamples,
};

}  // namespace assay::ops

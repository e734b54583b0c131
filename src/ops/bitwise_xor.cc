// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // 1100 ^ 1010 = 0110; 0x80 ^ 0xff = 0x7f.
    {"i8[2]{12,-128} i8[2]{10,-1}", "", "i8[2]{6,127}"},
    // 0xff00 ^ 0xfff0 = 0x00f0, stretched.
    {"i16[1]{-256} i16[2]{-16,-1}", "", "i16[2]{240,255}"},
    // 0xf0f0f0f0 ^ 0x0ff00ff0 = 0xff00ff00.
    {"i32[1]{-252645136} i32[1]{267390960}", "", "i32[1]{-16711936}"},
    {"i8[2]{1,2} i8[3]{1,2,3}", "output=i8[2]", "error BITWISE_XOR/ERROR_IF/broadcast_shape"},
    {"i8[2]{1,2} i8[1]{1}", "output=i8[1]", "error BITWISE_XOR/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition bitwise_xor_operator = {
    .op = Op::kBitwiseXor,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = BinaryReadings([](auto& d, DType, auto& a, auto& b) { return d.Xor(a, b); }),
    .examples = kExamples,
};

}  // namespace assay::ops

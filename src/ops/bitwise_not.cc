// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // ~x = -x - 1 in two's complement.
    {"i8[4]{0,-1,127,-128}", "", "i8[4]{-1,0,-128,127}"},
    // ~0x00ff = 0xff00 = -256.
    {"i16[2]{255,-32768}", "", "i16[2]{-256,32767}"},
    // ~0x12345678 = 0xedcba987 = -305419897.
    {"i32[1]{305419896}", "", "i32[1]{-305419897}"},
};

}  // namespace

extern const OperatorDefinition bitwise_not_operator = {
    .op = Op::kBitwiseNot,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferSameAsInput,
    .meaning = UnaryReadings([](auto& d, DType, auto& x) { return d.Not(x); }),
    .examples = kExamples,
};

}  // namespace assay::ops

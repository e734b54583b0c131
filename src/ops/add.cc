// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // Broadcasting along axis 1: 1+10, 2+10.
    {"i32[1,2]{1,2} i32[1,1]{10}", "", "i32[1,2]{11,12}"},
    // 2^31-1 + 1 = 2^31 is not an i32.
    {"i32[1]{2147483647} i32[1]{1}", "", "unpredictable ADD/REQUIRE/apply_add_s"},
    // fp16: 2048 + 1 = 2049 lies halfway between 2048 and 2050; the even fraction is 2048's.
    {"fp16[1]{2048} fp16[1]{1}", "", "fp16[1]{2048}"},
    // fp32: 2^24 + 3 = 16777219 lies halfway between 16777218 and 16777220; 16777220 is even.
    {"fp32[1]{16777216} fp32[1]{3}", "", "fp32[1]{16777220}"},
    {"i32[2]{1,2} i32[3]{1,2,3}", "output=i32[3]", "error ADD/ERROR_IF/broadcast_shape"},
    {"i32[2]{1,2} i32[1]{1}", "output=i32[1]", "error ADD/ERROR_IF/1"},
    // 2^24 + 1 needs 25 bits: more than the significand of fp32.
    {"i32[1]{16777217} i32[1]{0}", "", "i32[1]{16777217}"},
    // 131008 is beyond fp16; NaN + 1.
    {"fp16[2]{65504,nan} fp16[2]{65504,1}", "", "fp16[2]{inf,nan}"},
};

}  // namespace

extern const OperatorDefinition add_operator = {
    .op = Op::kAdd,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kPairs, 3},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = BinaryReadings([](auto& d, DType type, auto& a, auto& b) {
      return d.Add(type, a, b, "ADD/REQUIRE/apply_add_s");
    }),
    .examples = kExamples,
};

}  // namespace assay::ops

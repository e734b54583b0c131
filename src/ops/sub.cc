// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr Example kExamples[] = {
    // Stretched along axis 1: 5-7, 9-7.
    {"i32[1,2]{5,9} i32[1,1]{7}", "", "i32[1,2]{-2,2}"},
    // -2^31 - 1 and 0 - (-2^31) are not an i32.
    {"i32[1]{-2147483648} i32[1]{1}", "", "unpredictable SUB/REQUIRE/apply_sub_s"},
    {"i32[1]{0} i32[1]{-2147483648}", "", "unpredictable SUB/REQUIRE/apply_sub_s"},
    // fp16: 2048 - (-1) = 2049 lies halfway between 2048 and 2050; the even fraction is 2048's.
    // -65504 - 16 = -65520 lies halfway between -65504 and -65536, which is beyond the range.
    {"fp16[2]{2048,-65504} fp16[2]{-1,16}", "", "fp16[2]{2048,-inf}"},
    {"fp32[3]{inf,inf,nan} fp32[3]{inf,-inf,1}", "", "fp32[3]{nan,inf,nan}"},
    // bf16 counts in 2 above 256: 257.
    {"bf16[1]{256} bf16[1]{-1}", "", "bf16[1]{256}"},
    {"i32[2]{1,2} i32[3]{1,2,3}", "output=i32[3]", "error SUB/ERROR_IF/broadcast_shape"},
    {"i32[2]{1,2} i32[1]{1}", "output=i32[1]", "error SUB/ERROR_IF/1"},
    // 2^24 + 1 needs 25 bits: more than the significand of fp32.
    {"i32[1]{16777217} i32[1]{0}", "", "i32[1]{16777217}"},
};

}  // namespace

extern const OperatorDefinition sub_operator = {
    .op = Op::kSub,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kPairs, 3},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = BinaryReadings([](auto& d, DType type, auto& a, auto& b) {
      return d.Sub(type, a, b, "SUB/REQUIRE/apply_sub_s");
    }),
    .examples = kExamples,
};

}  // namespace assay::ops

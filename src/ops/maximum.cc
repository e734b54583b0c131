// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const NanMode mode = call.attributes().nan_mode();
  Binary(d, call, [&](const auto& a, const auto& b) { return d.Max(call.in(), mode, a, b); });
}

constexpr Example kExamples[] = {
    {"i32[3]{-2147483648,7,-1} i32[3]{2147483647,5,-2}", "nan_mode=PROPAGATE",
     "i32[3]{2147483647,7,-1}"},
    // PROPAGATE: a NaN on either side is the result.
    {"fp32[4]{nan,1,nan,1.5} fp32[4]{1,nan,nan,-2.5}", "nan_mode=PROPAGATE",
     "fp32[4]{nan,nan,nan,1.5}"},
    // IGNORE: the operand that is not a NaN, unless both are.
    {"fp16[4]{nan,1,nan,inf} fp16[4]{1,nan,nan,-inf}", "nan_mode=IGNORE", "fp16[4]{1,1,nan,inf}"},
    // Stretched.
    {"bf16[1]{3} bf16[2]{5,1}", "nan_mode=IGNORE", "bf16[2]{5,3}"},
    {"i32[2]{1} i32[3]{1}", "nan_mode=IGNORE output=i32[3]",
     "error MAXIMUM/ERROR_IF/broadcast_shape"},
    {"i32[2]{1} i32[1]{1}", "nan_mode=IGNORE output=i32[1]", "error MAXIMUM/ERROR_IF/1"},
    // 2^24 + 1 needs 25 bits: more than the significand of fp32.
    {"i32[1]{16777217} i32[1]{16777216}", "nan_mode=PROPAGATE", "i32[1]{16777217}"},
};

}  // namespace

extern const OperatorDefinition maximum_operator = {
    .op = Op::kMaximum,
    .traits = {ElementWise::kInPlace, ResultOrigin::kChosen, ScratchKind::kNone, Specials::kPairs},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

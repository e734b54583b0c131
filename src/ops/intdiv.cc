// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const auto zero = d.Integer(0);
  Binary(d, call, [&](const auto& a, const auto& b) {
    d.RequireTrue(d.LogicalNot(d.Equal(type, b, zero)), "INTDIV/REQUIRE/1");
    return RequireRange(d, type, d.DivInteger(a, b), "INTDIV/REQUIRE/apply_intdiv_s");
  });
}

constexpr Example kExamples[] = {
    // 3.5 and -3.5 are cut off towards zero.
    {"i32[4]{7,-7,7,-7} i32[4]{2,2,-2,-2}", "", "i32[4]{3,-3,-3,3}"},
    {"i32[2]{-2147483648,6} i32[1]{1}", "", "i32[2]{-2147483648,6}"},
    {"i32[1]{1} i32[1]{0}", "", "unpredictable INTDIV/REQUIRE/1"},
    // 2^31 is not an i32.
    {"i32[1]{-2147483648} i32[1]{-1}", "", "unpredictable INTDIV/REQUIRE/apply_intdiv_s"},
    {"i32[2]{1,2} i32[3]{1,2,3}", "output=i32[3]", "error INTDIV/ERROR_IF/broadcast_shape"},
    {"i32[2]{1,2} i32[1]{1}", "output=i32[1]", "error INTDIV/ERROR_IF/1"},
    // 2^24 + 1 needs 25 bits: more than the significand of fp32.
    {"i32[1]{16777217} i32[1]{1}", "", "i32[1]{16777217}"},
};

}  // namespace

extern const OperatorDefinition intdiv_operator = {
    .op = Op::kIntdiv,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

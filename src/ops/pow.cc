// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const auto zero = d.Real(0);
  const auto largest = d.Real(FormatOf(type).max);
  const auto is_finite = [&](const auto& x) {
    return d.GreaterEqual(type, largest, d.Abs(type, x));
  };
  Binary(d, call, [&](const auto& x, const auto& y) {
    d.RequireTrue(d.GreaterEqual(type, x, zero), "POW/REQUIRE/1");
    // x > 0 || y > 0, decided where either is, though a subnormal may count as 0.
    const auto greater = d.Max(type, NanMode::kIgnore, x, y);
    d.RequireTrue(d.Greater(type, greater, zero), "POW/REQUIRE/2");
    d.RequireTrue(d.LogicalNot(d.Or(d.IsNan(type, x), d.IsNan(type, y))), "POW/REQUIRE/3");
    d.RequireTrue(d.And(is_finite(x), is_finite(y)), "POW/REQUIRE/4");
    return d.Pow(type, x, y);
  });
}

constexpr Example kExamples[] = {
    {"fp32[4]{2,0,5,4} fp32[4]{3,2,0,-0.5}", "", "fp32[4]{8,0,1,0.5}"},
    // sqrt 2 = 1.414213562 in units of 2^-10: 1448.15, so 1448/1024. 3^11 = 177147 is beyond 65504.
    // 10^-1 in units of 2^-14: 1638.4, so 1638/16384.
    {"fp16[3]{2,3,10} fp16[3]{0.5,11,-1}", "", "fp16[3]{1.4140625,inf,0.0999755859375}"},
    // Stretched: 2^1, 2^-1; bf16 counts in 2^-6 there: sqrt 5 = 2.236068 is 143.1 units.
    {"bf16[1]{2} bf16[2]{1,-1}", "", "bf16[2]{2,0.5}"},
    {"bf16[1]{5} bf16[1]{0.5}", "", "bf16[1]{2.234375}"},
    {"fp32[1]{-1} fp32[1]{2}", "", "unpredictable POW/REQUIRE/1"},
    {"fp32[1]{0} fp32[1]{0}", "", "unpredictable POW/REQUIRE/2"},
    {"fp32[1]{1} fp32[1]{nan}", "", "unpredictable POW/REQUIRE/3"},
    {"fp32[1]{1} fp32[1]{inf}", "", "unpredictable POW/REQUIRE/4"},
    {"fp32[1]{inf} fp32[1]{1}", "", "unpredictable POW/REQUIRE/4"},
    {"fp32[2]{1} fp32[3]{1}", "output=fp32[3]", "error POW/ERROR_IF/broadcast_shape"},
    {"fp32[2]{1} fp32[1]{1}", "output=fp32[1]", "error POW/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition pow_operator = {
    .op = Op::kPow,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone, 1},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

void Checks(const Signature& s, const Level&, Judgement& j) {
  const bool has_zero_point = s.in(0) == DType::kInt8;
  j.ErrorIf(!has_zero_point && !s.IsZero(1), "NEGATE/ERROR_IF/1");
  j.ErrorIf(!has_zero_point && !s.IsZero(2), "NEGATE/ERROR_IF/2");
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  constexpr DType kAccumulator = DType::kInt32;
  const auto zero = d.Integer(0);
  const auto input_zp = call.input(1)[0];
  const auto output_zp = call.input(2)[0];
  Unary(d, call, [&](const auto& x) {
    // Reading negate-zero: the sign changes, also of a zero.
    if (IsFloat(type)) return d.Negate(type, x);
    auto value = d.Sub(kAccumulator, x, input_zp, "NEGATE/REQUIRE/apply_sub_s");
    value = d.Sub(kAccumulator, zero, value, "NEGATE/REQUIRE/apply_sub_s");
    value = d.Add(kAccumulator, value, output_zp, "NEGATE/REQUIRE/apply_add_s");
    return d.Truncate(type, d.Clip(value, MinimumInteger(type), MaximumInteger(type)));
  });
}

constexpr Example kExamples[] = {
    // -(-128) = 128 is clipped.
    {"i8[3]{5,-128,127} i8[1]{0} i8[1]{0}", "", "i8[3]{-5,127,-127}"},
    // -(5-2)+3; -(-128-2)+3 = 133 is clipped; -(127-2)+3.
    {"i8[3]{5,-128,127} i8[1]{2} i8[1]{3}", "", "i8[3]{0,127,-122}"},
    // -(127+128)-128 = -383 is clipped.
    {"i8[1]{127} i8[1]{-128} i8[1]{-128}", "", "i8[1]{-128}"},
    {"i16[2]{-32768,1} i16[1]{0} i16[1]{0}", "", "i16[2]{32767,-1}"},
    {"i32[2]{2147483647,-3} i32[1]{0} i32[1]{0}", "", "i32[2]{-2147483647,3}"},
    // 2^31 is not an i32.
    {"i32[1]{-2147483648} i32[1]{0} i32[1]{0}", "", "unpredictable NEGATE/REQUIRE/apply_sub_s"},
    // The table of special values.
    {"fp16[5]{-inf,inf,-0,0,nan} fp16[1]{0} fp16[1]{0}", "", "fp16[5]{inf,-inf,0,-0,nan}"},
    {"fp32[2]{1.5,-2} fp32[1]{0} fp32[1]{0}", "", "fp32[2]{-1.5,2}"},
    {"i16[1]{1} i16[1]{1} i16[1]{0}", "", "error NEGATE/ERROR_IF/1"},
    {"fp32[1]{1} fp32[1]{0} fp32[1]{1}", "", "error NEGATE/ERROR_IF/2"},
};

}  // namespace

extern const OperatorDefinition negate_operator = {
    .op = Op::kNegate,
    .traits = {ElementWise::kInPlace, ResultOrigin::kResigned, ScratchKind::kNone, Specials::kList},
    .infer = InferSameAsInput,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType from = call.in();
  const DType to = call.out();
  Unary(d, call, [&](const auto& x) {
    if (to == DType::kBool) return d.LogicalNot(d.Equal(from, x, d.Zero(from)));
    if (IsFloat(from)) {
      // Reading cast-nan: the text forbids a NaN here, the pseudocode does not.
      return IsFloat(to) ? d.FloatToFloat(from, to, x)
                         : d.FloatToInteger(from, to, x, "CAST/REQUIRE/nan_to_integer");
    }
    if (IsFloat(to)) return d.IntegerToFloat(from, to, x);
    return d.Truncate(to, x);
  });
}

constexpr Example kExamples[] = {
    {"bool[2]{true,false}", "", "i32[2]{1,0}"},
    {"i8[3]{0,-1,2}", "", "bool[3]{false,true,true}"},
    // The sign is extended; what does not fit loses its high bits: 300 = 0x12c, -129 = ...ff7f.
    {"i8[2]{-128,127}", "", "i32[2]{-128,127}"},
    {"i32[3]{300,-129,65536}", "", "i8[3]{44,127,0}"},
    // To the nearest, halves to even, then clipped.
    {"fp32[8]{2.5,3.5,-2.5,-3.5,0.5,2.6,200,-200}", "", "i8[8]{2,4,-2,-4,0,3,127,-128}"},
    {"fp32[4]{inf,-inf,3000000000,-0}", "", "i32[4]{2147483647,-2147483648,2147483647,0}"},
    {"fp16[2]{-65504,1023.5}", "", "i16[2]{-32768,1024}"},
    {"fp32[1]{nan}", "output=i8[1]", "unpredictable CAST/REQUIRE/nan_to_integer"},
    // Above 2^24 fp32 counts in 2, above 2^11 fp16: halves go to the even fraction. 70000 is beyond
    // the range of fp16.
    {"i32[3]{16777217,16777219,-16777217}", "", "fp32[3]{16777216,16777220,-16777216}"},
    {"i32[4]{2049,2051,65519,70000}", "", "fp16[4]{2048,2052,65504,inf}"},
    // 65520 lies halfway between 65504 and 65536, which is beyond the range. 2^-25 lies halfway
    // between 0 and the smallest subnormal.
    {"fp32[6]{2049,2051,65519,65520,nan,2.98023223876953125e-08}", "",
     "fp16[6]{2048,2052,65504,inf,nan,0}"},
    // 1 + 2^-8 and 1 + 3 * 2^-8, where bf16 counts in 2^-7.
    {"fp32[3]{1.00390625,1.01171875,-inf}", "", "bf16[3]{1,1.015625,-inf}"},
    // fp8e4m3 counts in 2 between 16 and 32. 464 lies halfway between 448 and 480, which is NaN;
    // there is no infinity.
    {"fp32[6]{17,19,464,465,inf,-1000}", "", "fp8e4m3[6]{16,20,448,nan,nan,nan}"},
    // fp8e5m2: 61440 lies halfway between 57344 and 65536, which is beyond the range.
    {"fp16[3]{61408,61440,-inf}", "", "fp8e5m2[3]{57344,inf,-inf}"},
    {"fp8e5m2[3]{1.75,-inf,nan}", "", "fp32[3]{1.75,-inf,nan}"},
    // bf16 counts in 2^23 at 2^30: 2^30 + 2^22 + 1 lies just beyond halfway.
    {"i32[1]{1077936129}", "output=bf16[1]", "bf16[1]{1082130432}"},
    // 2^-16 is a subnormal of fp8e5m2, which may not be flushed.
    {"fp16[1]{0.0000152587890625}", "output=fp8e5m2[1]", "fp8e5m2[1]{0.0000152587890625}"},
};

}  // namespace

extern const OperatorDefinition cast_operator = {
    .op = Op::kCast,
    .traits = {ElementWise::kYes, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone},
    .infer = InferSameShape,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

// Reading abs-sign: the operand itself is compared with 0, not its integer part.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const auto zero = d.Zero(type);
  Unary(d, call, [&](const auto& x) {
    if (IsFloat(type)) return d.Abs(type, x);
    // 0 - x of an x that is not negative is always in range, so the REQUIRE is that of the branch.
    const auto negated = d.Sub(type, zero, x, "ABS/REQUIRE/apply_sub_s");
    return d.Select(type, d.Greater(type, zero, x), negated, x);
  });
}

constexpr Example kExamples[] = {
    {"i32[4]{-5,5,0,-2147483647}", "", "i32[4]{5,5,0,2147483647}"},
    // 0 - (-2^31) = 2^31 is not an i32.
    {"i32[1]{-2147483648}", "", "unpredictable ABS/REQUIRE/apply_sub_s"},
    // The table of special values, and a value whose integer part is 0.
    {"fp16[6]{-inf,inf,-0,0,nan,-0.5}", "", "fp16[6]{inf,inf,0,0,nan,0.5}"},
    {"fp32[2]{-3.25,3.25}", "", "fp32[2]{3.25,3.25}"},
};

}  // namespace

extern const OperatorDefinition abs_operator = {
    .op = Op::kAbs,
    .traits = {ElementWise::kInPlace, ResultOrigin::kResigned, ScratchKind::kNone, Specials::kList},
    .infer = InferSameAsInput,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

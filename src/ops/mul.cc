// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

void Checks(const Signature& s, const Level& level, Judgement& j) {
  CheckBroadcast(s, level, j);
  if (!j.valid() && j.broken() == nullptr) return;
  const int64_t shift = s.ConstantInteger(2);
  j.Require(0 <= shift && shift <= 63, "MUL/REQUIRE/1");
  // Reading mul-shift-type: the int32_t of the text is i32_t.
  j.Require(s.in(0) == DType::kInt32 || shift == 0, "MUL/REQUIRE/2");
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const int64_t shift = call.signature.ConstantInteger(2);
  const auto one = d.Integer(1);
  Binary(d, call, [&](const auto& a, const auto& b) {
    if (IsFloat(type)) return d.Mul(type, a, b);
    const auto product = d.MulInteger(a, b);
    // apply_mul_s<out_t>: the low 32 bits.
    if (type != DType::kInt32 || shift == 0) return d.Truncate(call.out(), product);
    // (product + (1 << (shift - 1))) >> shift in two steps, so that the sum stays within 64 bits
    // (reading mul-shift-63).
    const auto doubled = d.ShiftRight(product, d.Integer(shift - 1));
    const auto rounded = d.ShiftRight(d.AddInteger(doubled, one), one);
    return RequireRange(d, DType::kInt32, rounded, "MUL/REQUIRE/3");
  });
}

constexpr Example kExamples[] = {
    // The product of 8 and 16-bit operands always fits.
    {"i8[2]{-128,127} i8[2]{-128,-128} i8[1]{0}", "", "i32[2]{16384,-16256}"},
    {"i16[1]{-32768} i16[2]{-32768,32767} i8[1]{0}", "", "i32[2]{1073741824,-1073709056}"},
    // Without shift the low 32 bits: 2^16 * 2^15 = 2^31, which is -2^31; 2^32 is 0; 2^32 + 2^16
    // * 3.
    {"i32[3]{65536,65536,65536} i32[3]{32768,65536,65539} i8[1]{0}", "",
     "i32[3]{-2147483648,0,196608}"},
    // Shift 1: 7.5 goes to 8, -7.5 to -7, 7 stays.
    {"i32[3]{3,-3,7} i32[3]{5,5,2} i8[1]{1}", "", "i32[3]{8,-7,7}"},
    // 2^30 * 2^30 / 2^30.
    {"i32[1]{1073741824} i32[1]{1073741824} i8[1]{30}", "", "i32[1]{1073741824}"},
    // The greatest shift: (2^31 - 1)^2 + 2^62 and -2^31 * (2^31 - 1) + 2^62 lie between 0 and 2^63.
    {"i32[2]{2147483647,-2147483648} i32[2]{2147483647,2147483647} i8[1]{63}", "", "i32[2]{0,0}"},
    // 2^60 / 2^29 = 2^31 is not an i32.
    {"i32[1]{1073741824} i32[1]{1073741824} i8[1]{29}", "output=i32[1]",
     "unpredictable MUL/REQUIRE/3"},
    {"i32[1]{1} i32[1]{1} i8[1]{64}", "output=i32[1]", "unpredictable MUL/REQUIRE/1"},
    {"i8[1]{1} i8[1]{1} i8[1]{1}", "output=i32[1]", "unpredictable MUL/REQUIRE/2"},
    // fp16: 3 * 1365/4096 = 4095/4096 lies halfway between 2047/2048 and 1, which is even.
    // 256 * 256 is beyond 65504, and 2^-14 * 2^-11 halfway between 0 and the smallest subnormal.
    {"fp16[3]{3,256,0.00006103515625} fp16[3]{0.333251953125,-256,0.00048828125} i8[1]{0}", "",
     "fp16[3]{1,-inf,0}"},
    {"fp32[4]{inf,inf,nan,-2} fp32[4]{0,-inf,1,0} i8[1]{0}", "", "fp32[4]{nan,-inf,nan,-0}"},
    // bf16: 1.0078125^2 = 1 + 2^-6 + 2^-14, where it counts in 2^-7.
    {"bf16[1]{1.0078125} bf16[1]{1.0078125} i8[1]{0}", "", "bf16[1]{1.015625}"},
    {"i8[2]{1} i8[3]{1} i8[1]{0}", "output=i32[3]", "error MUL/ERROR_IF/broadcast_shape"},
    {"i8[2]{1} i8[1]{1} i8[1]{0}", "output=i32[1]", "error MUL/ERROR_IF/1"},
    // (-4 + 1) >> 1: -1.5 goes down to -2.
    {"i32[1]{-4} i32[1]{1} i8[1]{1}", "", "i32[1]{-2}"},
};

}  // namespace

extern const OperatorDefinition mul_operator = {
    .op = Op::kMul,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kPairs, 3},
    .infer = InferBroadcastShape,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

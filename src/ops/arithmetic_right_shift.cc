// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const bool round = call.attributes().Flag(AttributeId::kRound);
  const int64_t last = IntegerBits(type) - 1;
  const auto zero = d.Integer(0);
  const auto one = d.Integer(1);
  Binary(d, call, [&](const auto& x, const auto& by) {
    d.RequireBetween(by, 0, last, "ARITHMETIC_RIGHT_SHIFT/REQUIRE/1");
    const auto shifted = d.ShiftRight(x, by);
    if (!round) return shifted;
    // The last bit that is shifted out, if there is one.
    const auto bit = d.And(d.ShiftRight(x, d.SubInteger(by, one)), one);
    return d.AddInteger(shifted, d.Select(type, d.Greater(type, by, zero), bit, zero));
  });
}

constexpr Example kExamples[] = {
    // -5/2 = -2.5 and 5/2 = 2.5 go down; -1 stays -1 however far.
    {"i8[3]{-5,5,-1} i8[3]{1,1,7}", "round=false", "i8[3]{-3,2,-1}"},
    // With rounding halves go up: -2.5 to -2, 2.5 to 3; 6/4 = 1.5 to 2, 5/4 = 1.25 to 1.
    {"i8[4]{-5,5,6,5} i8[4]{1,1,2,2}", "round=true", "i8[4]{-2,3,2,1}"},
    // Shift 0 has no bit to round by; 127/128 rounds to 1.
    {"i8[2]{-1,127} i8[2]{0,7}", "round=true", "i8[2]{-1,1}"},
    {"i16[1]{-32768} i16[2]{15,14}", "round=true", "i16[2]{-1,-2}"},
    {"i32[2]{-2147483648,2147483647} i32[1]{31}", "round=false", "i32[2]{-1,0}"},
    {"i8[1]{1} i8[1]{8}", "round=false", "unpredictable ARITHMETIC_RIGHT_SHIFT/REQUIRE/1"},
    {"i16[1]{1} i16[1]{-1}", "round=true", "unpredictable ARITHMETIC_RIGHT_SHIFT/REQUIRE/1"},
    {"i8[2]{1} i8[3]{1}", "round=true output=i8[3]",
     "error ARITHMETIC_RIGHT_SHIFT/ERROR_IF/broadcast_shape"},
    {"i8[2]{1} i8[1]{1}", "round=true output=i8[1]", "error ARITHMETIC_RIGHT_SHIFT/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition arithmetic_right_shift_operator = {
    .op = Op::kArithmeticRightShift,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

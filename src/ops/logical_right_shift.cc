// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

// apply_logical_rshift: the operand as an unsigned number of its own width.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const int bits = IntegerBits(type);
  Binary(d, call, [&](const auto& x, const auto& by) {
    d.RequireBetween(by, 0, bits - 1, "LOGICAL_RIGHT_SHIFT/REQUIRE/1");
    return d.Truncate(type, d.ShiftRight(d.ZeroExtend(bits, x), by));
  });
}

constexpr Example kExamples[] = {
    // 0xff >> 1 = 0x7f, 0x80 >> 7 = 1, 0xff >> 0 = 0xff, 5 >> 1 = 2.
    {"i8[4]{-1,-128,-1,5} i8[4]{1,7,0,1}", "", "i8[4]{127,1,-1,2}"},
    // 0xfffe >> 1 = 0x7fff.
    {"i16[1]{-2} i16[2]{1,15}", "", "i16[2]{32767,1}"},
    {"i32[2]{-1,-2147483648} i32[2]{31,1}", "", "i32[2]{1,1073741824}"},
    {"i8[1]{1} i8[1]{8}", "", "unpredictable LOGICAL_RIGHT_SHIFT/REQUIRE/1"},
    {"i16[1]{1} i16[1]{-1}", "", "unpredictable LOGICAL_RIGHT_SHIFT/REQUIRE/1"},
    {"i8[2]{1} i8[3]{1}", "output=i8[3]", "error LOGICAL_RIGHT_SHIFT/ERROR_IF/broadcast_shape"},
    {"i8[2]{1} i8[1]{1}", "output=i8[1]", "error LOGICAL_RIGHT_SHIFT/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition logical_right_shift_operator = {
    .op = Op::kLogicalRightShift,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

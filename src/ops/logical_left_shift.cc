// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const int64_t last = IntegerBits(type) - 1;
  Binary(d, call, [&](const auto& x, const auto& by) {
    d.RequireBetween(by, 0, last, "LOGICAL_LEFT_SHIFT/REQUIRE/1");
    return d.Truncate(type, d.ShiftLeft(x, by));
  });
}

constexpr Example kExamples[] = {
    // 1 << 7 = 0x80; 3 << 7 = 0x180, of which 0x80 stays; 64 << 2 = 0x100, of which nothing.
    {"i8[3]{1,3,64} i8[3]{7,7,2}", "", "i8[3]{-128,-128,0}"},
    {"i16[2]{1,-1} i16[1]{15}", "", "i16[2]{-32768,-32768}"},
    {"i32[2]{-5,5} i32[2]{0,30}", "", "i32[2]{-5,1073741824}"},
    {"i8[1]{1} i8[1]{8}", "", "unpredictable LOGICAL_LEFT_SHIFT/REQUIRE/1"},
    {"i32[1]{1} i32[1]{-1}", "", "unpredictable LOGICAL_LEFT_SHIFT/REQUIRE/1"},
    {"i8[2]{1} i8[3]{1}", "output=i8[3]", "error LOGICAL_LEFT_SHIFT/ERROR_IF/broadcast_shape"},
    {"i8[2]{1} i8[1]{1}", "output=i8[1]", "error LOGICAL_LEFT_SHIFT/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition logical_left_shift_operator = {
    .op = Op::kLogicalLeftShift,
    .traits = {ElementWise::kInPlace, ResultOrigin::kCalculated, ScratchKind::kNone,
               Specials::kNone},
    .infer = InferBroadcast,
    .check = CheckBroadcast,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

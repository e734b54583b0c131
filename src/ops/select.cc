// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "element_wise.h"

namespace assay::ops {
namespace {

// broadcast_shape(broadcast_shape(shape1, shape2), shape3)
bool SelectShape(const Signature& s, Shape& shape) {
  Shape first;
  return BroadcastShape(s.shape(0), s.shape(1), first) && BroadcastShape(first, s.shape(2), shape);
}

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  outputs.assign(1, {s.in(1), {}});
  return SelectShape(s, outputs[0].shape);
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  Shape shape;
  const bool stretches = SelectShape(s, shape);
  j.ErrorIf(!stretches, "SELECT/ERROR_IF/broadcast_shape");
  j.ErrorIf(stretches && s.out_shape() != shape, "SELECT/ERROR_IF/1");
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const auto& condition = call.input(0);
  const auto& on_true = call.input(1);
  const auto& on_false = call.input(2);
  auto& out = call.output();
  const DType type = call.out();
  const std::array<BroadcastStrides, 3> strides = {
      BroadcastStrides(call.shape(0), call.out_shape()),
      BroadcastStrides(call.shape(1), call.out_shape()),
      BroadcastStrides(call.shape(2), call.out_shape())};
  ForEachBroadcast<3>(call.out_shape(), strides, [&](int64_t i, const auto& offset) {
    out[static_cast<size_t>(i)] = d.Store(
        type, d.Select(type, condition[offset[0]], on_true[offset[1]], on_false[offset[2]]));
  });
}

constexpr Example kExamples[] = {
    {"bool[3]{true,false,true} i8[3]{1,2,3} i8[3]{-1,-2,-3}", "", "i8[3]{1,-2,3}"},
    // Each operand stretches on its own: rows by condition, columns by input2, all by input3.
    {"bool[2,1]{true,false} i32[1,3]{1,2,3} i32[1,1]{9}", "", "i32[2,3]{1,2,3,9,9,9}"},
    {"bool[1]{false} bool[2]{true,true} bool[2]{true,false}", "", "bool[2]{true,false}"},
    // An element that is not selected has no influence, even if it is a NaN.
    {"bool[3]{true,false,true} fp16[3]{nan,nan,-inf} fp16[3]{1,2,nan}", "", "fp16[3]{nan,2,-inf}"},
    {"bool[2]{true} i8[1]{1} i8[3]{1}", "output=i8[3]", "error SELECT/ERROR_IF/broadcast_shape"},
    {"bool[1]{true} i8[1]{1} i8[3]{1}", "output=i8[1]", "error SELECT/ERROR_IF/1"},
};

}  // namespace

extern const OperatorDefinition select_operator = {
    .op = Op::kSelect,
    .traits = {ElementWise::kYes, ResultOrigin::kChosen, ScratchKind::kNone, Specials::kNone},
    .infer = Infer,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  Reduce(d, call, [&](auto elements) {
    auto acc = d.Integer(0);
    for (const auto& value : elements) acc = d.Or(acc, value);
    return acc;
  });
}

constexpr Example kExamples[] = {
    // Columns: t|f, f|f, f|t.
    {"bool[2,3]{true,false,false,false,false,true}", "axis=0", "bool[1,3]{true,false,true}"},
    // Rows: f|f|f, f|f|t.
    {"bool[2,3]{false,false,false,false,false,true}", "axis=1", "bool[2,1]{false,true}"},
    // In the middle: f|f, t|f; f|f, f|t.
    {"bool[2,2,2]{false,true,false,false,false,false,false,true}", "axis=1",
     "bool[2,1,2]{false,true,false,true}"},
    {"bool[1]{false}", "axis=0", "bool[1]{false}"},
    {"bool[2]{true}", "axis=2 output=bool[1]", "error REDUCE_ANY/ERROR_IF/1"},
    {"bool[2]{true}", "axis=-1 output=bool[1]", "error REDUCE_ANY/ERROR_IF/1"},
    // The output keeps the axis, with dimension 1.
    {"bool[2,3]{true}", "axis=1 output=bool[2,3]", "error REDUCE_ANY/ERROR_IF/2"},
    {"bool[2,3]{true}", "axis=1 output=bool[1,1]",
     "unpredictable REDUCE_ANY/REQUIRE/tensor_index_to_offset"},
    // Two of two.
    {"bool[2]{true,true}", "axis=0", "bool[1]{true}"},
};

}  // namespace

extern const OperatorDefinition reduce_any_operator = {
    .op = Op::kReduceAny,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone},
    .infer = InferReduction,
    .check = CheckReduction,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

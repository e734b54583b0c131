// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  Reduce(d, call, [&](auto elements) {
    auto acc = d.Integer(1);
    for (const auto& value : elements) acc = d.And(acc, value);
    return acc;
  });
}

constexpr Example kExamples[] = {
    // Columns: t&t, f&t, t&f.
    {"bool[2,3]{true,false,true,true,true,false}", "axis=0", "bool[1,3]{true,false,false}"},
    // Rows: t&t&t, t&t&f.
    {"bool[2,3]{true,true,true,true,true,false}", "axis=1", "bool[2,1]{true,false}"},
    // In the middle: t&t, f&t; t&t, t&f.
    {"bool[2,2,2]{true,false,true,true,true,true,true,false}", "axis=1",
     "bool[2,1,2]{true,false,true,false}"},
    {"bool[1]{true}", "axis=0", "bool[1]{true}"},
    {"bool[2]{true}", "axis=2 output=bool[1]", "error REDUCE_ALL/ERROR_IF/1"},
    {"bool[2]{true}", "axis=-1 output=bool[1]", "error REDUCE_ALL/ERROR_IF/1"},
    // The output keeps the axis, with dimension 1.
    {"bool[2,3]{true}", "axis=1 output=bool[2,3]", "error REDUCE_ALL/ERROR_IF/2"},
    {"bool[2,3]{true}", "axis=1 output=bool[1,1]",
     "unpredictable REDUCE_ALL/REQUIRE/tensor_index_to_offset"},
};

}  // namespace

extern const OperatorDefinition reduce_all_operator = {
    .op = Op::kReduceAll,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone},
    .infer = InferReduction,
    .check = CheckReduction,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const DType type = call.in();
  const int64_t K = call.shape(0)[1];
  const int64_t W = call.shape(1)[1];
  const int64_t C = call.shape(0)[2];
  const auto& values_in = call.input(0);
  const auto& indices = call.input(1);
  const auto& input = call.input(2);
  std::vector<Element> index(static_cast<size_t>(W));
  std::vector<Element> modified(static_cast<size_t>(K));  // output_modified[n, :, any c]
  std::vector<Element> column(static_cast<size_t>(K));    // values_out[n, :, c]
  for (int64_t n = 0; n < call.shape(0)[0]; ++n) {
    modified.assign(modified.size(), d.Integer(0));
    for (int64_t w = 0; w < W; ++w) {
      const Element k = d.RequireBetween(indices[n * W + w], 0, K - 1, "SCATTER/REQUIRE/1");
      d.RequireTrue(d.LogicalNot(d.Lookup(DType::kInt32, modified, k)), "SCATTER/REQUIRE/2");
      d.Update(DType::kInt32, modified, k, d.Integer(1));
      index[static_cast<size_t>(w)] = k;
    }
    for (int64_t c = 0; c < C; ++c) {
      for (int64_t k = 0; k < K; ++k) {
        column[static_cast<size_t>(k)] = values_in[(n * K + k) * C + c];
      }
      for (int64_t w = 0; w < W; ++w) {
        d.Update(type, column, index[static_cast<size_t>(w)], input[(n * W + w) * C + c]);
      }
      for (int64_t k = 0; k < K; ++k) {
        call.output()[static_cast<size_t>((n * K + k) * C + c)] = column[static_cast<size_t>(k)];
      }
    }
  }
}

constexpr Example kExamples[] = {
    // Row 2 becomes {7,8}, row 0 becomes {9,10}; row 1 stays.
    {"i8[1,3,2]{1,2,3,4,5,6} i32[1,2]{2,0} i8[1,2,2]{7,8,9,10}", "", "i8[1,3,2]{9,10,3,4,7,8}"},
    // Each batch writes into its own values; the same index in two batches is no repetition.
    {"fp16[2,2,1]{1,2,3,4} i32[2,1]{1,1} fp16[2,1,1]{nan,-0}", "", "fp16[2,2,1]{1,nan,3,-0}"},
    // All rows, in another order.
    {"i32[1,2,1]{1,2} i32[1,2]{1,0} i32[1,2,1]{3,4}", "", "i32[1,2,1]{4,3}"},
    // Rows 0 and 1 only.
    {"i8[1,2,1]{1,2} i32[1,1]{2} i8[1,1,1]{3}", "", "unpredictable SCATTER/REQUIRE/1"},
    {"i8[1,2,1]{1,2} i32[1,1]{-1} i8[1,1,1]{3}", "", "unpredictable SCATTER/REQUIRE/1"},
    // Row 1 twice, though with the same value.
    {"i8[1,2,1]{1,2} i32[1,2]{1,1} i8[1,2,1]{3,3}", "", "unpredictable SCATTER/REQUIRE/2"},
    // Every batch has its own indices.
    {"i8[2,2,1]{1,2,3,4} i32[2,1]{0,1} i8[2,1,1]{9,8}", "", "i8[2,2,1]{9,2,3,8}"},
};

}  // namespace

extern const OperatorDefinition scatter_operator = {
    .op = Op::kScatter,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = InferSameAsInput,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

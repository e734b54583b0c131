// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  const Shape& values = s.shape(0);
  const Shape& indices = s.shape(1);
  if (values.rank() != 3 || indices.rank() != 2 || values[0] != indices[0]) return false;
  outputs.assign(1, {s.in(0), {values[0], indices[1], values[2]}});
  return true;
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const DType type = call.in();
  const int64_t K = call.shape(0)[1];
  const int64_t W = call.shape(1)[1];
  const int64_t C = call.shape(0)[2];
  const auto& values = call.input(0);
  const auto& indices = call.input(1);
  std::vector<Element> index(static_cast<size_t>(W));
  std::vector<Element> column(static_cast<size_t>(K));  // values[n, :, c]
  for (int64_t n = 0; n < call.shape(0)[0]; ++n) {
    for (int64_t w = 0; w < W; ++w) {
      index[static_cast<size_t>(w)] =
          d.RequireBetween(indices[n * W + w], 0, K - 1, "GATHER/REQUIRE/1");
    }
    for (int64_t c = 0; c < C; ++c) {
      for (int64_t k = 0; k < K; ++k) column[static_cast<size_t>(k)] = values[(n * K + k) * C + c];
      for (int64_t w = 0; w < W; ++w) {
        call.output()[static_cast<size_t>((n * W + w) * C + c)] =
            d.Lookup(type, column, index[static_cast<size_t>(w)]);
      }
    }
  }
}

constexpr Example kExamples[] = {
    // Rows {1,2}, {3,4}, {5,6}: row 2, row 0, row 2 again, row 1.
    {"i8[1,3,2]{1,2,3,4,5,6} i32[1,4]{2,0,2,1}", "", "i8[1,4,2]{5,6,1,2,5,6,3,4}"},
    // Each batch looks into its own values.
    {"fp32[2,2,1]{1,nan,-0,inf} i32[2,1]{1,0}", "", "fp32[2,1,1]{nan,-0}"},
    {"i16[2,1,2]{1,2,3,4} i32[2,2]{0}", "", "i16[2,2,2]{1,2,1,2,3,4,3,4}"},
    // Rows 0 and 1 only.
    {"i8[1,2,1]{1,2} i32[1,1]{2}", "", "unpredictable GATHER/REQUIRE/1"},
    {"i8[1,2,1]{1,2} i32[1,1]{-1}", "", "unpredictable GATHER/REQUIRE/1"},
    // Indices for 2 batches, values for 1.
    {"i8[1,2,1]{1,2} i32[2,1]{0}", "output=i8[1,1,1]", "error GATHER/ERROR_IF/arguments"},
};

}  // namespace

extern const OperatorDefinition gather_operator = {
    .op = Op::kGather,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = Infer,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

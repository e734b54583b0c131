// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator_definition.h"

namespace assay::ops {

// A shape seen from one of its axes.
struct AxisView {
  AxisView(const Shape& shape, int axis);
  int64_t outer = 1;  // positions left of the axis
  int64_t length = 1;
  int64_t inner = 1;  // positions right of it
};

// Sets the output to the type and shape of input 0, with dimension 1 at `axis`.
bool InferReduction(const Signature& signature, std::vector<TensorType>& outputs);

// Checks the two ERROR_IFs that all reductions have. Any other mistake in an output's shape is no
// ERROR_IF (reading `derivable-shapes`).
void CheckReduction(const Signature& signature, const Level& level, Judgement& judgement);

// Computes output[left, right] = f(elements), with the elements along the axis between left and
// right, in order.
template <class D, class F>
void Reduce(D& d, const Call<D>& call, F f) {
  using Element = typename D::Element;
  const AxisView view(call.shape(), call.attributes().Int(AttributeId::kAxis));
  const Element* in = call.input(0).elements->data();
  const auto length = static_cast<size_t>(view.length);
  const DType type = call.out();
  auto& out = call.output();
  std::vector<Element> along(view.inner == 1 ? 0 : length);
  size_t position = 0;
  for (int64_t left = 0; left < view.outer; ++left) {
    const Element* block = in + left * view.length * view.inner;
    for (int64_t right = 0; right < view.inner; ++right) {
      if (view.inner == 1) {
        out[position++] = d.Store(type, f(std::span<const Element>(block, length)));
        continue;
      }
      const Element* from = block + right;
      for (size_t i = 0; i < length; ++i, from += view.inner) along[i] = *from;
      out[position++] = d.Store(type, f(std::span<const Element>(along)));
    }
  }
}

}  // namespace assay::ops

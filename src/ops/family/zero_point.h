// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator_definition.h"

namespace assay::ops {

// Returns the elements of operand `input`, less its zero point, which is operand `zero_point`.
// (This is apply_sub_s in the accumulator, which holds every difference.) Only i8 has zero points;
// other operands are returned unchanged. Calculated elements are kept in `storage`.
template <class D>
std::span<const typename D::Element> LessZeroPoint(D& d, const Call<D>& call, int input,
                                                   int zero_point,
                                                   std::vector<typename D::Element>& storage) {
  const auto& elements = *call.input(input).elements;
  if constexpr (kHasIntegers<D>) {
    if (call.in(input) == DType::kInt8) {
      const auto& zero = call.input(zero_point)[0];
      storage.reserve(elements.size());
      for (const auto& x : elements) storage.push_back(d.SubInteger(x, zero));
      return storage;
    }
  }
  return elements;
}

}  // namespace assay::ops

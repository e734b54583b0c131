// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor_elements.h"

namespace assay {

// Calls visit(x) for each element of a tensor, as a double. This is several times as fast as
// Tensor::Float() and Tensor::Integer() of each element.
template <class Visit>
void ForEachNumber(const Tensor& tensor, Visit visit) {
  if (IsFloat(tensor.type())) return ForEachFloat(tensor, visit);
  ForEachInteger(tensor, [&](int64_t x) { visit(static_cast<double>(x)); });
}

}  // namespace assay

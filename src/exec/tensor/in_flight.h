// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "bound_tensor.h"
#include "value_tensor.h"

namespace assay {

// The type of a tensor during execution in domain D, which is ValueDomain or BoundDomain.
template <class D>
using InFlightOf = std::conditional_t<std::is_same_v<D, BoundDomain>, BoundTensor, ValueTensor>;

// Converts a stored tensor to the type used during execution.
template <class D>
InFlightOf<D> ToFlight(const Tensor& tensor) {
  return InFlightOf<D>(ValueTensor(tensor));
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bound_tensor.h"
#include "value_tensor.h"

namespace assay {

// The type of a tensor during execution in domain D, with the functions that code for all domains
// needs.
template <class D>
struct InFlight;
template <>
struct InFlight<ValueDomain> {
  using Type = ValueTensor;
};
template <>
struct InFlight<BoundDomain> {
  using Type = BoundTensor;
};
template <class D>
using InFlightOf = typename InFlight<D>::Type;

// Converts a stored tensor to the type used during execution.
template <class D>
InFlightOf<D> ToFlight(const Tensor& tensor) {
  return InFlightOf<D>(ValueTensor(tensor));
}

// Returns the elements in the form that the meanings of operators read.
inline const DomainTensor<Scalar>& ElementsOf(const ValueTensor& value) { return value.scalars(); }
inline const DomainTensor<Bounded>& ElementsOf(const BoundTensor& value) {
  return value.elements();
}

}  // namespace assay

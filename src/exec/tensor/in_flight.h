#pragma once

#include "bound_tensor.h"
#include "value_tensor.h"

namespace assay {

// What a tensor in flight is in domain D, and what code for all domains asks of it.
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

// What a tensor at rest is in flight.
template <class D>
InFlightOf<D> ToFlight(const Tensor& tensor) {
  return InFlightOf<D>(ValueTensor(tensor));
}

// The elements as the meanings of operators read them.
inline const DomainTensor<Scalar>& ElementsOf(const ValueTensor& value) { return value.scalars(); }
inline const DomainTensor<Bounded>& ElementsOf(const BoundTensor& value) {
  return value.elements();
}

}  // namespace assay

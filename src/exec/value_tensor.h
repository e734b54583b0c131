#pragma once

#include "domain.h"
#include "tensor.h"
#include "value_domain.h"

namespace assay {

// A tensor in flight in the value domain: its bytes, which native kernels work on, or its elements
// as scalars, which templates work on. Whichever is missing is made when it is first asked for, and
// kept.
class ValueTensor {
 public:
  ValueTensor() = default;
  // `tensor` has a value; its NaNs may have any bits.
  explicit ValueTensor(Tensor tensor);
  explicit ValueTensor(DomainTensor<Scalar> elements) : scalars_(std::move(elements)) {}
  // Bytes that a native kernel has written: the NaNs are canonical.
  static ValueTensor OfCanonical(Tensor tensor);

  const TensorType& type() const { return scalars_.type; }
  int64_t size() const { return type().shape.Elements(); }
  bool has_elements() const { return tensor_.has_value() || scalars_.elements != nullptr; }

  // These need elements.
  const Tensor& tensor() const;      // NaNs are the canonical ones of their type
  const Tensor& raw_tensor() const;  // NaNs may have any bits
  const DomainTensor<Scalar>& scalars() const;
  // The same elements in another shape.
  ValueTensor Reshaped(const TensorType& type) const;

 private:
  mutable DomainTensor<Scalar> scalars_;
  mutable Tensor tensor_;
  mutable bool is_canonical_ = true;  // tensor_ is
};

// What a tensor in flight is in domain D, and what code for all domains asks of it.
template <class D>
struct InFlight {
  using Type = DomainTensor<typename D::Element>;
};
template <>
struct InFlight<ValueDomain> {
  using Type = ValueTensor;
};
template <class D>
using InFlightOf = typename InFlight<D>::Type;

template <class Element>
const TensorType& TypeOf(const DomainTensor<Element>& value) {
  return value.type;
}
inline const TensorType& TypeOf(const ValueTensor& value) { return value.type(); }

template <class Element>
bool HasElements(const DomainTensor<Element>& value) {
  return value.elements != nullptr;
}
inline bool HasElements(const ValueTensor& value) { return value.has_elements(); }

// The elements as the meanings of operators read them.
template <class Element>
const DomainTensor<Element>& ElementsOf(const DomainTensor<Element>& value) {
  return value;
}
inline const DomainTensor<Scalar>& ElementsOf(const ValueTensor& value) { return value.scalars(); }

// The same elements in another shape.
template <class Element>
DomainTensor<Element> Reshaped(const DomainTensor<Element>& value, const TensorType& type) {
  return {type, value.elements};
}
inline ValueTensor Reshaped(const ValueTensor& value, const TensorType& type) {
  return value.Reshaped(type);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "domain.h"
#include "tensor.h"
#include "tensor_elements.h"
#include "value_domain.h"

namespace assay {

// The range of the elements of a tensor.
struct Extremes {
  double low, high;        // the least and the greatest element, NaN aside
  bool special = false;    // there is a NaN or an infinity
  bool flushable = false;  // there is a subnormal, of a type that may flush
  bool zero = false;       // there is a zero of either sign; floats only
};

// Returns true if there is a NaN. Types other than floats have none.
bool HasNan(DType type, std::span<const uint8_t> bytes);
// Replaces all NaNs by the one bit pattern that a NaN of the type has.
void MakeNansCanonical(DType type, std::span<uint8_t> bytes);

// A tensor during execution in the value domain. It stores its bytes, which native kernels use, or
// its elements as scalars, which templates use. The missing form is made and kept when it is first
// needed.
class ValueTensor {
 public:
  ValueTensor() = default;
  // Not inline, as in Tensor.
  ValueTensor(const ValueTensor& other);
  ValueTensor& operator=(const ValueTensor& other);
  ValueTensor(ValueTensor&& other) noexcept;
  ValueTensor& operator=(ValueTensor&& other) noexcept;
  ~ValueTensor();
  // Makes a value of `tensor`, which has a value; its NaNs may have any bits.
  explicit ValueTensor(Tensor tensor);
  explicit ValueTensor(DomainTensor<Scalar> elements) : scalars_(std::move(elements)) {}
  // Makes a value of bytes that a native kernel has written: the NaNs are canonical.
  static ValueTensor OfCanonical(Tensor tensor);

  const TensorType& type() const { return scalars_.type; }
  int64_t size() const { return type().shape.Elements(); }
  // Returns true if NaNs of raw_tensor() are known to be canonical.
  bool is_canonical() const { return is_canonical_; }
  bool has_elements() const { return tensor_.has_value() || scalars_.elements != nullptr; }

  // These functions need elements.
  const Tensor& tensor() const;      // NaNs are the canonical ones of their type
  const Tensor& raw_tensor() const;  // NaNs may have any bits
  const DomainTensor<Scalar>& elements() const;
  void CopyScalars(std::span<Scalar> to) const;  // all of them, as many as `to` has
  Extremes extremes() const;                     // low > high if there are no elements
  // Calls visit(x) for each element, an int64_t (also of bool and shape) or a double.
  template <class Visit>
  void ForEachInteger(Visit visit) const {
    if (tensor_.has_value()) return assay::ForEachInteger(tensor_, visit);
    for (const Scalar x : *scalars_.elements) visit(x.integer());
  }
  template <class Visit>
  void ForEachFloat(Visit visit) const {
    if (tensor_.has_value()) return assay::ForEachFloat(tensor_, visit);
    for (const Scalar x : *scalars_.elements) visit(x.real());
  }
  // Returns the same elements in another shape.
  ValueTensor Reshaped(const TensorType& type) const;

 private:
  mutable DomainTensor<Scalar> scalars_;
  mutable Tensor tensor_;
  mutable bool is_canonical_ = true;  // of tensor_
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bound_domain.h"
#include "value_tensor.h"

namespace assay {

// Tells whether a backend must give the zeros of a tensor the sign that they have here. It must for
// inputs, constants and elements that are picked from them, but not for results.
enum class ZeroSigns : uint8_t { kKnown, kOpen };

// A tensor during execution in the bound domain. It is plain if its elements are
// BoundDomain::Given() of their values or, if the signs of zeros are open, Calculated(). Plain
// tensors are inputs and constants, elements picked from them, and integers computed from such. A
// plain tensor stores only its values. Its elements are made and kept when they are first needed.
class BoundTensor {
 public:
  BoundTensor() = default;
  // Not inline, as in Tensor.
  BoundTensor(const BoundTensor& other);
  BoundTensor& operator=(const BoundTensor& other);
  BoundTensor(BoundTensor&& other) noexcept;
  BoundTensor& operator=(BoundTensor&& other) noexcept;
  ~BoundTensor();
  // Makes a plain tensor.
  explicit BoundTensor(ValueTensor values, ZeroSigns zero_signs = ZeroSigns::kKnown);
  // Makes any tensor. It becomes plain if the elements are integers that are all exact.
  explicit BoundTensor(DomainTensor<Bounded> elements);

  const TensorType& type() const { return elements_.type; }
  int64_t size() const { return type().shape.Elements(); }
  bool has_elements() const { return elements_.elements != nullptr || values_.has_elements(); }
  bool plain() const { return plain_; }

  // Return the content of a plain tensor.
  const ValueTensor& values() const { return values_; }
  ZeroSigns zero_signs() const { return zero_signs_; }
  // These functions need elements.
  const DomainTensor<Bounded>& elements() const;
  // Returns the same elements in another shape.
  BoundTensor Reshaped(const TensorType& type) const;

 private:
  bool plain_ = false;
  ZeroSigns zero_signs_ = ZeroSigns::kKnown;
  ValueTensor values_;
  mutable DomainTensor<Bounded> elements_;
};

}  // namespace assay

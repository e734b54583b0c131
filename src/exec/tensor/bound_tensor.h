#pragma once

#include "bound_domain.h"
#include "value_tensor.h"

namespace assay {

// Whether a backend must give the zeros of a tensor the sign that they have here: of inputs, of
// constants and of what is picked from them, but not of results.
enum class ZeroSigns : uint8_t { kKnown, kOpen };

// A tensor in flight in the bound domain. It is plain if its elements are what BoundDomain::Given()
// makes of their values, or where the signs of zeros are open, Calculated(): inputs and constants,
// what is picked from them, and integers computed from such. A plain tensor is its values; elements
// are made of them when they are first asked for, and kept.
class BoundTensor {
 public:
  BoundTensor() = default;
  // Not inline, as those of Tensor are not.
  BoundTensor(const BoundTensor& other);
  BoundTensor& operator=(const BoundTensor& other);
  BoundTensor(BoundTensor&& other) noexcept;
  BoundTensor& operator=(BoundTensor&& other) noexcept;
  ~BoundTensor();
  // A plain tensor.
  explicit BoundTensor(ValueTensor values, ZeroSigns zero_signs = ZeroSigns::kKnown);
  // Any tensor; made plain where these are integers that are all exact.
  explicit BoundTensor(DomainTensor<Bounded> elements);

  const TensorType& type() const { return elements_.type; }
  int64_t size() const { return type().shape.Elements(); }
  bool has_elements() const { return elements_.elements != nullptr || values_.has_elements(); }
  bool plain() const { return plain_; }

  // Of a plain tensor.
  const ValueTensor& values() const { return values_; }
  ZeroSigns zero_signs() const { return zero_signs_; }
  // These need elements.
  const DomainTensor<Bounded>& elements() const;
  // The same elements in another shape.
  BoundTensor Reshaped(const TensorType& type) const;

 private:
  bool plain_ = false;
  ZeroSigns zero_signs_ = ZeroSigns::kKnown;
  ValueTensor values_;
  mutable DomainTensor<Bounded> elements_;
};

}  // namespace assay

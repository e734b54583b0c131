// SPDX-License-Identifier: Apache-2.0
#include "bound_tensor.h"

#include <algorithm>

namespace assay {

BoundTensor::BoundTensor(const BoundTensor& other) = default;
BoundTensor& BoundTensor::operator=(const BoundTensor& other) = default;
BoundTensor::BoundTensor(BoundTensor&& other) noexcept = default;
BoundTensor& BoundTensor::operator=(BoundTensor&& other) noexcept = default;
BoundTensor::~BoundTensor() = default;

BoundTensor::BoundTensor(ValueTensor values, ZeroSigns zero_signs)
    : plain_(true), zero_signs_(zero_signs), values_(std::move(values)) {
  elements_.type = values_.type();
}

BoundTensor::BoundTensor(DomainTensor<Bounded> elements) : elements_(std::move(elements)) {
  if (IsFloat(type().type) || elements_.elements == nullptr) return;
  auto values = std::make_shared<std::vector<Scalar>>();
  values->reserve(elements_.elements->size());
  for (const Bounded& x : *elements_.elements) {
    if (x.certainty != Certainty::kExact) return;
    values->push_back(x.value);
  }
  plain_ = true;
  values_ = ValueTensor(DomainTensor<Scalar>{type(), std::move(values)});
}

const DomainTensor<Bounded>& BoundTensor::elements() const {
  if (elements_.elements == nullptr) {
    auto elements = std::make_shared<std::vector<Bounded>>(static_cast<size_t>(size()));
    auto next = elements->begin();
    if (IsFloat(type().type)) {
      const FloatFormat format = FormatOf(type().type);  // a copy, which no write below changes
      const bool known = zero_signs_ == ZeroSigns::kKnown;
      values_.ForEachFloat([&](double x) {
        *next++ = known ? BoundDomain::Given(format, x) : BoundDomain::Calculated(format, x);
      });
    } else {
      values_.ForEachInteger([&](int64_t x) { *next++ = BoundDomain::Given(x); });
    }
    elements_.elements = std::move(elements);
  }
  return elements_;
}

BoundTensor BoundTensor::Reshaped(const TensorType& type) const {
  BoundTensor reshaped = *this;
  if (plain_) reshaped.values_ = values_.Reshaped(type);
  reshaped.elements_.type = type;
  return reshaped;
}

}  // namespace assay

#include "bound_tensor.h"

#include <algorithm>

namespace assay {

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
    auto elements = std::make_shared<std::vector<Bounded>>();
    elements->reserve(static_cast<size_t>(size()));
    for (const Scalar value : *values_.scalars().elements) {
      elements->push_back(BoundDomain::FromScalar(type().type, value));
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

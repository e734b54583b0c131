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
    if (IsFloat(type().type)) {
      const FloatFormat& format = FormatOf(type().type);
      const bool known = zero_signs_ == ZeroSigns::kKnown;
      values_.ForEachFloat([&](double x) {
        elements->push_back(known ? BoundDomain::Given(format, x)
                                  : BoundDomain::Calculated(format, x));
      });
    } else {
      values_.ForEachInteger([&](int64_t x) { elements->push_back(BoundDomain::Given(x)); });
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

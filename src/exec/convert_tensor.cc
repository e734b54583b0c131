#include <cmath>

#include "check.h"
#include "executor.h"
#include "float_format.h"

namespace assay {

template <class D>
DomainTensor<typename D::Element> ToDomain(const Tensor& tensor) {
  using Element = typename D::Element;
  std::vector<Element> elements(static_cast<size_t>(tensor.elements()));
  const DType type = tensor.type();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const Scalar value =
        IsFloat(type) ? Scalar::OfFloat(tensor.Float(i)) : Scalar::OfInteger(tensor.Integer(i));
    elements[static_cast<size_t>(i)] = D::FromScalar(type, value);
  }
  return {tensor.tensor_type(), std::make_shared<const std::vector<Element>>(std::move(elements))};
}

template DomainTensor<Scalar> ToDomain<ValueDomain>(const Tensor&);
template DomainTensor<Bounded> ToDomain<BoundDomain>(const Tensor&);

namespace {

bool IsElementOf(DType type, int64_t value) {
  if (type == DType::kBool) return value == 0 || value == 1;
  const int unused = 64 - IntegerBits(type);
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused == value;
}

template <class Element, class Get>
Tensor Encode(const DomainTensor<Element>& tensor, Get scalar_of) {
  const DType type = tensor.type.type;
  const auto width = static_cast<size_t>(ElementBytes(type));
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.size()) * width);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const Scalar scalar = scalar_of(tensor[i]);
    const uint64_t word =
        IsFloat(type) ? EncodeFloat(type, scalar.real()) : static_cast<uint64_t>(scalar.integer());
    Check(!IsFloat(type) || std::isnan(scalar.real()) ||
              DecodeFloat(type, static_cast<uint32_t>(word)) == scalar.real(),
          "a stored float is a value of its type");
    Check(IsFloat(type) || IsElementOf(type, scalar.integer()),
          "a stored integer is a value of its type");
    for (size_t k = 0; k < width; ++k) {
      bytes[static_cast<size_t>(i) * width + k] = static_cast<uint8_t>(word >> (8 * k));
    }
  }
  return Tensor::FromBytes(type, tensor.type.shape, std::move(bytes));
}

}  // namespace

Tensor ToTensor(const DomainTensor<Scalar>& tensor) {
  return Encode(tensor, [](Scalar x) { return x; });
}

Expectation ToExpectation(const DomainTensor<Bounded>& tensor, std::string rule) {
  Expectation expectation;
  expectation.value = Encode(tensor, [](const Bounded& x) { return x.value; });
  expectation.rule = std::move(rule);
  bool determined = true;
  for (const Bounded& x : *tensor.elements) {
    determined &= x.certainty == Certainty::kExact || x.certainty == Certainty::kZeroSignOpen;
  }
  if (determined) return expectation;
  const bool real = IsFloat(tensor.type.type);
  for (const Bounded& x : *tensor.elements) {
    const bool bounded = x.certainty == Certainty::kBounded;
    const double value = real ? x.value.real() : static_cast<double>(x.value.integer());
    expectation.reference.push_back(bounded ? x.reference : value);
    expectation.error.push_back(x.certainty == Certainty::kUndecided ? std::nan("")
                                : bounded                            ? x.error
                                                                     : 0.0);
  }
  return expectation;
}

}  // namespace assay

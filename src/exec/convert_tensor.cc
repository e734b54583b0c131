#include <cmath>
#include <cstring>

#include "check.h"
#include "executor.h"
#include "float_format.h"

namespace assay {

namespace {

// Calls read(i) for each element with the storage type hoisted out of the loop.
template <class Stored, class Element, class Make>
void ReadAll(const Tensor& tensor, std::vector<Element>& elements, Make make) {
  const uint8_t* bytes = tensor.bytes().data();
  const auto count = static_cast<size_t>(tensor.elements());
  elements.resize(count);
  for (size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, bytes + i * sizeof(Stored), sizeof(Stored));
    elements[i] = make(stored);
  }
}

}  // namespace

template <class D>
DomainTensor<typename D::Element> ToDomain(const Tensor& tensor) {
  using Element = typename D::Element;
  std::vector<Element> elements;
  const DType type = tensor.type();
  const auto integer = [type](auto stored) {
    return D::FromScalar(type, Scalar::OfInteger(static_cast<int64_t>(stored)));
  };
  const auto real = [type](auto stored) {
    return D::FromScalar(type, Scalar::OfFloat(DecodeFloat(type, stored)));
  };
  switch (type) {
    case DType::kUnknown:
      break;
    case DType::kBool:
      ReadAll<uint8_t>(tensor, elements, integer);
      break;
    case DType::kInt4:
    case DType::kInt8:
      ReadAll<int8_t>(tensor, elements, integer);
      break;
    case DType::kInt16:
      ReadAll<int16_t>(tensor, elements, integer);
      break;
    case DType::kInt32:
      ReadAll<int32_t>(tensor, elements, integer);
      break;
    case DType::kInt48:
    case DType::kShape:
      ReadAll<int64_t>(tensor, elements, integer);
      break;
    case DType::kFp32:
      ReadAll<uint32_t>(tensor, elements, real);
      break;
    case DType::kFp16:
    case DType::kBf16:
      ReadAll<uint16_t>(tensor, elements, real);
      break;
    case DType::kFp8e4m3:
    case DType::kFp8e5m2:
      ReadAll<uint8_t>(tensor, elements, real);
      break;
  }
  return {tensor.tensor_type(), std::make_shared<const std::vector<Element>>(std::move(elements))};
}

template DomainTensor<Scalar> ToDomain<ValueDomain>(const Tensor&);
template DomainTensor<Bounded> ToDomain<BoundDomain>(const Tensor&);

namespace {

template <class Stored, class Element, class Get>
void WriteAll(const DomainTensor<Element>& tensor, std::vector<uint8_t>& bytes, Get word_of) {
  bytes.resize(static_cast<size_t>(tensor.size()) * sizeof(Stored));
  uint8_t* to = bytes.data();
  for (const Element& element : *tensor.elements) {
    const auto stored = static_cast<Stored>(word_of(element));
    std::memcpy(to, &stored, sizeof(Stored));
    to += sizeof(Stored);
  }
}

template <class Element, class Get>
Tensor Encode(const DomainTensor<Element>& tensor, Get scalar_of) {
  const DType type = tensor.type.type;
  std::vector<uint8_t> bytes;
  const bool is_float = IsFloat(type);
  // All that the bits can hold: -8 in an i4 is calculated with (reading `i4-minimum`).
  const int64_t high = is_float ? 0 : MaximumInteger(type);
  const int64_t low = is_float || type == DType::kBool ? 0 : -high - 1;
  const auto word_of = [&](const Element& element) {
    const Scalar scalar = scalar_of(element);
    if (!is_float) {
      Check(scalar.integer() >= low && scalar.integer() <= high,
            "a stored integer is a value of its type");
      return static_cast<uint64_t>(scalar.integer());
    }
    const uint32_t bits = EncodeFloat(type, scalar.real());
    Check(std::isnan(scalar.real()) || DecodeFloat(type, bits) == scalar.real(),
          "a stored float is a value of its type");
    return uint64_t{bits};
  };
  switch (ElementBytes(type)) {
    case 1:
      WriteAll<uint8_t>(tensor, bytes, word_of);
      break;
    case 2:
      WriteAll<uint16_t>(tensor, bytes, word_of);
      break;
    case 4:
      WriteAll<uint32_t>(tensor, bytes, word_of);
      break;
    default:
      WriteAll<uint64_t>(tensor, bytes, word_of);
      break;
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
  std::vector<Bounded> elements;
  elements.reserve(tensor.elements->size());
  Certainty worst = Certainty::kExact;
  for (const Bounded& x : *tensor.elements) {
    elements.push_back(BoundDomain::Final(tensor.type.type, x));
    worst = std::max(worst, elements.back().certainty);
  }
  if (worst <= Certainty::kZeroSignOpen) return expectation;
  const bool real = IsFloat(tensor.type.type);
  expectation.reference.reserve(elements.size());
  expectation.error.reserve(elements.size());
  for (const Bounded& x : elements) {
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

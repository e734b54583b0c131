#include <cmath>
#include <cstring>

#include "check.h"
#include "executor.h"
#include "float_format.h"

namespace assay {

namespace {

// Calls read(i) for each element with the storage type hoisted out of the loop.
template <class Stored, class Make>
void ReadAll(const Tensor& tensor, std::vector<Scalar>& elements, Make make) {
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

DomainTensor<Scalar> ToScalars(const Tensor& tensor) {
  std::vector<Scalar> elements;
  const DType type = tensor.type();
  const auto integer = [](auto stored) { return Scalar::OfInteger(static_cast<int64_t>(stored)); };
  const auto real = [type](auto stored) { return Scalar::OfFloat(DecodeFloat(type, stored)); };
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
  return {tensor.tensor_type(), std::make_shared<const std::vector<Scalar>>(std::move(elements))};
}

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

Expectation ToExpectation(const BoundTensor& tensor, std::string rule) {
  Expectation expectation;
  expectation.rule = std::move(rule);
  const DType type = tensor.type().type;
  const bool real = IsFloat(type);
  if (tensor.plain()) {
    expectation.value = tensor.values().tensor();
    if (!tensor.values().extremes().flushable) return expectation;
  } else {
    expectation.value = Encode(tensor.elements(), [](const Bounded& x) { return x.value; });
  }
  Certainty worst = Certainty::kExact;
  expectation.reference.reserve(static_cast<size_t>(tensor.size()));
  expectation.error.reserve(static_cast<size_t>(tensor.size()));
  for (const Bounded& stored : *tensor.elements().elements) {
    const Bounded x = BoundDomain::Final(type, stored);
    const bool bounded = x.certainty == Certainty::kBounded;
    const double value = real ? x.value.real() : static_cast<double>(x.value.integer());
    expectation.reference.push_back(bounded ? x.reference : value);
    expectation.error.push_back(x.certainty == Certainty::kUndecided ? std::nan("")
                                : bounded                            ? x.error
                                                                     : 0.0);
    worst = std::max(worst, x.certainty);
  }
  if (worst <= Certainty::kZeroSignOpen) {
    expectation.reference = {};
    expectation.error = {};
  }
  return expectation;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "convert_tensor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "check.h"
#include "interval.h"
#include "memory.h"
#include "tensor_elements.h"

namespace assay {

DomainTensor<Scalar> ToScalars(const Tensor& tensor) {
  auto elements = std::make_shared<std::vector<Scalar>>();
  elements->reserve(static_cast<size_t>(tensor.elements()));
  if (IsFloat(tensor.type())) {
    ForEachFloat(tensor, [&](double x) { elements->push_back(Scalar::OfFloat(x)); });
  } else {
    ForEachInteger(tensor, [&](int64_t x) { elements->push_back(Scalar::OfInteger(x)); });
  }
  return {tensor.tensor_type(), std::move(elements)};
}

namespace {

template <class Element, class Get>
void WriteFloats(DType type, std::span<const Element> elements, uint8_t* to, Get scalar_of) {
  std::array<double, kFloatBlock> block;
  while (!elements.empty()) {
    const std::span<double> numbers =
        std::span(block).first(std::min(block.size(), elements.size()));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = scalar_of(elements[i]).real();
    Check(EncodeFloats(type, numbers, to), "a stored float is a value of its type");
    elements = elements.subspan(numbers.size());
    to += numbers.size() * static_cast<size_t>(ElementBytes(type));
  }
}

// Writes one element after the other, each as word_of() returns it.
template <class Stored, class Element, class Get>
void WriteAll(std::span<const Element> elements, uint8_t* to, Get word_of) {
  for (const Element& element : elements) {
    const auto stored = static_cast<Stored>(word_of(element));
    std::memcpy(to, &stored, sizeof(Stored));
    to += sizeof(Stored);
  }
}

template <class Element, class Get>
void WriteIntegers(DType type, std::span<const Element> elements, uint8_t* to, Get scalar_of) {
  // All values of the bits are allowed: -8 in an i4 is calculated with (reading `i4-minimum`).
  const int64_t high = MaximumInteger(type);
  const int64_t low = type == DType::kBool ? 0 : -high - 1;
  const auto word_of = [&](const Element& element) {
    const int64_t x = scalar_of(element).integer();
    Check(x >= low && x <= high, "a stored integer is a value of its type");
    return x;
  };
  const int width = ElementBytes(type);
  if (width == 1) return WriteAll<int8_t>(elements, to, word_of);
  if (width == 2) return WriteAll<int16_t>(elements, to, word_of);
  if (width == 4) return WriteAll<int32_t>(elements, to, word_of);
  WriteAll<int64_t>(elements, to, word_of);
}

template <class Element, class Get>
Tensor Encode(const DomainTensor<Element>& tensor, Get scalar_of) {
  const DType type = tensor.type.type;
  const auto bytes = RoomFor(tensor.elements->size() * static_cast<size_t>(ElementBytes(type)));
  const std::span<const Element> elements = *tensor.elements;
  if (IsFloat(type)) {
    WriteFloats(type, elements, bytes.get(), scalar_of);
  } else {
    WriteIntegers(type, elements, bytes.get(), scalar_of);
  }
  return Tensor::FromShared(type, tensor.type.shape, bytes);
}

}  // namespace

Tensor ToTensor(const DomainTensor<Scalar>& tensor) {
  return Encode(tensor, [](Scalar x) { return x; });
}

BoundTensor ShownTensor(const Tensor& tensor, const Declarations& declarations) {
  if (!IsFloat(tensor.type())) return BoundTensor(ValueTensor(tensor));
  auto elements = std::make_shared<std::vector<Bounded>>();
  elements->reserve(static_cast<size_t>(tensor.elements()));
  ForEachFloat(tensor,
               [&](double x) { elements->push_back(Shown(tensor.type(), x, declarations)); });
  return BoundTensor(DomainTensor<Bounded>{tensor.tensor_type(), std::move(elements)});
}

namespace {

// Returns the values as numbers. `real` means that they are floats.
std::vector<double> NumbersOf(const std::vector<Bounded>& elements, bool real) {
  std::vector<double> numbers(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const Scalar x = elements[i].value;
    numbers[i] = real ? x.real() : static_cast<double>(x.integer());
  }
  return numbers;
}

// Returns true if the value of an element is one of those that are accepted for it.
bool IsAdmitted(DType type, const Bounded& x) {
  if (x.certainty != Certainty::kBounded) return true;
  if (IsFloat(type)) return WithinBound(type, x.value.real(), x.reference, x.error);
  return std::fabs(static_cast<double>(x.value.integer()) - x.reference) <= x.error;
}

}  // namespace

Expectation ToExpectation(const BoundTensor& tensor, std::string rule) {
  Expectation expectation;
  expectation.rule = std::move(rule);
  const DType type = tensor.type().type;
  const bool real = IsFloat(type);
  if (tensor.plain()) {
    expectation.value = tensor.values().tensor();
    if (!real || !tensor.values().extremes().flushable) return expectation;
  } else {
    expectation.value = Encode(tensor.elements(), [](const Bounded& x) { return x.value; });
  }
  const std::vector<Bounded>& elements = *tensor.elements().elements;
  Certainty worst = Certainty::kExact;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].certainty <= Certainty::kZeroSignOpen) continue;
    const Bounded x = BoundDomain::Final(type, elements[i]);
    if (x.certainty <= Certainty::kZeroSignOpen) continue;
    if (worst == Certainty::kExact) {  // the first one
      expectation.reference = NumbersOf(elements, real);
      expectation.error.resize(elements.size());
    }
    Check(IsAdmitted(type, x), "a reference within its own set");
    worst = std::max(worst, x.certainty);
    const bool undecided = x.certainty == Certainty::kUndecided;
    if (!undecided) expectation.reference[i] = x.reference;
    expectation.error[i] = undecided ? std::numeric_limits<double>::quiet_NaN() : x.error;
  }
  return expectation;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "tensor.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "check.h"
#include "float_codec.h"
#include "memory.h"

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are stored as they are");

// Returns a tensor of the elements that `element_of(i)` returns, each cut to the type's width.
template <class ElementOf>
Tensor FromElements(DType type, const Shape& shape, size_t count, ElementOf element_of) {
  const auto width = static_cast<size_t>(ElementBytes(type));
  const auto bytes = RoomFor(count * width);
  for (size_t i = 0; i < count; ++i) {
    const int64_t element = element_of(i);
    std::memcpy(bytes.get() + i * width, &element, width);
  }
  return Tensor::FromShared(type, shape, bytes);
}

}  // namespace

std::string TensorType::ToString() const { return std::string(TypeName(type)) + shape.ToString(); }

Tensor::Tensor(const Tensor& other) = default;
Tensor& Tensor::operator=(const Tensor& other) = default;
Tensor::Tensor(Tensor&& other) noexcept = default;
Tensor& Tensor::operator=(Tensor&& other) noexcept = default;
Tensor::~Tensor() = default;

Tensor Tensor::FromBytes(DType type, Shape shape, std::vector<uint8_t> bytes) {
  Check(static_cast<int64_t>(bytes.size()) == shape.Elements() * ElementBytes(type),
        "a tensor has as many bytes as its type and shape say");
  const auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return FromShared(type, std::move(shape), {owner, owner->data()});
}

Tensor Tensor::FromShared(DType type, Shape shape, std::shared_ptr<const uint8_t[]> bytes) {
  Tensor tensor;
  tensor.elements_ = shape.Elements();
  tensor.has_value_ = true;
  tensor.type_ = {type, std::move(shape)};
  tensor.bytes_ = std::move(bytes);
  return tensor;
}

Tensor Tensor::FromIntegers(DType type, Shape shape, std::span<const int64_t> elements) {
  Check(static_cast<int64_t>(elements.size()) == shape.Elements(),
        "a tensor has as many elements as its shape says");
  return FromElements(type, shape, elements.size(), [&](size_t i) { return elements[i]; });
}

Tensor Tensor::FromFloats(DType type, Shape shape, std::span<const double> elements) {
  Check(static_cast<int64_t>(elements.size()) == shape.Elements(),
        "a tensor has as many elements as its shape says");
  return WithFormat(type, [&]<const FloatFormat & format>() {
    return FromElements(type, shape, elements.size(), [&](size_t i) {
      return static_cast<int64_t>(EncodeAs<format>(elements[i]));
    });
  });
}

Tensor Tensor::FromShape(std::span<const int64_t> values) {
  return FromIntegers(DType::kShape, Shape{static_cast<int32_t>(values.size())}, values);
}

Tensor Tensor::Splat(DType type, Shape shape, int64_t integer_or_bits) {
  const auto count = static_cast<size_t>(shape.Elements());
  return FromElements(type, shape, count, [=](size_t) { return integer_or_bits; });
}

Tensor Tensor::Reshaped(Shape shape) const { return FromShared(type(), std::move(shape), bytes_); }

std::span<const uint8_t> Tensor::bytes() const {
  if (!has_value_) return {};
  return {bytes_.get(), static_cast<size_t>(elements_ * ElementBytes(type()))};
}

int64_t Tensor::Integer(int64_t index) const {
  const int width = ElementBytes(type());
  uint64_t value = 0;
  std::memcpy(&value, bytes_.get() + index * width, static_cast<size_t>(width));
  if (type() == DType::kBool || width == 8) return static_cast<int64_t>(value);
  const uint64_t sign = uint64_t{1} << (8 * width - 1);
  return static_cast<int64_t>((value ^ sign) - sign);
}

uint32_t Tensor::FloatBits(int64_t index) const {
  const int width = ElementBytes(type());
  uint32_t bits = 0;
  std::memcpy(&bits, bytes_.get() + index * width, static_cast<size_t>(width));
  return bits;
}

double Tensor::Float(int64_t index) const { return DecodeFloat(type(), FloatBits(index)); }

std::string Tensor::ElementText(int64_t index) const {
  if (type() == DType::kBool) return Integer(index) != 0 ? "true" : "false";
  if (!IsFloat(type())) return std::to_string(Integer(index));
  const double value = Float(index);
  if (std::isnan(value)) return "nan";
  char text[64];
  // Writes the shortest decimal that reads back as the same fp32 (or narrower) value.
  const auto end = std::to_chars(text, text + sizeof(text), static_cast<float>(value));
  return std::string(text, end.ptr);
}

bool operator==(const Tensor& a, const Tensor& b) {
  const auto x = a.bytes();
  const auto y = b.bytes();
  return a.type_ == b.type_ && std::equal(x.begin(), x.end(), y.begin(), y.end());
}

}  // namespace assay

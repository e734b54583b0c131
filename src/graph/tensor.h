// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shape.h"
#include "types.h"

namespace assay {

// The type and the shape of a tensor.
struct TensorType {
  DType type = DType::kUnknown;
  Shape shape;
  std::string ToString() const;  // "i8[2,3]"
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// An immutable tensor value: row-major elements, each ElementBytes(type) wide, little-endian. A
// bool is 0 or 1. An i4 takes one byte (sign-extended), an i48 eight bytes (sign-extended). Floats
// are stored as their bits. Copies share the elements.
class Tensor {
 public:
  Tensor() = default;  // no type, no elements
  // Not inline: copies are made all over the code, and each would take a hundred bytes of code.
  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  // Makes a tensor. `bytes` must hold shape.Elements() * ElementBytes(type) bytes.
  static Tensor FromBytes(DType type, Shape shape, std::vector<uint8_t> bytes);
  // Makes a tensor from such elements, which the caller allocated without setting them to zero
  // first.
  static Tensor FromShared(DType type, Shape shape, std::shared_ptr<const uint8_t[]> bytes);
  // Makes a tensor of integers, bool or shape from one value of the type per element; of floats
  // from the *bits* of each element.
  static Tensor FromIntegers(DType type, Shape shape, std::span<const int64_t> elements);
  // Makes a tensor of floats, each rounded to the type (ties to even).
  static Tensor FromFloats(DType type, Shape shape, std::span<const double> elements);
  // Makes a shape_t value: type kShape, shape [values.size()].
  static Tensor FromShape(std::span<const int64_t> values);
  static Tensor Splat(DType type, Shape shape, int64_t integer_or_bits);

  // Returns the same elements in a shape with as many.
  Tensor Reshaped(Shape shape) const;

  DType type() const { return type_.type; }
  const Shape& shape() const { return type_.shape; }
  const TensorType& tensor_type() const { return type_; }
  int64_t elements() const { return elements_; }
  std::span<const uint8_t> bytes() const;
  bool has_value() const { return has_value_; }

  int64_t Integer(int64_t index) const;     // integers, bool, shape
  uint32_t FloatBits(int64_t index) const;  // floats
  double Float(int64_t index) const;        // floats, decoded
  // Returns one element for a person to read: "-3", "true", "1.5", "-0", "nan", "inf". Floats
  // round-trip.
  std::string ElementText(int64_t index) const;

  // Compares type, shape and bytes.
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  TensorType type_;
  int64_t elements_ = 0;
  bool has_value_ = false;
  std::shared_ptr<const uint8_t[]> bytes_;
};

}  // namespace assay

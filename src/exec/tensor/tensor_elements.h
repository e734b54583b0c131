// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "float_bytes.h"
#include "tensor.h"

namespace assay {

// Calls visit(bits) for each element of a tensor that has a value, in order, stored as Stored.
template <class Stored, class Visit>
void ForEachStored(const Tensor& tensor, Visit visit) {
  const uint8_t* bytes = tensor.bytes().data();
  const auto count = static_cast<size_t>(tensor.elements());
  for (size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, bytes + i * sizeof(Stored), sizeof(Stored));
    visit(stored);
  }
}

// Calls visit(int64_t) for each element of a tensor of integers, bool or shape that has a value.
template <class Visit>
void ForEachInteger(const Tensor& tensor, Visit visit) {
  const auto integer = [&](auto stored) { visit(static_cast<int64_t>(stored)); };
  const int width = ElementBytes(tensor.type());
  if (tensor.type() == DType::kBool) return ForEachStored<uint8_t>(tensor, integer);
  if (width == 1) return ForEachStored<int8_t>(tensor, integer);
  if (width == 2) return ForEachStored<int16_t>(tensor, integer);
  if (width == 4) return ForEachStored<int32_t>(tensor, integer);
  ForEachStored<int64_t>(tensor, integer);
}

// Returns the elements of a tensor of integers, bool or shape that has a value.
inline std::vector<int64_t> IntegerElements(const Tensor& tensor) {
  std::vector<int64_t> elements;
  ForEachInteger(tensor, [&](int64_t element) { elements.push_back(element); });
  return elements;
}

// The number of floats that are converted at a time.
inline constexpr size_t kFloatBlock = 256;

// Calls visit(double) for each element of a tensor of floats that has a value. Every NaN is the
// quiet one.
template <class Visit>
void ForEachFloat(const Tensor& tensor, Visit visit) {
  const auto count = static_cast<size_t>(tensor.elements());
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  std::array<double, kFloatBlock> block;
  for (size_t at = 0; at < count; at += block.size()) {
    const std::span<double> numbers = std::span(block).first(std::min(block.size(), count - at));
    DecodeFloats(tensor.type(), tensor.bytes().data() + at * width, numbers);
    for (const double number : numbers) visit(number);
  }
}

}  // namespace assay

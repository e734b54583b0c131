// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attributes.h"
#include "joined.h"
#include "tensor.h"

namespace assay {

// Longer constants are written as one hexadecimal string.
inline constexpr int64_t kMlirElementsListMax = 64;

// Returns an element as MLIR text. Floats are written as their bits, so that nothing is lost.
std::string MlirElement(const Tensor& tensor, int64_t index);

// Returns "tensor<2x3xf32>".
std::string MlirRankedType(const Shape& shape, DType type);

// Returns "dense<[1, 2]> : tensor<2xi32>".
std::string MlirDense(const Tensor& tensor);

// Returns "array<i64: 1, 2>".
template <class Number>
std::string MlirArray(std::string_view type, const std::vector<Number>& numbers) {
  const std::string list =
      Joined(numbers, ", ", [](Number number) { return std::to_string(number); });
  return "array<" + std::string(type) + (list.empty() ? "" : ": ") + list + ">";
}

// Returns the value of an attribute, or "" if the dialect cannot express it.
std::string MlirAttribute(AttributeId id, const AttributeValue& value);

// Returns a text in quotes, with escapes.
std::string MlirQuoted(const std::string& text);

}  // namespace assay

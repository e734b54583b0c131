// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor.h"

namespace assay {

// Readers of types and constants in MLIR text. They return nothing if the text is not of that kind.

// Reads "tensor<2x3xf32>" of static shape, or "!tosa.shape<2>".
std::optional<TensorType> ReadMlirTensorType(std::string_view text);

// Returns the reason why ReadMlirTensorType() does not read a type: "is unranked, ...".
// Empty if it does.
std::string MlirTypeProblem(std::string_view text);

// Reads "dense<[[1, 2]]> : tensor<1x2xi8>": lists, splats and hexadecimal strings. Decimals of
// float types are rounded to the element type. A splat takes the memory of all its elements.
std::optional<Tensor> ReadMlirDense(std::string_view text);

// Reads "-1.500000e+00 : f32", "3 : i8" or "true" as a rank-0 tensor.
std::optional<Tensor> ReadMlirScalar(std::string_view text);

// Reads "array<i64: 1, 2>".
std::optional<std::vector<int32_t>> ReadMlirArray(std::string_view text);

}  // namespace assay

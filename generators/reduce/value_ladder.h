// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tensor.h"

namespace assay {

// The order in which shrinking prefers the elements of tensors: first the few values of a fixed
// list (0, 1, 2, -1, ..., extremes, NaN), then numbers with few significant bits. It decides where
// shrinking ends, so it depends on the type alone.

// Returns the place of an element in that order: 0 for zero, and more for what is harder to read.
int64_t WeightOf(const Tensor& tensor, int64_t index);

// Returns the sum of the weights of all elements.
int64_t WeightOf(const Tensor& tensor);

// Returns the values of the list, the preferred ones first, as a tensor of one dimension.
const Tensor& LadderOf(DType type);

// Returns the tensor with one element replaced by element `from` of `values`, which has its type.
Tensor WithElement(const Tensor& tensor, int64_t index, const Tensor& values, int64_t from);

// Returns the values that may stand in for an element, the preferred ones first, as a tensor of one
// dimension. Each has a smaller weight than the element.
Tensor SimplerElements(const Tensor& tensor, int64_t index);

}  // namespace assay

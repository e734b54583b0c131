// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "tensor.h"

namespace assay {

// Constants that repeat themselves. Elements are compared by their bits.

// Returns the first `period[d]` elements of every axis d, if the rest repeats them; otherwise
// nothing. Each period must divide the extent.
std::optional<Tensor> FirstPeriod(const Tensor& tensor, const Shape& period);

// Returns `count` slices of a tensor along an axis, from `start` on.
Tensor Slice(const Tensor& tensor, int axis, int32_t start, int32_t count);

// Returns true if each row of a matrix of indices has all numbers from 0 to `count` - 1, and no
// others.
bool RowsHaveAllBelow(const Tensor& indices, int32_t count);

}  // namespace assay

#pragma once

#include <optional>
#include <span>

#include "tensor.h"

namespace assay {

// Constants that say the same several times. Elements are compared by their bits.

// The first `period[d]` elements of every axis, if the rest repeats them; each must divide the
// extent.
std::optional<Tensor> FirstPeriod(const Tensor& tensor, const Shape& period);

// `count` slices of a tensor along an axis, from `start` on.
Tensor Slice(const Tensor& tensor, int axis, int32_t start, int32_t count);

// Whether each row of a matrix of indices has all the numbers from 0 to `count` - 1, and no others.
bool RowsHaveAllBelow(const Tensor& indices, int32_t count);

}  // namespace assay

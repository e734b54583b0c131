// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shrink_moves.h"

namespace assay {

// Simpler data for the tensors of a vector (DataOf()).

// Returns the sum of the weights (value_ladder.h) of all data.
int64_t WeightOfData(const TestVector& vector);

// Returns the tensor with `count` elements from `first` on set to zero.
Tensor PartlyZero(const Tensor& tensor, size_t first, size_t count);

// Moves on to the next list of numbers with the same sum, which has more in front. The first one
// has everything at the end. Returns false at the end.
bool NextOfSameSum(std::vector<int64_t>& weights);

// Returns the vector with other data: one weight (value_ladder.h) for each element of DataOf(), in
// order. Returns nothing if a type has no value of a weight in its list.
Candidate WithWeights(const TestVector& vector, const std::vector<int64_t>& weights);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "graph.h"
#include "random.h"
#include "tensor.h"

namespace assay {

// The elements that a tensor may have, because an operator reads them as indices of a table.
struct IndexRange {
  int64_t size = 0;           // of the table: indices are from 0 to size - 1
  bool are_distinct = false;  // along the last dimension, as SCATTER needs them
};

// Returns the ranges of the tensors of a block that GATHER or SCATTER read as indices, directly or
// behind operators that move data.
std::map<TensorIndex, IndexRange> IndexRangesOf(const Block& block);

// Returns indices over the whole range. The last and the first of the table come first, so that
// each tensor of two elements reaches both ends.
Tensor DrawIndices(Random& random, const TensorType& type, const IndexRange& range);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "shrink_moves.h"

namespace assay {

// Shrink moves between vectors that are about as small, so that shrinking prefers one of them.

// Makes all readers of a constant of a main block read another one of the same type, which is
// before it. `first` and `second` are positions of operators.
Candidate MergeConstants(const TestVector& vector, int32_t graph, size_t first, size_t second);

// Exchanges the types and values of two inputs of a main block, by their positions in the list.
Candidate ExchangeInputs(const TestVector& vector, int32_t graph, size_t first, size_t second);

// Sets padding to 0, and stride and dilation to 1, in all operators of a main block that have them.
// The kernels of pools become 1, or with `keeps_kernels` at most as large as their inputs. Returns
// nothing if no operator has a window.
Candidate PlainWindows(const TestVector& vector, int32_t graph, bool keeps_kernels);

// Sorts the values of a CONST_SHAPE, by its position in the main block.
Candidate SortShape(const TestVector& vector, int32_t graph, size_t constant);

// Returns vectors in which inputs and constants with one axis that is longer than 1 have that axis
// at other places; kernels are as they are, or have their axes reversed. Returns nothing if there
// are too many of them.
std::vector<TestVector> OtherLayouts(const TestVector& vector, int32_t graph);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shrink_moves.h"

namespace assay {

// Shrink moves between vectors that are about as small, so that shrinking prefers one of them.

// Makes all readers of a constant of a main block read another one of the same type, which is
// before it. `first` and `second` are positions of operators.
Candidate MergeConstants(const TestVector& vector, int32_t graph, size_t first, size_t second);

// Exchanges the types and values of two inputs of a main block, by their positions in the list.
Candidate ExchangeInputs(const TestVector& vector, int32_t graph, size_t first, size_t second);

// Makes all readers of an input of a main block read a constant of the same type, by its position
// among the operators.
Candidate MergeWithConstant(const TestVector& vector, int32_t graph, size_t input, size_t constant);

// Returns true if an operator of the block has a stride.
bool HasWindows(const Block& block);

// Makes the axes of weights that are axes of nothing else 1. Returns nothing if all are.
Candidate SmallKernels(const TestVector& vector, int32_t graph);

// The kernels of pools: as they are, 1, or 1 and on the last axis 2.
enum class PoolKernels : uint8_t { kKept, kOne, kOneAndTwo };

// Sets padding to 0, and stride and dilation to 1, in all operators of a main block that have them.
// PoolKernels are at most as large as their inputs. Returns nothing if no operator has a window.
Candidate PlainWindows(const TestVector& vector, int32_t graph, PoolKernels kernels);

// Sorts the values of a CONST_SHAPE, by its position in the main block.
Candidate SortShape(const TestVector& vector, int32_t graph, size_t constant);

// Returns vectors in which inputs and constants with one axis that is longer than 1 have that axis
// at other places; kernels are as they are, or have their axes reversed. Returns nothing if there
// are too many of them.
std::vector<TestVector> OtherLayouts(const TestVector& vector, int32_t graph);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "test_vector.h"

namespace assay {

// The size of a vector: invocations and contexts, graphs, operators, constants, inputs, outputs,
// bytes of data, ranks, weight of attributes, places of long axes and large inputs, weight of
// values (value_ladder.h) and their places, ordered by importance. Every accepted shrink move
// lowers it, so that shrinking ends.
using Measure = std::array<int64_t, 12>;
Measure MeasureOf(const TestVector& vector);

// Returns the number of operators other than CONST and CONST_SHAPE, in all blocks.
int64_t WorkingOperators(const TestVector& vector);

// Returns a hash of everything that a backend can see of a vector, except names of tensors. Equal
// vectors have equal hashes, on every machine.
uint64_t CanonicalHash(const TestVector& vector);

}  // namespace assay

#pragma once

#include <array>
#include <cstdint>

#include "test_vector.h"

namespace assay {

// How much there is in a vector: invocations, operators, constants, inputs, outputs, bytes of data,
// weight of attributes, weight of values, ordered by importance. Every accepted shrink move makes
// it less, so that shrinking ends.
using Measure = std::array<int64_t, 9>;
Measure MeasureOf(const TestVector& vector);

// Operators other than CONST and CONST_SHAPE, in all blocks.
int64_t WorkingOperators(const TestVector& vector);

// A hash of everything that a backend can see of a vector, names of tensors apart: equal vectors
// have equal hashes, on every machine.
uint64_t CanonicalHash(const TestVector& vector);

}  // namespace assay

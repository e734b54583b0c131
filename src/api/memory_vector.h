// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "test_vector.h"

namespace assay {

// Returns a vector with a memory problem and a sound plan for it. It is a pure function of the
// seed. Half of the problems have the shapes of MakeSoundPlan(), half have all features.
TestVector MemoryVector(uint64_t seed);

// Returns true for a vector that has a sound plan, and nothing else.
bool IsMemoryVector(const TestVector& vector);

// Returns the vector with one of its SmallerProblems(), which is planned again if possible.
TestVector WithProblem(const TestVector& vector, PlannedProblem planned);

}  // namespace assay

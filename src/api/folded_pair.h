// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "result.h"
#include "test_vector.h"

namespace assay {

// Makes constants of the inputs whose bit is set in `inputs`, with the values of the first step on
// graph 0, and drops all other steps and graphs. Keeps at least one input. Error kBadInput if there
// is no such step.
Result<TestVector> WithConstantInputs(const TestVector& vector, uint64_t inputs);

// Returns a vector with a graph and the same graph after its constants are folded, as graphs 0 and
// 1 with a FoldPair. Each step of the graph runs on both, in contexts of their own.
Result<TestVector> FoldedPair(const TestVector& vector, size_t graph);

// Returns true for the result of FoldedPair().
bool IsFoldedPair(const TestVector& vector);

// Returns the vector that FoldedPair() was made of, with graph 0 and its steps alone.
TestVector BeforeFolding(const TestVector& vector);

}  // namespace assay

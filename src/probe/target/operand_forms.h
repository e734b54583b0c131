// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "test_vector.h"

namespace assay {

// Functions that change the form of an operand in a vector of one graph and one step: an input of
// the graph, or the result of CONST. The position is that of an operand of the operator `op` of the
// block `main`. Expectations stay as they are.

// Returns the index of the one operator of the block `main` that is no constant; nothing if there
// is another number of them.
std::optional<int> OnlyOperator(const TestVector& vector);

// Returns true if the operand is an input of the graph.
bool IsInput(const TestVector& vector, int op, int position);

// Makes a CONST of an operand that is an input. Does nothing for other operands.
void MakeConstant(TestVector& vector, int position);
// Makes an input of an operand that is the result of CONST. Does nothing for other operands.
void MakeInput(TestVector& vector, int position);

// Returns the vector with all operands but the first as constants.
TestVector WithConstants(const TestVector& vector);

}  // namespace assay

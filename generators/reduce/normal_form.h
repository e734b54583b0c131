// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test_vector.h"

namespace assay {

// Writes a vector in one of the many ways that mean the same: inputs in the order in which the
// operators read them, equal constants once, constants before other operators, no
// attribute that has its default, and names by number
// (%i0, %c1, %t2). Blocks that control flow runs only get names. Variables keep theirs. The
// expectation must be computed again.
TestVector NormalForm(const TestVector& vector);

}  // namespace assay

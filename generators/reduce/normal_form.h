// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test_vector.h"

namespace assay {

// Writes a vector in one of the many ways that mean the same: inputs in the order in which the
// operators read them, equal constants once, constants before other operators, no
// attribute that has its default, and names by number
// (%i0, %c1, %t2). Blocks that control flow runs come in the order of the calls, and only get
// names. Variables get names (v0) if `names_variables`, else keep theirs: a fault may depend on
// their order. The expectation must be computed again.
TestVector NormalForm(const TestVector& vector, bool names_variables = false);

}  // namespace assay

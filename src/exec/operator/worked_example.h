// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "example.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Returns a vector of one operator for a hand-worked example. Operands that must be compile-time
// constants become CONST or CONST_SHAPE; the others become inputs of the graph. The expectation is
// that of the example, not a result of the executor. The Error names what cannot be read.
Result<TestVector> VectorOfExample(Op op, const ops::Example& example);

}  // namespace assay

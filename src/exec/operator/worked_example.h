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

// Parses "i8[3]{-5,0,7}", "fp32[2]{nan,-inf}", "bool[]{true}", "shape[2]{3,1}" or "i4[2,2]{1}". One
// element stands for all (a splat).
Result<Tensor> ParseTensor(std::string_view text);

// Parses "i8[3]" or "fp32[]".
Result<TensorType> ParseTensorType(std::string_view text);

}  // namespace assay

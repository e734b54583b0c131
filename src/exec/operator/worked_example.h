#pragma once

#include "operator_definition.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// A vector of one operator that holds a hand-worked example: operands that must be compile-time
// constants become CONST or CONST_SHAPE, the others inputs of the graph; the expectation is what
// the example says, not what the executor computes. The error names what cannot be read.
Result<TestVector> VectorOfExample(Op op, const ops::Example& example);

// "i8[3]{-5,0,7}", "fp32[2]{nan,-inf}", "bool[]{true}", "shape[2]{3,1}", "i4[2,2]{1}" (one element:
// a splat).
Result<Tensor> ParseTensor(std::string_view text);

// "i8[3]", "fp32[]".
Result<TensorType> ParseTensorType(std::string_view text);

}  // namespace assay

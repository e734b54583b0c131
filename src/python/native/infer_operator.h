// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "graph.h"
#include "levels.h"
#include "result.h"

namespace assay::python {

// Returns the types of the outputs of the last operator of the main block, from its attributes, its
// operands and those of them that are CONST or CONST_SHAPE. `wished` has the element types of the
// outputs where the caller states them. The operator's declared outputs get these types.
//
// Error kBadInput names the rules of the specification that the operator breaks, or the element
// types that its output may have if several are possible.
Result<std::vector<TensorType>> InferLastOperator(Graph& graph, std::span<const DType> wished,
                                                  const Level& level);

}  // namespace assay::python

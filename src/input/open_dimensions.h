// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "result.h"
#include "shape.h"

namespace assay {

// A dimension of -1 is open: the graph leaves it to whoever runs it.
inline constexpr int32_t kOpenDimension = -1;

// A shape for the input of a name, or of a position, "0".
using NamedShape = std::pair<std::string, Shape>;

// Gives shapes to inputs of the main block, by name or position, and infers the open dimensions of
// all other tensors by the operators' shape rules. Afterwards no dimension is open. A graph without
// open dimensions keeps its shapes. Error kUsage for a name that is no input or is given twice, a
// shape that contradicts the input's, and an input that is left open. Error kBadInput if a shape
// rule gives no shape, or one that contradicts the graph's.
Result<Done> CloseDimensions(Graph& graph, const std::vector<NamedShape>& shapes);

}  // namespace assay

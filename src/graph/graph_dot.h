#pragma once

#include <string>

#include "graph.h"

namespace assay {

// Returns the graph as Graphviz text: a cluster for each block, a box for each operator with its
// attributes, an ellipse for each tensor that no operator makes and for each output of the block,
// and arrows labelled with tensors.
std::string GraphDot(const Graph& graph);

}  // namespace assay

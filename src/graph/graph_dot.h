// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph.h"

namespace assay {

// The part of a graph to draw, and what to point out in it.
struct DotOptions {
  std::vector<const Operator*> marked;  // of the graph; these have a thick border
  // Draws only the operators that are at most this many arrows away from a marked one, with dashed
  // ellipses for the tensors that other operators make.
  std::optional<int> distance;
};

// Returns the graph as Graphviz text: a cluster for each block, a box for each operator with its
// attributes, an ellipse for each tensor that no operator makes and for each output of the block,
// and arrows labelled with tensors.
std::string GraphDot(const Graph& graph, const DotOptions& options = {});

}  // namespace assay

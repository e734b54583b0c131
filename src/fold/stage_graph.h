// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "folding.h"
#include "graph.h"

namespace assay {

// A part of a graph's main block. BuildStage() makes it a graph of its own: tensors keep their
// names, operators their attributes and the order of the list.
struct StagePart {
  std::vector<bool> operators;          // by position in the main block: which are in it
  std::map<TensorIndex, Tensor> baked;  // all results of operators that become CONSTs
  std::vector<TensorIndex> inputs;
  std::vector<TensorIndex> outputs;
};
Graph BuildStage(const Graph& graph, const StagePart& part);

// Copies the blocks that the operators run, and the blocks that these run, from `from` to `to`.
void CopyCallees(const Graph& from, const std::vector<Operator>& operators, Graph& to);

// Returns a CONST, or CONST_SHAPE, of a value.
Operator Literal(const Tensor& value, TensorIndex output);

}  // namespace assay

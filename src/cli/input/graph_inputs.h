#pragma once

#include <string>
#include <vector>

#include "graph.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// Returns the inputs of a graph's main block, in order, from `NAME=FILE.npy` assignments. An Error
// names an input that is missing, given twice or unknown, or the file that does not fit.
Result<std::vector<Tensor>> LoadInputs(const Graph& graph,
                                       const std::vector<std::string>& assignments);

}  // namespace assay

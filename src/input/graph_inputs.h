// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// The inputs of a graph's main block, in order.
using GraphInputs = std::vector<Tensor>;

// Returns the samples of inputs that files hold: `NAME=FILE.npy` for each input, or .npz files,
// each of which has an array for each input. A name may be a position (InputNamed()).
// ReadNpySamples() says how many samples an array holds; all inputs must have the same number. The
// samples of several .npz files follow each other. An Error names an input that is missing, given
// twice or unknown, or the file that does not fit.
Result<std::vector<GraphInputs>> LoadSamples(const Graph& graph,
                                             const std::vector<std::string>& files);

// Does the same for commands that take one sample. Error kUsage if there are more.
Result<GraphInputs> LoadInputs(const Graph& graph, const std::vector<std::string>& files);

}  // namespace assay

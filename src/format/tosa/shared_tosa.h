// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph.h"
#include "mapped_file.h"

namespace assay {

// Returns the bytes that WriteTosa() returns, in the memory in which they were made. So there is no
// second copy of a large graph's constants.
SharedBytes WriteSharedTosa(const Graph& graph);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model_memory.h"

namespace assay {

// A graph as a model in C99. `header` is the text of NAME.h, which says what a caller needs to
// know; `source` is the text of NAME.c. Both need assay_kernel.h. The same graph, memory and plan
// give the same bytes.
struct ModelInC {
  std::string header, source;
};

// Emits the model. `memory` is MemoryOfModel() of the graph, `plan` a sound plan of its problem,
// `name` an identifier of C. Error kUnsupported if C cannot align a pool, or if the constants are
// too large for a source.
Result<ModelInC> EmitC(const Graph& graph, const ModelMemory& memory, const MemoryPlan& plan,
                       const std::string& name);

// Returns an identifier of C for a model, made from the name of a file.
std::string ModelNameOf(std::string_view file);

}  // namespace assay

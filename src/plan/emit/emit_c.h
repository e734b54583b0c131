#pragma once

#include <string>

#include "model_memory.h"

namespace assay {

// A graph as a model in C99: the texts of NAME.h, which says what a caller needs to know, and of
// NAME.c. Both need assay_kernel.h. The same bytes for the same graph, memory and plan.
struct ModelInC {
  std::string header, source;
};

// `memory` is MemoryOfModel() of the graph, `plan` a sound plan of its problem, `name` an
// identifier of C. Error kUnsupported if C cannot align a pool, or the constants are too large for
// a source.
Result<ModelInC> EmitC(const Graph& graph, const ModelMemory& memory, const MemoryPlan& plan,
                       const std::string& name);

// An identifier of C that a model may have, made of the name of a file.
std::string ModelNameOf(std::string_view file);

}  // namespace assay

#pragma once

#include <vector>

#include "rules.h"
#include "tosa_serialization_handler.h"

namespace assay {

// The rules that a `.tosa` file breaks before there is a graph: those on what reading refuses,
// drops or resolves. The rules of the graph itself are CheckGraph's (check_graph.h).
std::vector<Breach> CheckSerialization(const TosaSerializationHandler& file);

}  // namespace assay

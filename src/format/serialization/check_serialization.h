// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rules.h"
#include "tosa_serialization_handler.h"

namespace assay {

// Checks the rules that a `.tosa` file can break before there is a graph. They are about content
// that reading refuses, drops or resolves. The rules of the graph itself are those of CheckGraph()
// (check_graph.h).
std::vector<Breach> CheckSerialization(const TosaSerializationHandler& file);

}  // namespace assay

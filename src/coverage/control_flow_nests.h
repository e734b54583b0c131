// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph.h"

namespace assay {

// Nests of COND_IF and WHILE_LOOP in each other, outermost first: "COND_IF/WHILE_LOOP".

// Returns every nest up to kNestDepthMax operators deep, which is as deep as level 8K allows.
inline constexpr int kNestDepthMax = 6;
std::vector<std::string> AllNests();

// Returns, for each such operator of a graph, the nests of which it is the innermost operator.
// There are several if several operators run its block. Deeper nests are left out.
std::map<const Operator*, std::vector<std::string>> NestsOf(const Graph& graph);

}  // namespace assay

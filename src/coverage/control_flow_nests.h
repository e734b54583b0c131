#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph.h"

namespace assay {

// How COND_IF and WHILE_LOOP stand in each other, outermost first: "COND_IF/WHILE_LOOP".

// Every mix up to kNestDepthMax operators deep: as deep as level 8K allows.
inline constexpr int kNestDepthMax = 6;
std::vector<std::string> AllNests();

// The nests that each such operator of a graph is the innermost of; several if several run its
// block. Without those that are deeper.
std::map<const Operator*, std::vector<std::string>> NestsOf(const Graph& graph);

}  // namespace assay

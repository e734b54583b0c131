#pragma once

#include <string>
#include <vector>

#include "graph.h"
#include "levels.h"

namespace assay {

// A rule that a graph breaks, and where: "operator 3 (ADD) of block main".
struct Breach {
  std::string rule;
  std::string where;
};

// The static rules of a graph: those of the graph as a whole, and for every operator of every block
// its Arguments table, type rows, level checks and those of its own conditions that read only
// attributes, shapes and constants. Each operator gives its first broken rule only. Nothing is
// executed, so rules on values and on the order of state operators are not among them, and a block
// that never runs is checked like any other. `dynamic`: the target has EXT-DYNAMIC.
std::vector<Breach> CheckGraph(const Graph& graph, const Level& level, bool dynamic);

}  // namespace assay

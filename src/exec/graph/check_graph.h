#pragma once

#include <string>
#include <vector>

#include "graph.h"
#include "levels.h"
#include "profiles.h"
#include "rules.h"
#include "test_vector.h"

namespace assay {

// The static rules of a graph: those of the graph as a whole, and for every operator of every block
// its Arguments table, type rows, level checks and those of its own conditions that read only
// attributes, shapes and constants: every rule that is broken, each once per operator. Nothing is
// executed, so rules on values and on the order of state operators are not among them, and a block
// that never runs is checked like any other. `target`: with EXT-DYNAMIC in it, compile-time
// constants may be computed; with a profile in it, operators that it does not include are named as
// graph/TARGET/operators.
std::vector<Breach> CheckGraph(const Graph& graph, const Level& level, Requirements target);

// The same of all graphs of a vector, by its level and with what it requires as the target, and
// whether the inputs of its steps are those of the graphs.
std::vector<Breach> CheckVector(const TestVector& vector);

}  // namespace assay

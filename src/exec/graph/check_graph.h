// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph.h"
#include "levels.h"
#include "profiles.h"
#include "rules.h"
#include "scalar.h"
#include "test_vector.h"

namespace assay {

// Returns the elements of the CONST or CONST_SHAPE at a position in Block::operators, as the rules
// of operators read them. Returns nothing for any other operator, and for -1.
std::optional<std::vector<Scalar>> ConstantElements(const Block& block, int32_t producer);

// Checks the static rules of a graph. Returns every rule that is broken, each once per operator.
// The rules are those of the graph as a whole and, for every operator of every block, these: the
// Arguments table, type rows, level checks, and the operator's own conditions that read only
// attributes, shapes and constants. Nothing is executed. So rules on values and on the order of
// state operators are not checked, and a block that never runs is checked like any other. With
// EXT-DYNAMIC in `target`, compile-time constants may be computed. With a profile in `target`,
// operators that it does not include are reported as graph/TARGET/operators.
std::vector<Breach> CheckGraph(const Graph& graph, const Level& level, Requirements target);

// Does the same for all graphs of a vector. The level is that of the vector, and the target is what
// the vector requires. Also checks that the inputs of its steps are those of the graphs.
std::vector<Breach> CheckVector(const TestVector& vector);

}  // namespace assay

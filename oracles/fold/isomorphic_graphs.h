#pragma once

#include "graph.h"

namespace assay {

// Whether AFTER computes what BEFORE computes with the same operators: after names, the order of
// operators, copies of equal operators and constants, IDENTITY and what no output needs are set
// aside, the graphs are isomorphic. AFTER may leave operators away that no output needs, but not
// add any, as they might break a REQUIRE. Bits of constants count, so 0 is not -0.
//
// Both graphs, in which CheckGraph() finds nothing, are numbered by one table: equal operators on
// equal operands have one number. True is a proof, false says nothing. Linear in the graphs' size.
bool AreIsomorphic(const Graph& before, const Graph& after);

}  // namespace assay

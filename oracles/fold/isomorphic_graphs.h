// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph.h"

namespace assay {

// Returns true if AFTER computes what BEFORE computes with the same operators: the graphs are
// isomorphic after normalisation. Normalisation ignores names, the order of operators, copies of
// equal operators and constants, IDENTITY, and what no output needs. AFTER may drop operators that
// no output needs. It must not add any, because they might break a REQUIRE. Bits of constants
// count, so 0 is not -0.
//
// CheckGraph() must find nothing in either graph. One table numbers both: equal operators on equal
// operands have one number. True is a proof; false says nothing. Linear in the graphs' size.
bool AreIsomorphic(const Graph& before, const Graph& after);

}  // namespace assay

#pragma once

#include <vector>

#include "graph.h"
#include "verdict.h"

namespace assay {

// Tells causes from consequences among what is wrong in one step. An output that was computed from
// another wrong output, or from a variable read after it was written and found wrong, may be wrong
// for that reason alone, as may a variable into which such a tensor was written: its finding
// `follows` that tensor or variable. Findings that follow nothing come first, otherwise the order
// stays. What a variable held before the step does not count: earlier steps answer for it.
void CausesFirst(std::vector<Finding>& findings, const Graph& graph);

}  // namespace assay

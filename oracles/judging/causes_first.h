// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph.h"
#include "verdict.h"

namespace assay {

// Distinguishes causes from consequences among the findings of one step. An output may be wrong
// only because it was computed from a wrong tensor. This is another wrong output, or a variable
// that was written and found wrong before it was read. A variable may be wrong because such a
// tensor was written into it. The finding then `follows` that tensor or variable. Findings that
// follow nothing come first; otherwise the order stays. The value of a variable before the step
// does not count, because earlier steps are judged for it.
void CausesFirst(std::vector<Finding>& findings, const Graph& graph);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory_plan.h"

namespace assay {

// Returns the problems that one structural move makes smaller: fewer buffers, live ranges, ticks,
// conflicts and bytes, plainer alignments, places and pools. The large cuts come first. Every move
// takes a demand away and lowers the same measure. So a plan that was sound stays sound, and
// shrinking ends. The problem must have a place for each buffer.
std::vector<PlannedProblem> SmallerProblems(const PlannedProblem& planned);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "memory_plan.h"

namespace assay {

// Plans with the heuristics of other planners in their simplest form, for comparison. The problem
// has one live range for each buffer and no windows, lists or alignments; its pool has no end. If a
// planner leaves open which of two equal buffers comes first, the better of both orders counts.
// Returns the peak of each heuristic, by the planner's name.
std::map<std::string_view, int64_t> PeaksOfPeers(const MemoryProblem& problem);

}  // namespace assay

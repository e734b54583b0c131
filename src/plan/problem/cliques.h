// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conflicts.h"
#include "memory_plan.h"
#include "result.h"

namespace assay {

// Buffers of which each two conflict. No two of them share a byte, so any plan takes at least
// `bytes` for them.
struct Clique {
  int64_t bytes = 0;
  std::vector<int32_t> buffers;  // in the problem's order
  bool at_tick = false;          // they are all live at `tick`
  int64_t tick = 0;
};

// Returns the heaviest clique of live ranges among the buffers for which `counts` is true. This is
// the largest live set, at its first tick. O(n log n).
Clique LargestLiveSet(const MemoryProblem& problem, const std::vector<bool>& counts);

// Returns the largest live set, or a heavier clique of the problem's `conflicts` if these are
// listed. The search tries each buffer with its heaviest neighbours, so it may miss the heaviest
// clique.
Clique HeavyClique(const MemoryProblem& problem, const Conflicts& conflicts,
                   const std::vector<bool>& counts);

// Checks whether buffers that have to lie in the same pools and conflict with each other have more
// bytes than the pools. If so, returns an Error (kBadInput, "does not fit") that names the clique.
Result<Done> CheckFits(const MemoryProblem& problem, const Conflicts& conflicts);

// Checks the same by live ranges alone. A few hundred buffers take some hundredths of a
// millisecond.
Result<Done> CheckLiveSetsFit(const MemoryProblem& problem);

}  // namespace assay

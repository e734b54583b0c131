#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conflicts.h"
#include "memory_plan.h"
#include "result.h"

namespace assay {

// Buffers of which each two conflict, so that any plan takes at least `bytes` for them: no two of
// them share a byte.
struct Clique {
  int64_t bytes = 0;
  std::vector<int32_t> buffers;  // in the problem's order
  bool at_tick = false;          // they are all live at `tick`
  int64_t tick = 0;
};

// The heaviest clique of live ranges, which is the largest live set (its first tick), among the
// buffers for which `counts` is true; O(n log n).
Clique LargestLiveSet(const MemoryProblem& problem, const std::vector<bool>& counts);

// The same, or a heavier clique found in the problem's `conflicts`, where those are listed: by
// trying each buffer with its heaviest neighbours, so not always the heaviest there is.
Clique HeavyClique(const MemoryProblem& problem, const Conflicts& conflicts,
                   const std::vector<bool>& counts);

// An Error (kBadInput, "does not fit") if buffers that have to lie in the same pools and conflict
// with each other have more bytes than the pools: it names the clique.
Result<Done> CheckFits(const MemoryProblem& problem, const Conflicts& conflicts);

// The same, by live ranges alone: for a few hundred buffers in some hundredths of a millisecond.
Result<Done> CheckLiveSetsFit(const MemoryProblem& problem);

}  // namespace assay

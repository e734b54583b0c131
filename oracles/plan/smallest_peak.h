#pragma once

#include <cstdint>
#include <optional>

#include "checked_plan.h"
#include "memory_plan.h"

namespace assay {

// What Z3 proves about how small a pool can be, for the buffers that a plan puts there. Beyond
// kOptimumBuffersMax buffers nothing is asked. The most that is live at once is never for Z3 to
// prove (it would try every order): it is known before, with its clique.

inline constexpr int64_t kOptimumBuffersMax = 30;

// By bisection between the bound and the peak of a pool of a sound plan.
struct SmallestPeak {
  int64_t bound = 0;  // no plan has a lower peak
  int64_t peak = 0;   // that `plan` has; the smallest of all where it is `bound`
  MemoryPlan plan;    // the one that was given, or a better one
};
std::optional<SmallestPeak> FindSmallestPeak(const MemoryProblem& problem, const MemoryPlan& plan,
                                             size_t pool, const PoolUse& use);

// Whether these buffers fit into the pool at all. kUndecided for pools of unlimited size too.
enum class PoolFit : uint8_t { kFits, kDoesNotFit, kUndecided };
PoolFit FitsInto(const MemoryProblem& problem, const MemoryPlan& plan, size_t pool,
                 const PoolUse& use);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "checked_plan.h"
#include "memory_plan.h"

namespace assay {

// Z3's proofs of how small a pool can be, for the buffers that a plan puts there. With more than
// kOptimumBuffersMax buffers, Z3 is not asked. Z3 never has to prove that the most that is live at
// once must fit, because it would try every order. That bound is known before, with its clique.
inline constexpr int64_t kOptimumBuffersMax = 30;

// The result of a bisection between the bound and the peak of a pool of a sound plan.
struct SmallestPeak {
  int64_t bound = 0;  // no plan has a lower peak
  int64_t peak = 0;   // the peak of `plan`; the smallest of all if equal to `bound`
  MemoryPlan plan;    // the one that was given, or a better one
};
std::optional<SmallestPeak> FindSmallestPeak(const MemoryProblem& problem, const MemoryPlan& plan,
                                             size_t pool, const PoolUse& use);

// Tells whether these buffers fit into the pool at all. kUndecided also for pools of unlimited
// size.
enum class PoolFit : uint8_t { kFits, kDoesNotFit, kUndecided };
PoolFit FitsInto(const MemoryProblem& problem, const MemoryPlan& plan, size_t pool,
                 const PoolUse& use);

}  // namespace assay

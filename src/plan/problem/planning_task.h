// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cliques.h"
#include "conflicts.h"
#include "memory_plan.h"

namespace assay {

// The steps that a search may still take. A step is about one conflict looked at, some nanoseconds.
// Steps are counted instead of time, so that a plan is the same on every machine.
class StepBudget {
 public:
  // `reserve` is the number of further steps that are added if no plan is found without them.
  explicit StepBudget(int64_t steps, int64_t reserve = 0) : left_(steps), reserve_(reserve) {}
  int64_t left() const { return left_; }
  void UseReserve() { left_ += std::exchange(reserve_, 0); }
  void Spend(int64_t steps) { left_ -= std::min(left_, steps); }

 private:
  int64_t left_ = 0, reserve_ = 0;
};

// The default number of steps: some hundredths of a second.
inline constexpr int64_t kPlanningStepsDefault = 2'500'000;
// The default of `exact`, and of `auto` if no other algorithm finds a plan: about ten seconds.
inline constexpr int64_t kStepsToAPlan = 2'500'000'000;

// A problem, and facts that all algorithms need and that are computed once.
struct PlanningTask {
  const MemoryProblem& problem;
  const Conflicts& conflicts;
  const Clique& clique;  // the heaviest that was found
};

// A plan with a place for every buffer, its size, and a lower bound.
struct PlanningResult {
  MemoryPlan plan;
  int64_t total_bytes = 0;  // of all pools, up to their highest buffers
  int64_t bound_bytes = 0;  // no plan has less; if equal to total_bytes, the plan is optimal
};

}  // namespace assay

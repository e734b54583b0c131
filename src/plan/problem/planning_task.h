#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cliques.h"
#include "conflicts.h"
#include "memory_plan.h"

namespace assay {

// Steps that a search may still take. One is about a conflict looked at, some nanoseconds; counting
// them in place of time makes a plan the same on every machine.
class StepBudget {
 public:
  // `reserve`: more of them, for when no plan is found without.
  explicit StepBudget(int64_t steps, int64_t reserve = 0) : left_(steps), reserve_(reserve) {}
  int64_t left() const { return left_; }
  void UseReserve() { left_ += std::exchange(reserve_, 0); }
  void Spend(int64_t steps) { left_ -= std::min(left_, steps); }

 private:
  int64_t left_ = 0, reserve_ = 0;
};

// Some hundredths of a second.
inline constexpr int64_t kPlanningStepsDefault = 2'500'000;
// The default of `exact`, and of `auto` where nothing else finds a plan: ten seconds or so.
inline constexpr int64_t kStepsToAPlan = 2'500'000'000;

// A problem and what all algorithms ask of it, found once.
struct PlanningTask {
  const MemoryProblem& problem;
  const Conflicts& conflicts;
  const Clique& clique;  // the heaviest that was found
};

// A plan with a place for every buffer, and what is known of it.
struct PlanningResult {
  MemoryPlan plan;
  int64_t total_bytes = 0;  // of all pools, up to their highest buffers
  int64_t bound_bytes = 0;  // no plan has less; equal to total_bytes: it is optimal
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "placement.h"
#include "planning_task.h"

namespace assay {

// Orders in which buffers are placed. All are total: equal buffers are ordered by name, the last
// one first, as in unified static memory planning, or by index.

std::vector<int32_t> BySize(const PlanningTask& task);       // largest first, then most conflicts
std::vector<int32_t> ByConflicts(const PlanningTask& task);  // most first, then largest
std::vector<int32_t> ByStart(const PlanningTask& task);      // first live first, then largest
std::vector<int32_t> ByLifetime(const PlanningTask& task);   // longest first, then largest

// Returns the plan that results from placing all buffers in `order`. Spends the steps that it took.
Result<PlanningResult> PlanInOrder(const PlanningTask& task, const std::vector<int32_t>& order,
                                   PlacementRule fit, StepBudget& budget);

// Returns the plan of an algorithm that is such an order and a rule.
template <std::vector<int32_t> (*order)(const PlanningTask&), PlacementRule fit>
Result<PlanningResult> PlanBy(const PlanningTask& task, StepBudget& budget) {
  return PlanInOrder(task, order(task), fit, budget);
}

// Returns the Error (kResource) for a buffer that has no room left in its candidates. In another
// order, all buffers may fit.
Error NoRoomFor(const MemoryProblem& problem, int32_t buffer);

}  // namespace assay

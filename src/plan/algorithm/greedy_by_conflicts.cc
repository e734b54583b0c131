// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"
#include "buffer_orders.h"

namespace assay::algorithm {
namespace {

Result<PlanningResult> Plan(const PlanningTask& task, StepBudget& budget) {
  return PlanInOrder(task, ByConflicts(task), PlacementRule::kAbove, budget);
}

}  // namespace

// The algorithm `greedy_by_conflicts` of TVM's unified static memory planning.
extern const Algorithm greedy_by_conflicts_algorithm = {
    .name = "greedy_by_conflicts",
    .summary = "most conflicts first, each buffer above all that it conflicts with",
    .plan = Plan,
};

}  // namespace assay::algorithm

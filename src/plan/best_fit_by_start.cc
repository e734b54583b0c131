#include "orders.h"

namespace assay::plan {
namespace {

Result<PlanningResult> Plan(const PlanningTask& task, StepBudget& budget) {
  return PlanInOrder(task, ByStart(task), Fit::kBest, budget);
}

}  // namespace

// As an allocator at run time would.
extern const Algorithm best_fit_by_start_algorithm = {
    .name = "best_fit_by_start",
    .summary = "in the order of time, each in the gap that it fills best",
    .plan = Plan,
};

}  // namespace assay::plan

#include <optional>
#include <utility>

#include "algorithm.h"

namespace assay::plan {

extern const Algorithm auto_algorithm;

namespace {

// The searches come last: they stop where a plan is as small as the bound.
Result<PlanningResult> Plan(const PlanningTask& task, StepBudget& budget) {
  constexpr std::string_view kNames[] = {"best_fit_decreasing", "first_fit_by_lifetime",
                                         "best_fit_by_start",   "greedy_by_size",
                                         "greedy_by_conflicts", "hill_climb"};
  std::optional<PlanningResult> best;
  std::optional<Error> error;
  for (const std::string_view name : kNames) {
    Result<PlanningResult> result = AlgorithmByName(name)->plan(task, budget);
    if (!result) {
      if (!error) error = result.error();
    } else if (!best || result->total_bytes < best->total_bytes) {
      best = std::move(*result);
    }
    if (best && best->total_bytes == best->bound_bytes) break;
  }
  if (!best) return *error;
  return std::move(*best);
}

}  // namespace

extern const Algorithm auto_algorithm = {
    .name = "auto",
    .summary = "the best plan of all the others within the steps",
    .plan = Plan,
};

}  // namespace assay::plan

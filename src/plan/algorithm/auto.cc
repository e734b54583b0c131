// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "algorithm.h"

namespace assay::algorithm {

extern const Algorithm auto_algorithm;

namespace {

constexpr int64_t kConflictsPerBuffer = 64;  // still linear

// Keeps the best result of several algorithms.
class Best {
 public:
  explicit Best(const PlanningTask& task) : task_(task) {}

  void Try(std::string_view name, StepBudget& budget) {
    if (result_ && result_->total_bytes == bound_bytes_) return;
    Result<PlanningResult> result = AlgorithmByName(name)->plan(task_, budget);
    if (!result) {
      error_ = result.error();
      return;
    }
    bound_bytes_ = std::max(bound_bytes_, result->bound_bytes);
    if (!result_ || result->total_bytes < result_->total_bytes) result_ = std::move(*result);
  }

  bool has_result() const { return result_.has_value(); }

  Result<PlanningResult> Take() {
    if (!result_) return *error_;
    result_->bound_bytes = bound_bytes_;
    return std::move(*result_);
  }

 private:
  const PlanningTask& task_;
  std::optional<PlanningResult> result_;
  std::optional<Error> error_;  // the last: that of the search is a proof, or says the most
  int64_t bound_bytes_ = 0;
};

Result<PlanningResult> Plan(const PlanningTask& task, StepBudget& budget) {
  Best best(task);
  best.Try("best_fit_by_start", budget);
  // The other algorithms look at each pair of buffers that conflict.
  const auto buffers = static_cast<int64_t>(task.problem.buffers.size());
  if (best.has_result() && task.conflicts.count() > budget.left() + kConflictsPerBuffer * buffers) {
    return best.Take();
  }
  for (const std::string_view name :
       {"best_fit_decreasing", "first_fit_by_lifetime", "greedy_by_size", "greedy_by_conflicts"}) {
    best.Try(name, budget);
  }
  if (!best.has_result()) {
    budget.UseReserve();
    best.Try("exact", budget);
    return best.Take();
  }
  if (budget.left() == 0) return best.Take();
  StepBudget part(budget.left() / 16);
  const int64_t before = part.left();
  best.Try("hill_climb", part);
  budget.Spend(before - part.left());
  best.Try("exact", budget);
  return best.Take();
}

}  // namespace

extern const Algorithm auto_algorithm = {
    .name = "auto",
    .summary = "the best plan of all other algorithms within the step limit",
    .plan = Plan,
    .steps_reserve = kStepsToAPlan,
};

}  // namespace assay::algorithm

// SPDX-License-Identifier: Apache-2.0
#include "planner.h"

#include <vector>

namespace assay {

Result<PlanningResult> PlanMemory(const MemoryProblem& problem, const Algorithm& algorithm,
                                  std::optional<int64_t> steps_max) {
  const Result<Done> valid = ValidateProblem(problem);
  if (!valid) return valid.error();
  const Result<Done> live = CheckLiveSetsFit(problem);
  if (!live) return live.error();
  const Conflicts conflicts(problem);
  const Result<Done> fits = CheckFits(problem, conflicts);
  if (!fits) return fits.error();
  const std::vector<bool> all(problem.buffers.size(), true);
  const Clique clique = HeavyClique(problem, conflicts, all);
  StepBudget budget(steps_max.value_or(algorithm.steps_default),
                    steps_max ? 0 : algorithm.steps_reserve);
  return algorithm.plan({problem, conflicts, clique}, budget);
}

}  // namespace assay

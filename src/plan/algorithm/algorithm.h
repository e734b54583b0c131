// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "name_search.h"
#include "planning_task.h"
#include "result.h"

namespace assay {

// A planning algorithm. Each src/plan/algorithm/<name>.cc defines one, `<name>_algorithm`.
// `plan` takes at most about the steps of the budget, but always the steps of a first plan. It
// draws no random numbers but its own. Its Error is kBadInput ("does not fit") only if it has
// proved that there is no plan. Its Error is kResource ("no plan found") if it has found none, but
// another algorithm might.
struct Algorithm {
  std::string_view name;
  std::string_view summary;  // one line
  Result<PlanningResult> (*plan)(const PlanningTask& task, StepBudget& budget);
  int64_t steps_default = kPlanningStepsDefault;
  int64_t steps_reserve = 0;  // added to steps_default as long as there is no plan
};

std::span<const Algorithm* const> AllAlgorithms();

// Returns nullptr if there is no algorithm of this name.
inline const Algorithm* AlgorithmByName(std::string_view name) {
  for (const Algorithm* algorithm : AllAlgorithms()) {
    if (algorithm->name == name) return algorithm;
  }
  return nullptr;
}

// Returns the algorithm that a user means by the name. Error kUsage with the nearest names.
inline Result<const Algorithm*> FindAlgorithm(std::string_view name) {
  const Result<size_t> found =
      FindName("algorithm", name, NamesOfRows(AllAlgorithms(), &Algorithm::name));
  if (!found) return found.error();
  return AllAlgorithms()[*found];
}

}  // namespace assay

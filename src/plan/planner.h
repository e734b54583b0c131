#pragma once

#include <cstdint>
#include <optional>

#include "algorithm.h"
#include "memory_plan.h"
#include "result.h"

namespace assay {

// Validates, refuses what cannot fit (CheckFits()), and plans, with the algorithm's own numbers of
// steps if none is given.
Result<PlanningResult> PlanMemory(const MemoryProblem& problem, const Algorithm& algorithm,
                                  std::optional<int64_t> steps_max = std::nullopt);

}  // namespace assay

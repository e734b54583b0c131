// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "algorithm.h"
#include "memory_plan.h"
#include "result.h"

namespace assay {

// Validates the problem, refuses it if it cannot fit (CheckFits()), and plans it. Without
// `steps_max`, the algorithm's own numbers of steps apply.
Result<PlanningResult> PlanMemory(const MemoryProblem& problem, const Algorithm& algorithm,
                                  std::optional<int64_t> steps_max = std::nullopt);

}  // namespace assay

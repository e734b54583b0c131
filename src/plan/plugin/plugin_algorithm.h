// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "memory_plan.h"
#include "planner.h"
#include "result.h"

namespace assay {

// The prefix of the name of an algorithm in a shared library, which exports the function of
// assay_plan_algorithm.h.
inline constexpr std::string_view kPluginPrefix = "plugin:";

// Plans as PlanMemory() does, with the algorithm in the library `file`. The library runs in a
// process of its own that is ended after `seconds`. Every buffer of the result has a place in some
// pool of the problem. A checker has to say whether the plan is right. An Error names the library:
// kUsage if the library does not exist; kUnsupported for other versions; kBadInput if it is not
// such a library, gives no plan, crashes, or takes longer. `printed` gets the output of the
// library, unchanged, at most its first kPluginPrintedMax bytes. It may be null.
inline constexpr size_t kPluginPrintedMax = 1 << 16;
Result<PlanningResult> PlanWithPlugin(const MemoryProblem& problem, const std::string& file,
                                      std::optional<int64_t> steps_max, double seconds,
                                      std::string* printed = nullptr);

}  // namespace assay

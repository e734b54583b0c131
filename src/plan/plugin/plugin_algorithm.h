#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "memory_plan.h"
#include "planner.h"
#include "result.h"

namespace assay {

// What an algorithm is called that is a shared library with the function of assay_plan_algorithm.h.
inline constexpr std::string_view kPluginPrefix = "plugin:";

// Plans as PlanMemory() does, with the algorithm in the library `file`, in a process of its own
// that is ended after `seconds`. Every buffer of the result has a place in some pool of the
// problem; whether the plan is right is for a checker to say. An Error names the library: kUsage if
// it is not there; kUnsupported for other versions; kBadInput if it is no such library, gives no
// plan, crashes, or takes longer.
// `printed` gets what the library printed, the first kPluginPrintedMax bytes of it as they are;
// null: nobody wants to know.
inline constexpr size_t kPluginPrintedMax = 1 << 16;
Result<PlanningResult> PlanWithPlugin(const MemoryProblem& problem, const std::string& file,
                                      std::optional<int64_t> steps_max, double seconds,
                                      std::string* printed = nullptr);

}  // namespace assay

#pragma once

#include "json_place.h"
#include "memory_plan.h"

namespace assay {

// A buffer table in the words of TVM's unified static memory planner. For .cc files only.
Result<PlannedProblem> ReadTvmTable(const JsonPlace& document);

}  // namespace assay

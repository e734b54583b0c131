// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_place.h"
#include "memory_plan.h"

namespace assay {

// Reads a buffer table of TVM's unified static memory planner. For .cc files only.
Result<PlannedProblem> ReadTvmTable(const JsonPlace& document);

}  // namespace assay

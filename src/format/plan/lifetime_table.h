// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_place.h"
#include "memory_plan.h"

namespace assay {

// Reads a table of tensors with lifetimes, with the field names of ExecuTorch or TensorFlow Lite.
// For .cc files only.
Result<PlannedProblem> ReadLifetimeTable(const JsonPlace& document);

}  // namespace assay

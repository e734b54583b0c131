#pragma once

#include "json_place.h"
#include "memory_plan.h"

namespace assay {

// A table of tensors with lifetimes, in the words of ExecuTorch or TensorFlow Lite. For .cc files
// only.
Result<PlannedProblem> ReadLifetimeTable(const JsonPlace& document);

}  // namespace assay

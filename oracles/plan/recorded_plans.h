#pragma once

#include "test_vector.h"
#include "verdict.h"

namespace assay {

// Holds what a vector records of its memory plans against what the checker says of them: that a
// plan is sound, or which one rule it breaks, and that no sound plan has a lower peak than the
// optimum. Undecided if there is no plan.
Verdict JudgePlanRecords(const TestVector& vector);

}  // namespace assay

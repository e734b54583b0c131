// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test_vector.h"
#include "verdict.h"

namespace assay {

// Compares a vector's records of its memory plans with the checker. A record says that a plan is
// sound, or which one rule it breaks. It may also have an optimum, below which no sound plan has
// its peak. Undecided if there is no plan.
Verdict JudgePlanRecords(const TestVector& vector);

}  // namespace assay

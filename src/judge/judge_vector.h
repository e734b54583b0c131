#pragma once

#include <span>

#include "outcome.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// All oracles on all steps: disagrees if any does; agrees if none does and some agree. The first
// finding is a cause, not a consequence of another (CausesFirst).
Verdict JudgeVector(const TestVector& vector, std::span<const Outcome> outcomes);

}  // namespace assay

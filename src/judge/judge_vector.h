// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "outcome.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// Judges all steps by all oracles. The vector disagrees if any oracle disagrees; it agrees if none
// disagrees and some agree. The first finding is a cause, not a consequence of another
// (CausesFirst).
Verdict JudgeVector(const TestVector& vector, std::span<const Outcome> outcomes);

}  // namespace assay

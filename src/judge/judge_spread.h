// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend.h"
#include "case_result.h"
#include "test_vector.h"

namespace assay {

// The multiply-accumulates of the largest vector that is compared with the ensemble.
inline constexpr int64_t kSpreadMultiplyAccumulatesMax = 1'000'000'000;

// Compares the vague elements of a case with an ensemble of compliant executors
// (ensemble_run.h). The evidence is statistical, so it never makes a finding. `result` is what is
// known without it: nothing disagrees.
// - If an output is further away than kSpreadThreshold, the case is a suspect. The note says how
//   far, and from which operator on (spread_origin.h).
// - If a member is outside the set that the vector expects, the case is a defect of Assay.
// - Otherwise the state stays as it was. The note says so if the vector is too large.
// CaseResult::spread holds the counts and the largest distance.
void JudgeSpread(Backend& backend, const TestVector& vector, CaseResult& result);

}  // namespace assay

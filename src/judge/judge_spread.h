// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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
// - If a member is outside the set that the vector expects, and outside the set that this version
//   computes, the case is a defect of Assay. If only the vector's set excludes it, the file is
//   damaged or of another version, and the case bad input.
// - Otherwise the state stays as it was. The note says so if the vector is too large.
// CaseResult::spread holds the counts and the largest distance.
void JudgeSpread(Backend& backend, const TestVector& vector, CaseResult& result);

// Returns a sentence on a member of the ensemble whose outcomes the vector does not expect; "" if
// there is none. `members` are the outcomes of all members.
std::string MemberOutside(const TestVector& vector,
                          const std::vector<std::vector<Outcome>>& members);

}  // namespace assay

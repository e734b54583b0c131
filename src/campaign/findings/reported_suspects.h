// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "case_result.h"
#include "reduce.h"
#include "report.h"
#include "reported_findings.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Returns the text by which suspects are the same: the instrument, taps or declarations, with the
// signature of the finding that the suspect would be. Returns "" for a case that is no suspect.
std::string SuspectSignature(const CaseResult& result);

// Suspects with the same signature, before one of them has run again.
struct SuspectGroup {
  std::string signature;
  std::string why;         // CaseResult::note of the first
  int64_t case_index = 0;  // of the first, in the run's cases
  int64_t seen = 1;
};

// Groups the suspects by signature, in the order of their first cases.
std::vector<SuspectGroup> GroupSuspects(const std::vector<CaseResult>& cases);

// Judges a vector in depth again, and makes it smaller as Reduce() does. A smaller vector is kept
// if it is a suspect of that signature, and if `takes` is empty or returns true for it. Returns
// nothing if the vector is no such suspect again. `why` gets the note of the result.
std::optional<Reduction> SmallestSuspect(Backend& backend, const TestVector& vector,
                                         const std::string& signature, const ReduceOptions& options,
                                         std::string* why, const VectorFilter& takes = {});

// Reports the groups, in order: runs the first vector of each again, makes it smaller, and writes
// it to the folder of the plan. A vector that is no such suspect again is written as it was found,
// and marked as not repeatable. So is one whose worker dies.
Result<std::vector<ReportedSuspect>> WorkUpSuspects(const std::vector<SuspectGroup>& groups,
                                                    const FindingPlan& plan);

}  // namespace assay

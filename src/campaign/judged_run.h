// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "known_failures.h"
#include "report.h"
#include "reported_findings.h"
#include "result.h"

namespace assay {

// The results of a run while they come, in the order of the cases. Memory does not grow with their
// number: beyond kCasesKept, only results that do not agree are kept, and of these so many.
class JudgedRun {
 public:
  static constexpr int64_t kCasesKept = 10'000;
  explicit JudgedRun(int64_t cases_kept = kCasesKept) : cases_kept_(cases_kept) {}

  // Adds the result of a case. Returns true if its vector may be needed for a finding.
  bool Add(int64_t index, CaseResult result);
  int64_t disagreeing() const { return disagreeing_; }
  // Returns WorkedUp::unanswered after Finish().
  int64_t unanswered() const { return unanswered_; }

  // Completes `run` with the cases, their tally and their findings. Beyond kCasesKept, `all` gives
  // every case that was added; it is not called otherwise. `plan` works up the findings. Errors of
  // WorkUp() and `all`.
  Result<Done> Finish(const FindingPlan& plan, const KnownFailures& known, CaseVisitor all,
                      RunReport& run);

 private:
  void TakeCases(CaseVisitor all, const FindingPlan& plan, RunReport& run);
  Result<Done> MarkKnownCases(const KnownFailures& known, const std::vector<Suspicion>& suspicions,
                              const WorkedUp& worked_up, RunReport& run);

  int64_t cases_kept_;
  int64_t added_ = 0, disagreeing_ = 0, unanswered_ = 0;
  int64_t windows_ = 0, tapped_ = 0;
  Tally tally_;
  std::vector<CaseResult> kept_;
  std::vector<int64_t> indices_;  // of `kept_`
  FindingGrouper findings_{Representative::kSmallest};
};

}  // namespace assay

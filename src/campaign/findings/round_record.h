// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apply_known.h"
#include "case_result.h"
#include "known_failures.h"
#include "report.h"
#include "reported_findings.h"
#include "result.h"

namespace assay {

// The notes of cases that did not run, and are counted apart: the vector is outside the target, or
// the generator finds no valid one.
inline constexpr char kOutsideNote[] = "outside the target";
inline constexpr char kInvalidNote[] = "no valid case found";

// Records the cases of a round of `fuzz` in its progress. Findings and suspects that no earlier
// round has are minimized; the others are counted.
class RoundRecord {
 public:
  // `plan` gives the cases, whose numbers in the round begin with progress.next. Findings go to its
  // folder, suspects to `suspects`. `tell` gets new findings as they come: their groups are only
  // known at the end, and so is whether a file of known failures names them.
  RoundRecord(RunProgress& progress, const FindingPlan& plan, std::string suspects,
              const KnownFailures& known,
              std::function<void(const std::vector<ReportedFinding>& found)> tell)
      : progress_(progress),
        plan_(plan),
        suspects_(std::move(suspects)),
        known_failures_(known),
        tell_(std::move(tell)) {}

  // Records all cases of a round, or part of them after a signal. Errors of WorkUp().
  Result<Done> Record(std::vector<CaseResult>& cases);

 private:
  Result<Done> RecordFindings(std::vector<CaseResult>& cases);
  Result<Done> RecordSuspects(const std::vector<CaseResult>& cases);
  int64_t* SkippedLike(const CaseResult& result);
  bool MoveToNew(const KnownReports& known, CaseResult& result);
  Result<Done> RecordGroups(std::vector<Suspicion> groups);
  ReportedFinding* Known(const Suspicion& suspicion);
  bool Keep(WorkedUp::Entry entry);

  RunProgress& progress_;
  const FindingPlan& plan_;
  std::string suspects_;
  const KnownFailures& known_failures_;
  std::function<void(const std::vector<ReportedFinding>& found)> tell_;
};

}  // namespace assay

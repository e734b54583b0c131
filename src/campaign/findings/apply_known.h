// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "known_failures.h"
#include "report.h"
#include "reported_findings.h"

namespace assay {

// Makes a case that disagrees one that is known, if each of its findings is, those that follow from
// others left out. `places` has the places in groups by the signatures of findings that were worked
// up. Returns the position of the entry that names the first finding.
std::optional<size_t> MarkKnown(const KnownFailures& known,
                                const std::map<std::string, GroupPlace>& places,
                                CaseResult& result);

// The findings of a run that keeps no cases, and which of them a file of known failures names.
class KnownReports {
 public:
  // `signatures` has the keys of findings by the signatures of cases, as RunProgress has them.
  KnownReports(const KnownFailures& known, const std::map<std::string, std::string>& signatures,
               const std::map<std::string, ReportedFinding>& findings);

  // Makes a case count for the first of its findings that is not known, if the one that it counts
  // for is. Returns true if it counts for another one now.
  bool PutNewFirst(CaseResult& result) const;

 private:
  bool IsKnown(const Finding& finding) const;

  const std::map<std::string, std::string>& signatures_;
  std::set<std::string> known_;  // keys
};

// The findings of a run and their groups, by the signatures of its cases. `suspicions` and
// `worked_up` are those of the cases, and `run` has the findings.
class KnownSignatures {
 public:
  KnownSignatures(const std::vector<Suspicion>& suspicions, const WorkedUp& worked_up,
                  const RunReport& run);
  const std::vector<GroupPlace>& places() const { return places_; }  // by finding
  const std::map<std::string, GroupPlace>& by_signature() const { return by_signature_; }
  const std::map<std::string, size_t>& reported() const { return reported_; }  // the findings

 private:
  std::vector<GroupPlace> places_;
  std::map<std::string, GroupPlace> by_signature_;
  std::map<std::string, size_t> reported_;
};

// Marks the findings of a run that a file of known failures names. A reported finding is known if
// all its cases are, or if an entry names it without naming a vector. `run` must have its cases and
// findings; its tally comes after this. The cases that `each_case` gives stay as they are. Entries
// that have ended or match nothing get a note. Errors of `each_case`.
Result<Done> ApplyKnown(const KnownFailures& known, const KnownSignatures& signatures,
                        RunReport& run);

// Does the same for a run that keeps no cases: counts of `run.tally` are moved, by the tallies of
// the cases that count for each finding (RunProgress::tallies). Entries that name a vector match
// nothing.
void ApplyKnown(const KnownFailures& known, const std::map<std::string, Tally>& tallies,
                RunReport& run);

}  // namespace assay

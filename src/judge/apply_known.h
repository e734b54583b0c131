#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "known_failures.h"
#include "report.h"
#include "reported_findings.h"

namespace assay {

// Makes a case that disagrees one that is known, if each of its findings is, those that follow from
// others left out. `groups` has the names of groups by the signatures of findings that were worked
// up. Returns the position of the entry that names the first finding.
std::optional<size_t> MarkKnown(const KnownFailures& known,
                                const std::map<std::string, std::string>& groups,
                                CaseResult& result);

// Marks the findings of a run that a file of known failures names. `suspicions` and `worked_up` are
// those of the run's cases. A reported finding is known if all its cases are, or
// if an entry names it without naming a vector. `run` must have its cases and findings; its tally
// comes after this. Entries that have ended or match nothing get a note.
void ApplyKnown(const KnownFailures& known, const std::vector<Suspicion>& suspicions,
                const WorkedUp& worked_up, RunReport& run);

// Does the same for a run that keeps no cases: counts of `run.tally` are moved, by the number of
// vectors of each finding. Entries that name a vector match nothing.
void ApplyKnown(const KnownFailures& known, RunReport& run);

}  // namespace assay

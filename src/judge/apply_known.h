#pragma once

#include <vector>

#include "known_failures.h"
#include "report.h"
#include "reported_findings.h"

namespace assay {

// Marks the findings of a run that a file of known failures names. `suspicions` and `worked_up` are
// those of the run's cases. A case that disagrees becomes one that is known if each of its findings
// is, those that follow from others left out. A reported finding is known if all its cases are, or
// if an entry names it without naming a vector. `run` must have its cases and findings; its tally
// comes after this. Entries that have ended or match nothing get a note.
void ApplyKnown(const KnownFailures& known, const std::vector<Suspicion>& suspicions,
                const WorkedUp& worked_up, RunReport& run);

// Does the same for a run that keeps no cases: counts of `run.tally` are moved, by the number of
// vectors of each finding. Entries that name a vector match nothing.
void ApplyKnown(const KnownFailures& known, RunReport& run);

}  // namespace assay

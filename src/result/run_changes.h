// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "finding_groups.h"
#include "report.h"

namespace assay {

// Tells whether a group is not in the earlier report (PastRuns::since): no group there has its name
// or one of its findings. (A group that several operators share is named after what they share, so
// its name may change when another operator is found.) Returns false if the run is compared with
// none.
bool IsNew(const FindingGroup& group, const RunReport& run);

// Returns the groups of the earlier report that the run has not found, in their order.
std::vector<PastGroup> GoneGroups(std::span<const FindingGroup> groups, const RunReport& run);

// Returns the groups with those that are new first.
std::vector<FindingGroup> NewFirst(std::vector<FindingGroup> groups, const RunReport& run);

// Returns the run as a line of a history.
PastRun AsPastRun(const RunReport& run, const std::string& date);

}  // namespace assay

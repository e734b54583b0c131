// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "finding_groups.h"
#include "report.h"

namespace assay {

// Returns the list of the groups that an earlier report has and this run has not; "" if the run is
// compared with none.
std::string GoneToHtml(const RunReport& run, std::span<const FindingGroup> groups);

// Returns the trend over the runs of the history: a chart, and a table with the same numbers; "" if
// there is no history.
std::string TrendToHtml(const RunReport& run);

// Returns the table of the run's versions and settings.
std::string AboutToHtml(const RunReport& run);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "finding_groups.h"
#include "report.h"

namespace assay {

// Returns the identifiers of the findings in the page, made of the names of their vectors:
// "finding-ADD-1". A name that occurs again has a number: "finding-ADD-1-2".
std::vector<std::string> FindingIds(const std::vector<ReportedFinding>& findings);

// Returns the section of the findings: a collapsible part for each group, which shows the finding
// with the smallest vector in full, and the others as a list. `groups` are those of the findings,
// in the order of the page. Groups that an earlier report does not have are marked as new.
std::string FindingsToHtml(const RunReport& run, std::span<const FindingGroup> groups);

}  // namespace assay

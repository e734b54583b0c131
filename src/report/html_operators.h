// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "finding_groups.h"
#include "report.h"

namespace assay {

// Returns the table of operators and types as a heat map. The darker a cell, the larger the part of
// its vectors that disagrees. A cell links to the groups of findings on its operator and type.
std::string OperatorsToHtml(const RunReport& run, std::span<const FindingGroup> groups);

// Returns the attribute that gives a state its colour: class="bad-input".
std::string StateClass(CaseState state);

// Returns a sign for a state, so that the page is readable without colours.
std::string_view StateSign(CaseState state);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "coverage_table.h"

namespace assay {

// Returns a table of coverage as text: a line for each group, and the first items that it has
// missed.
std::string CoverageToText(std::span<const CoverageGroup> table);

// Returns a table of coverage as JSON, with every item that is missed: {"operators": {"reached":
// 74, "total": 74, "missed": [], "unreachable": [{"item": ..., "why": ...}]}, "type_rows": ...}.
std::string CoverageToJson(std::span<const CoverageGroup> table);

// Returns a section of an HTML report; "" for an empty table.
std::string CoverageToHtml(std::span<const CoverageGroup> table);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "coverage_table.h"

namespace assay {

// Returns a table of coverage as text: a line for each group, and the first items that it has
// missed.
std::string CoverageToText(std::span<const CoverageGroup> table);

// Returns a line on the groups of floating point: "floats: 13/13 idioms, 933/1596 pairs of inexact
// operators, 84 % of the elements change with an operand; outputs by depth 1: 20, 2: 7". Returns ""
// if no output depends on two inexact operators.
std::string FloatSummary(std::span<const CoverageGroup> groups);

// Returns a table of coverage as JSON, with every item that is missed: {"operators": {"reached":
// 74, "total": 74, "missed": [], "unreachable": [{"item": ..., "why": ...}]}, "type_rows": ...}.
// A group that counts how often it met an item has "counts": {"1": 20, "2": 7} as well.
std::string CoverageToJson(std::span<const CoverageGroup> table);

// Returns a section of an HTML report; "" for an empty table.
std::string CoverageToHtml(std::span<const CoverageGroup> table);

}  // namespace assay

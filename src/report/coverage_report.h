#pragma once

#include <span>
#include <string>

#include "coverage_table.h"

namespace assay {

// A table of coverage: a line for each group, and the first of what each has missed.
std::string CoverageToText(std::span<const CoverageGroup> table);

// {"operators": {"reached": 74, "total": 74, "missed": [], "unreachable": [{"item": ..., "why":
// ...}]}, "type_rows": ...}, everything that is missed listed.
std::string CoverageToJson(std::span<const CoverageGroup> table);

// A section of an HTML report; "" for an empty table.
std::string CoverageToHtml(std::span<const CoverageGroup> table);

}  // namespace assay

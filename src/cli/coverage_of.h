#pragma once

#include <string>
#include <vector>

#include "coverage_table.h"
#include "result.h"

namespace assay {

// The coverage of the vectors at `paths`, as ListCases() gives them. What cannot be read is an
// Error, or passed over if `lenient`.
Result<std::vector<CoverageGroup>> CoverageOf(const std::vector<std::string>& paths, bool lenient);

}  // namespace assay

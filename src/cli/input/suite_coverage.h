#pragma once

#include <string>
#include <vector>

#include "backend.h"
#include "coverage_table.h"
#include "result.h"

namespace assay {

// The coverage of the vectors at `paths`, as ListCases() gives them. What cannot be read is an
// Error, or passed over if `lenient`. So is a vector that takes longer than `limits` allow.
Result<std::vector<CoverageGroup>> CoverageOf(const std::vector<std::string>& paths,
                                              const BackendOptions& limits, bool lenient);

}  // namespace assay

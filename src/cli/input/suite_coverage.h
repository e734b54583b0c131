#pragma once

#include <string>
#include <vector>

#include "backend.h"
#include "coverage_table.h"
#include "result.h"
#include "target_options.h"

namespace assay {

// Returns the coverage of the vectors at `paths`, as ListCases() lists them. A vector that cannot
// be read, or that takes longer than `limits` allow, is an Error. If `lenient`, it is skipped.
// Vectors outside the targets do not count, and add to `outside`, if it is not null. Items outside
// them are counted as unreachable.
Result<std::vector<CoverageGroup>> CoverageOf(const std::vector<std::string>& paths,
                                              const BackendOptions& limits, bool lenient,
                                              const ChosenTargets& targets = {},
                                              int64_t* outside = nullptr);

}  // namespace assay

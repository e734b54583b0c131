#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend.h"
#include "case_source.h"
#include "coverage_table.h"
#include "result.h"
#include "target_options.h"

namespace assay {

// Returns the coverage of vectors, which `load` loads. An Error begins with one of their `names`. A
// vector that cannot be loaded, or that takes longer than `limits` allow, is an Error. If
// `lenient`, it is skipped. Vectors outside the targets do not count, and add to `outside`, if it
// is not null. Items outside them are counted as unreachable.
using CaseLoader = std::function<Result<LoadedCase>(int64_t index)>;
Result<std::vector<CoverageGroup>> CoverageOf(const std::vector<std::string>& names,
                                              const CaseLoader& load, const BackendOptions& limits,
                                              bool lenient, const ChosenTargets& targets = {},
                                              int64_t* outside = nullptr);

}  // namespace assay

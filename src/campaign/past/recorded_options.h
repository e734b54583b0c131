// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend.h"
#include "result.h"
#include "run_cases.h"

namespace assay {

// Checks them, and returns the backend that a report names: for recorded answers the one that gave
// them. `resume` is `--resume`. Error kUsage if the options do not fit together.
Result<std::string> ReportedBackend(const std::string& backend, const BackendOptions& options,
                                    bool resume);

// Refuses recorded answers of which none belongs to a vector of the run (kUsage).
Result<Done> CheckAnswers(const std::string& backend, const RunCases& cases);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "run.h"

namespace assay {

// Runs, prints the report, as JSON lines if `json`, calls `after`, and writes the report. Returns
// the exit status of the command: `strict` is that of StatusOf().
int RunToEnd(Run& run, bool json, bool strict, const std::function<void()>& after = {});

}  // namespace assay

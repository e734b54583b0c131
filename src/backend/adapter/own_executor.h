// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend.h"
#include "executor.h"

namespace assay {

// Returns the reference executor as a backend. `execution.level` is taken from each vector. A
// vector that takes longer than `options` allow is unsupported, and the message names the limit.
std::unique_ptr<Backend> MakeOwnExecutor(std::string description, const ExecutionOptions& execution,
                                         const BackendOptions& options);

}  // namespace assay

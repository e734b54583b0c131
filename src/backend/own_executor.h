#pragma once

#include <memory>
#include <string>

#include "backend.h"
#include "executor.h"

namespace assay {

// The reference executor as a backend; `options.level` is taken from each vector.
std::unique_ptr<Backend> MakeOwnExecutor(std::string description, const ExecutionOptions& options);

}  // namespace assay

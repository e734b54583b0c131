// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend.h"
#include "result.h"

namespace assay {

// Returns a backend that does what `backend` does, and keeps each answer below `folder`, for
// `recorded:FOLDER`. Several processes may keep answers in one folder. Error kUsage if the folder
// has the answers of another backend; errors of writing files.
Result<std::unique_ptr<Backend>> RecordAnswers(std::unique_ptr<Backend> backend,
                                               std::string specification,
                                               const std::string& folder);

}  // namespace assay

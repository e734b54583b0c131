// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "result.h"

namespace assay {

// Returns a line on the vectors in the folder of `--next` that still have no answer: their number,
// and what to do. "" if there are none, or if the folder does not exist.
Result<std::string> OpenVectorsOf(const std::string& folder);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay {

// Tells whether a process of this number runs. One that has ended, and whose parent has not noticed
// it yet, does not run.
bool ProcessRuns(int64_t number);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.h"

namespace assay {

// Declares `--threads`, the number of threads of one computation (parallel.h). The default is the
// number of processors, at most 8.
void AddThreadsOption(CommandLine& line, int& threads);

}  // namespace assay

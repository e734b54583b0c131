// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "report.h"
#include "result.h"

namespace assay {

// Prints a run as JSON lines or as text. Errors of RunReport::each_case.
Result<Done> PrintRun(const RunReport& run, bool json);

// Returns the exit status of a run. With `strict`, anything suspect, undecided or unsupported
// beside the agreements is kExitUndecided, and so are known failures that have ended or match
// nothing. So is a run that would have noticed less than RunReport::power_min.
ExitStatus StatusOf(const RunReport& run, bool strict);

// Returns the status of a command that has done two things, with these statuses.
int StatusOfBoth(int first, int second);

// Returns the final status of a command that has `status` on cases with these gaps: kExitUndecided
// instead of kExitClean if there are any. Prints a note for each gap.
int StatusWithGaps(int status, const std::vector<std::string>& gaps);

}  // namespace assay

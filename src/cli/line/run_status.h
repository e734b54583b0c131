#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "report.h"

namespace assay {

// The exit status that a run comes to. `strict`: anything undecided or unsupported beside the
// agreements is kExitUndecided.
ExitStatus StatusOf(const RunReport& run, bool strict);

// The status of a command that came to `status` on cases with these gaps: kExitUndecided in place
// of kExitClean if there are any. Prints a note for each.
int StatusWithGaps(int status, const std::vector<std::string>& gaps);

}  // namespace assay

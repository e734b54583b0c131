// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.h"

namespace assay {

// Notes vectors in the findings folder of a run's report that are not of this run. They are kept,
// because somebody may need them.
void TellOfOtherFindings(const RunReport& run);

}  // namespace assay

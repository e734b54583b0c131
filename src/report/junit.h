// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report.h"

namespace assay {

// Returns a run as JUnit XML, with one test case per vector. A disagreement is a failure. Bad input
// and defects are errors. A vector that was not decided is skipped, with the reason.
std::string RunToJunit(const RunReport& run);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report.h"

namespace assay {

// Returns a run as one HTML page that needs no other file: totals, operators by types, findings
// with their graphs, and the vectors that were not judged. The page is light or dark as the
// reader's system is.
std::string RunToHtml(const RunReport& run);

}  // namespace assay

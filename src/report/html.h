#pragma once

#include <string>

#include "report.h"

namespace assay {

// A run as one HTML page that needs nothing else: totals, operators by types, findings with their
// graphs, what was not judged. Light or dark as the reader's system is.
std::string RunToHtml(const RunReport& run);

}  // namespace assay

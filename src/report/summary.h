// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report.h"

namespace assay {

// Returns the totals and the groups of findings as Markdown, for the summary of a CI job. Links are
// relative to the folder of the report. It lists at most fifty groups.
std::string RunToMarkdown(const RunReport& run);

}  // namespace assay

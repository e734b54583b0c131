// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report.h"

namespace assay {

// Returns a run as one HTML page that needs no other file: totals, operators by types, findings
// with their graphs, and the vectors that were not judged. The page is light or dark as the
// reader's system is.
std::string RunToHtml(const RunReport& run);

// Returns a run as JUnit XML, with one test case per vector. A disagreement is a failure. Bad input
// and defects are errors. A vector that was not decided is skipped, with the reason.
std::string RunToJunit(const RunReport& run);

// Returns the totals and the groups of findings as Markdown, for the summary of a CI job. Links are
// relative to the folder of the report. It lists at most fifty groups.
std::string RunToMarkdown(const RunReport& run);

}  // namespace assay

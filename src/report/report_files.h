// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "files.h"
#include "report.h"
#include "result.h"

namespace assay {

// Opens the folder of a run's reports, findings and progress, as OpenOutputFolder() does.
Result<FolderLock> OpenReportFolder(const std::string& folder);

// Checks that a folder is one for reports: it does not exist, is empty, or holds a report, the
// beginning of one, or the reports of several backends. Error kUsage, which names a file that is
// there, for any other folder.
Result<Done> CheckReportFolder(const std::string& folder);

// Writes report.html, report.jsonl, report.txt, not-judged.txt, summary.md and, if the run has kept
// its cases, report.xml (JUnit) to `folder`. If there are too many cases to keep, report.jsonl has
// all of them, and report.xml those that the run has kept. Writes timing.json if the run has its
// timing; removes it otherwise.
Result<Done> WriteReports(const RunReport& run, const std::string& folder);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "files.h"
#include "report.h"
#include "result.h"

namespace assay {

// Checks that a folder is one for reports: it does not exist, is empty, or holds a report of any
// command, the beginning of one, or the reports of several backends. Error kUsage, which names a
// file that is there and says what to do, for any other folder.
Result<Done> CheckReportFolder(const std::string& folder,
                               std::string_view advice = "choose another");

// Opens the folder of a run's reports, findings and progress, as OpenOutputFolder() does. With
// `any`, it may hold other files, which CheckReportFolder() refuses.
Result<FolderLock> OpenReportFolder(const std::string& folder, bool any = false);

// Writes report.html, report.jsonl, report.txt, not-judged.txt, summary.md and, if the run has kept
// its cases, report.xml (JUnit) to `folder`, which is RunReport::folder. If there are too many
// cases to keep, report.jsonl has all of them, and report.xml those that the run has kept. Writes
// timing.json if the run has its timing; removes it otherwise.
Result<Done> WriteReports(const RunReport& run, const std::string& folder);

}  // namespace assay

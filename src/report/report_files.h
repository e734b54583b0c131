#pragma once

#include <string>

#include "command.h"
#include "files.h"
#include "report.h"
#include "result.h"

namespace assay {

// Opens the folder of a run's reports, findings and progress, as OpenOutputFolder() does.
Result<FolderLock> OpenReportFolder(const std::string& folder);

// Writes report.html, report.jsonl, report.txt, not-judged.txt and, if the run has kept its cases,
// report.xml (JUnit) to `folder`.
Result<Done> WriteReports(const RunReport& run, const std::string& folder);

// The exit status that a run comes to. `strict`: anything undecided or unsupported beside the
// agreements is kExitUndecided.
ExitStatus StatusOf(const RunReport& run, bool strict);

}  // namespace assay

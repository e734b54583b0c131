#pragma once

#include <string>
#include <string_view>

#include "report.h"
#include "result.h"

namespace assay {

// A run as JSON lines: one object with "run" (backend, command, totals), one with "case" per
// vector, one with "finding" per finding. A case also travels alone, from a worker to the report.

// One line, without its newline; CaseResult::log is in it only if `with_log`.
std::string CaseToJson(const CaseResult& result, bool with_log = false);
// Error kBadInput if the line is no case.
Result<CaseResult> CaseFromJson(std::string_view line);

std::string RunToJsonLines(const RunReport& run);

// A run's progress as one JSON object, with the SHA-256 of the rest of it.
std::string ProgressToJson(const RunProgress& progress);
// Error kBadInput if the text is not one that ProgressToJson() wrote: it is damaged or was edited,
// or a number in it cannot be.
Result<RunProgress> ProgressFromJson(std::string_view text);

}  // namespace assay

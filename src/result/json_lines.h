// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "formats.h"
#include "report.h"
#include "result.h"

namespace assay {

// The version of the schema of JSON lines, report.schema.json. It changes if a member changes its
// meaning or is removed, not if one is added.
inline constexpr int kReportSchema = formats::kReport.version;

// A run as JSON lines: one object with "run" (backend, command, totals), one with "case" per
// vector, one with "finding" per finding, one with "group" per group of findings, and the last with
// the SHA-256 of all lines before it. Workers also send single cases in this form.

// Returns the last line of a report, with its newline. `digits` are of the SHA-256.
inline constexpr std::string_view kReportSumStart = R"({"sha256":")";
inline std::string ReportSumLine(std::string_view digits) {
  return std::string(kReportSumStart).append(digits) + "\"}\n";
}

// Returns a case as one line, without its newline. The line has CaseResult::log only if `with_log`.
std::string CaseToJson(const CaseResult& result, bool with_log = false);
// Reads a case. Error kBadInput if the line is no case.
Result<CaseResult> CaseFromJson(std::string_view line);

// Do the same for the cause of a finding.
std::string CauseToJson(const FindingCause& cause);
Result<FindingCause> CauseFromJson(std::string_view line);

// Returns what a verdict would have noticed as one line.
std::string PowerToJson(const PowerSummary& power);

// Reads a finding as RunToJsonLines() writes it. Error kBadInput if the line is no finding.
Result<ReportedFinding> ReportedFindingFromJson(std::string_view line);

// Returns the schema of the lines, report.schema.json.
std::string ReportSchema();

std::string RunToJsonLines(const RunReport& run);
// Does the same for a run of any number of cases. `write` gets the text in parts.
Result<Done> WriteJsonLines(const RunReport& run,
                            const std::function<Result<Done>(std::string_view text)>& write);

// Returns a run's progress as one JSON object, with the SHA-256 of the rest of it.
std::string ProgressToJson(const RunProgress& progress);
// Reads a run's progress. Error kBadInput if ProgressToJson() has not written the text (it is
// damaged or was edited), or if a number in it is impossible.
Result<RunProgress> ProgressFromJson(std::string_view text);

}  // namespace assay

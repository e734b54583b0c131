// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "case_result.h"
#include "report_lines.h"
#include "result.h"

namespace assay {

// Takes the head of a report, and then each of its cases with the number of its line.
struct ReportVisitor {
  std::function<Result<Done>(const RunHead& head)> head;
  std::function<Result<Done>(const CaseResult& result, int64_t line)> each;
};

// Reads a report.jsonl of `assay verify` or `assay merge`, and checks that its lines fit together:
// the command and the members of the first line, the state, verdict and findings of each case, the
// counts and all cases, the findings at the end, and the SHA-256. Error kBadInput, `FILE:LINE:
// ...`, names the first line that does not fit. Errors of the visitor. Memory does not grow with
// the number of cases.
Result<RunHead> ReadCheckedReport(const std::string& file, const ReportVisitor& visitor);

}  // namespace assay

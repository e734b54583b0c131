// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "case_result.h"
#include "result.h"

namespace assay {

// The first line of a report.jsonl: the run.
struct ReportHead {
  int schema = 0;
  std::string title, backend, assay, command;
  std::map<std::string, std::string> suites;  // RunReport::suite_hashes
  std::vector<std::string> gaps;
  std::string known_file, today;  // "" if the run knew no failures

  // Tells whether the last line is the SHA-256 of the others, so that no accident can have changed
  // them. Reports of older versions have none.
  bool HasSum() const { return schema >= 2; }
};

// Takes the head of a report, and then each of its cases with the number of its line.
struct ReportVisitor {
  std::function<Result<Done>(const ReportHead& head)> head;
  std::function<Result<Done>(const CaseResult& result, int64_t line)> each;
};

// Reads a report.jsonl of `assay verify` or `assay merge`, and checks that its lines fit together:
// the command and the members of the first line, the state, verdict and findings of each case, the
// counts and all cases, the findings at the end, and the SHA-256. Error kBadInput, `FILE:LINE:
// ...`, names the first line that does not fit. Errors of the visitor. Memory does not grow with
// the number of cases.
Result<ReportHead> ReadCheckedReport(const std::string& file, const ReportVisitor& visitor);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "run_to_end.h"

#include "run_status.h"
#include "terminal.h"

namespace assay {

int RunToEnd(Run& run, bool json, bool strict, const std::function<void()>& after) {
  Result<RunReport> report = run.Judge();
  if (!report) {
    const int status = Fail(report.error());
    return run.NeverAnswers() ? kExitFinding : status;
  }
  const Result<Done> printed = PrintRun(*report, json);
  if (!printed) return Fail(printed.error());
  if (after) after();
  const Result<Done> written = run.Write(*report);
  return written ? StatusOf(*report, strict) : Fail(written.error());
}

}  // namespace assay

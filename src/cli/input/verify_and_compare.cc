// SPDX-License-Identifier: Apache-2.0
#include "verify_and_compare.h"

#include <optional>
#include <utility>

#include "clean_text.h"
#include "command.h"
#include "files.h"
#include "interrupt.h"
#include "run_comparison.h"
#include "run_status.h"
#include "terminal.h"

namespace assay {

int VerifyAndCompare(
    const std::vector<std::string>& backends, const std::string& report, bool json,
    const std::function<int(const std::string& backend, const std::string& report)>& run) {
  std::optional<TemporaryDirectory> temporary;
  if (report.empty()) {
    Result<TemporaryDirectory> made = TemporaryDirectory::Make();
    if (!made) return Fail(made.error());
    temporary = std::move(*made);
  }
  const std::string& folder = temporary ? temporary->path() : report;
  const InterruptWatch watch;  // a signal to one run keeps the others from starting
  std::vector<std::string> reports;
  int status = kExitClean;
  for (const std::string& backend : backends) {
    const std::string own = JoinPath(folder, FileNameFrom(backend, backend));
    const std::string lines = JoinPath(own, "report.jsonl");
    // A report of an earlier run is not compared if this one ends before it writes its own.
    const Result<Done> removed = FileExists(lines) ? Remove(lines) : Result<Done>(Done{});
    if (!removed) return Fail(removed.error());
    status = StatusOfBoth(status, run(backend, own));
    if (Interrupted()) return status;
    if (FileExists(lines)) reports.push_back(own);
  }
  if (reports.size() < 2) return status;  // each of the others has said why it did not run
  const Result<RunComparison> comparison = CompareReports(reports);
  if (!comparison) return Fail(comparison.error());
  Write(json ? ComparisonToJson(*comparison) : "\n" + ComparisonToText(*comparison));
  if (temporary) return status;
  const Result<Done> written = WriteComparison(*comparison, folder);
  return written ? status : Fail(written.error());
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// assay compare: where several backends part on the same vectors.
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "files.h"
#include "report_files.h"
#include "run_comparison.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> folders;
  std::string report;
  bool json = false;
};

void DeclareCompare(CommandLine& line, CompareOptions& options) {
  line.Add("FOLDER", options.folders,
           "the --report folders of runs of `assay verify` on the same vectors, at the same paths; "
           "or the --report folder of a run on several backends")
      .Required();
  line.Add("--report", options.report,
           "folder for comparison.html, comparison.json and comparison.txt");
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Prints the vectors on which one backend agrees with the specification and another does not, "
      "the\n"
      "causes that they share, and the operators and types whose results differ. `assay verify` "
      "with\n"
      "several --backend options runs the backends and prints the same.\n"
      "Exit status 1 if the backends part on a vector, 0 if they do not.\n\n"
      "Example:\n"
      "  assay verify suite --backend mlir --report m\n"
      "  assay verify suite --backend \"worker:/usr/bin/python3 mine.py\" --report w\n"
      "  assay compare m w --report comparison");
}

// Returns the folders with reports, sorted: the folder itself, or those in it.
Result<std::vector<std::string>> ReportsIn(const std::string& folder) {
  const auto is_report = [](const std::string& path) {
    return FileExists(JoinPath(path, "report.jsonl"));
  };
  std::vector<std::string> reports;
  if (is_report(folder) || !IsDirectory(folder)) return std::vector<std::string>{folder};
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (is_report(JoinPath(folder, name))) reports.push_back(JoinPath(folder, name));
  }
  if (reports.empty()) reports.push_back(folder);  // reading it says what is missing
  return reports;
}

int RunCompare(const CompareOptions& options) {
  std::vector<std::string> folders;
  for (const std::string& folder : options.folders) {
    const Result<std::vector<std::string>> reports = ReportsIn(folder);
    if (!reports) return Fail(reports.error());
    folders.insert(folders.end(), reports->begin(), reports->end());
  }
  if (folders.size() < 2) return Fail(UsageError("FOLDER: a comparison needs two folders"));
  const Result<RunComparison> comparison = CompareReports(folders);
  if (!comparison) return Fail(comparison.error());
  Write(options.json ? ComparisonToJson(*comparison) : ComparisonToText(*comparison));
  if (!options.report.empty()) {
    const Result<FolderLock> lock = OpenReportFolder(options.report);
    if (!lock) return Fail(lock.error());
    const Result<Done> written = WriteComparison(*comparison, options.report);
    if (!written) return Fail(written.error());
  }
  return comparison->parted.empty() ? kExitClean : kExitFinding;
}

}  // namespace

extern const Command compare_command = {
    .name = "compare",
    .summary = "shows where several backends part on the same vectors",
    .declare = DeclareWith<CompareOptions, DeclareCompare, RunCompare>,
};

}  // namespace assay::cli

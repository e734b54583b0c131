// SPDX-License-Identifier: Apache-2.0
#include "report_files.h"

#include <utility>
#include <vector>

#include "atomic_file.h"
#include "console.h"
#include "html.h"
#include "json_lines.h"
#include "junit.h"
#include "output_folder.h"
#include "summary.h"

namespace assay {

Result<FolderLock> OpenReportFolder(const std::string& folder) {
  constexpr std::string_view kNames[] = {
      "*.html",     "*.jsonl", "*.txt",     "*.xml",           "summary.md",     "progress.json",
      "shard.json", "*.tvecs", kTimingFile, "findings/*.tvec", "findings/*.log", "suspects/*.tvec"};
  return OpenOutputFolder(folder, kNames);
}

Result<Done> WriteReports(const RunReport& run, const std::string& folder) {
  std::vector<std::pair<const char*, std::string>> files = {
      {"report.html", RunToHtml(run)},
      {"report.txt", RunToText(run)},
      {kNotJudgedFile, NotJudgedToText(run)},
      {"summary.md", RunToMarkdown(run)},
  };
  Result<AtomicFile> lines = AtomicFile::Open(JoinPath(folder, "report.jsonl"));
  if (!lines) return lines.error();
  Result<Done> all = WriteJsonLines(run, [&](std::string_view text) { return lines->Write(text); });
  if (all) all = lines->Finish();
  if (!all) return all;
  const bool has_cases = run.each_case || std::ssize(run.cases) == run.tally.cases;
  if (has_cases) files.emplace_back("report.xml", RunToJunit(run));
  if (run.timing) {
    files.emplace_back(kTimingFile, TimingToJson(*run.timing));
  } else if (FileExists(JoinPath(folder, kTimingFile))) {
    const Result<Done> removed = Remove(JoinPath(folder, kTimingFile));
    if (!removed) return removed;
  }
  for (const auto& [name, text] : files) {
    const Result<Done> written =
        WriteFileAtomically(JoinPath(folder, name), std::string_view(text));
    if (!written) return written.error();
  }
  return Done{};
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "report_files.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "atomic_file.h"
#include "console.h"
#include "files.h"
#include "json_lines.h"
#include "output_folder.h"
#include "quoted.h"
#include "report_forms.h"
#include "run_journal.h"

namespace assay {
namespace {

// Returns true for a file that shows that a folder holds a report, or the beginning of one. A
// killed run may have left it under the name that it has while it is written.
bool IsOfReport(std::string_view name) {
  constexpr std::string_view kFiles[] = {
      "report.jsonl",    kTimingFile,  kNotJudgedFile,       "shard.json",  "comparison.json",
      "comparison.html", "model.json", "model.html",         "traits.json", "traits.html",
      "progress.json",   "guide.json", RunJournal::kFileName};
  const std::string_view written = FinalNameOf(name);
  return std::ranges::find(kFiles, written.empty() ? name : written) != std::end(kFiles);
}

// Returns true for a folder that a run makes before its first file.
bool IsFolderOfReport(std::string_view name) {
  return name == "findings" || name == "suspects" || name == "corpus";
}

// Returns the run with "$REPORT" for its folder.
RunReport WithoutFolder(RunReport run) {
  const std::string from = JoinPath(std::exchange(run.folder, "$REPORT"), "");
  const auto is_inside = [&from](const std::string& path) { return path.starts_with(from); };
  const auto rename = [&](std::string& path) {
    if (is_inside(path)) path.replace(0, from.size(), "$REPORT/");
  };
  const auto rename_vector = [&](std::string& vector, std::string& replay) {
    const std::string word = ShellWord(vector);
    const size_t at = is_inside(vector) ? replay.find(word) : replay.npos;
    rename(vector);
    if (at != replay.npos) {
      replay.replace(at, word.size(), "\"$REPORT\"" + vector.substr(run.folder.size()));
    }
  };
  for (ReportedFinding& reported : run.findings) {
    rename_vector(reported.vector, reported.replay);
    for (std::string* path : {&reported.log, &reported.module_before, &reported.module_after}) {
      rename(*path);
    }
  }
  for (ReportedSuspect& suspect : run.suspects) rename_vector(suspect.vector, suspect.replay);
  run.facts.emplace_back("$REPORT", "the folder of this report, to be set before a replay line");
  return run;
}

}  // namespace

Result<Done> CheckReportFolder(const std::string& folder, std::string_view advice) {
  if (!IsDirectory(folder)) return Done{};  // it will be made, or cannot be
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return names.error();
  if (std::ranges::any_of(*names, IsOfReport)) return Done{};
  for (const std::string& name : *names) {
    // A run that was killed at its start leaves folders, and runs on several backends one for each.
    if (IsFolderOfReport(name)) continue;
    const std::string path = JoinPath(folder, name);
    const Result<std::vector<std::string>> inner =
        IsDirectory(path) ? ListDirectory(path) : std::vector<std::string>();
    if (inner && std::ranges::any_of(*inner, IsOfReport)) continue;
    return UsageError(folder + ": is not empty, and holds no report: there is " + name + "; " +
                      std::string(advice));
  }
  return Done{};
}

Result<FolderLock> OpenReportFolder(const std::string& folder, bool any) {
  const Result<Done> fits = any ? Done{} : CheckReportFolder(folder);
  if (!fits) return fits.error();
  constexpr std::string_view kNames[] = {
      "*.html",     "*.jsonl",         "*.txt",          "*.xml",           "summary.md",
      "model.json", "traits.json",     "progress.json",  "shard.json",      "*.tvecs",
      kTimingFile,  "findings/*.tvec", "findings/*.log", "suspects/*.tvec", "*guide.json"};
  return OpenOutputFolder(folder, kNames);
}

Result<Done> WriteReports(const RunReport& run, const std::string& folder) {
  if (!run.names_folder) {
    RunReport renamed = WithoutFolder(run);
    renamed.names_folder = true;
    return WriteReports(renamed, folder);
  }
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

#include "conclude.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "console.h"
#include "html.h"
#include "json_lines.h"
#include "junit.h"
#include "output_folder.h"

namespace assay {

Result<FolderLock> OpenReportFolder(const std::string& folder) {
  constexpr std::string_view kNames[] = {
      "*.html", "*.jsonl", "*.txt", "*.xml", "progress.json", "findings/*.tvec", "findings/*.log"};
  return OpenOutputFolder(folder, kNames);
}

Result<Done> WriteReports(const RunReport& run, const std::string& folder) {
  std::vector<std::pair<const char*, std::string>> files = {
      {"report.html", RunToHtml(run)},
      {"report.jsonl", RunToJsonLines(run)},
      {"report.txt", RunToText(run)},
      {kNotJudgedFile, NotJudgedToText(run)},
  };
  if (std::ssize(run.cases) == run.tally.cases) files.emplace_back("report.xml", RunToJunit(run));
  for (const auto& [name, text] : files) {
    const Result<Done> written =
        WriteFileAtomically(JoinPath(folder, name), std::string_view(text));
    if (!written) return written.error();
  }
  return Done{};
}

ExitStatus StatusOf(const RunReport& run, bool strict) {
  const Tally& tally = run.tally;
  const auto any = [&tally](CaseState state) { return tally.CountAll(state) > 0; };
  const bool reduced_to_death =
      std::ranges::any_of(run.findings, [](const auto& finding) { return finding.lost_by_itself; });
  if (any(CaseState::kDefect) || reduced_to_death) return kExitDefect;
  if (any(CaseState::kBadInput)) return kExitUsage;
  if (any(CaseState::kDisagrees)) return kExitFinding;
  if (!any(CaseState::kAgrees) || tally.lost > 0 || !run.gaps.empty()) return kExitUndecided;
  // Implied errors are open until somebody asks for them.
  const bool open = tally.Count(CaseState::kUndecided) > 0 ||
                    tally.Count(CaseState::kUnsupported) > 0 || tally.undecided_elements > 0;
  return strict && open ? kExitUndecided : kExitClean;
}

}  // namespace assay

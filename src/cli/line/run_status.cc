// SPDX-License-Identifier: Apache-2.0
#include "run_status.h"

#include <algorithm>

#include "console.h"
#include "json_lines.h"
#include "note.h"
#include "terminal.h"

namespace assay {

Result<Done> PrintRun(const RunReport& run, bool json) {
  if (json) {
    return WriteJsonLines(run, [](std::string_view text) {
      Write(text);
      return Done{};
    });
  }
  WriteReport(RunToText(run));
  return Done{};
}

ExitStatus StatusOf(const RunReport& run, bool strict) {
  const Tally& tally = run.tally;
  const auto any = [&tally](CaseState state) { return tally.CountAll(state) > 0; };
  const bool reduced_to_death =
      std::ranges::any_of(run.findings, [](const auto& finding) { return finding.lost_by_itself; });
  if (any(CaseState::kDefect) || reduced_to_death) return kExitDefect;
  if (any(CaseState::kBadInput)) return kExitUsage;
  const auto is_new = [](const ReportedFinding& finding) { return finding.known.empty(); };
  if (any(CaseState::kDisagrees) || std::ranges::any_of(run.findings, is_new)) return kExitFinding;
  if (!(any(CaseState::kAgrees) || any(CaseState::kKnown)) || tally.lost > 0 || !run.gaps.empty())
    return kExitUndecided;
  // Implied errors do not count until somebody asks for them.
  const bool open = !run.known.notes.empty() || tally.Count(CaseState::kSuspect) > 0 ||
                    tally.Count(CaseState::kUndecided) > 0 ||
                    tally.Count(CaseState::kUnsupported) > 0 || tally.undecided_elements > 0;
  const bool is_weak = run.power && run.power->Percent() < run.power_min;
  return is_weak || (strict && open) ? kExitUndecided : kExitClean;
}

int StatusOfBoth(int first, int second) {
  for (const ExitStatus status : {kExitDefect, kExitUsage, kExitFinding, kExitUndecided}) {
    if (first == status || second == status) return status;
  }
  return kExitClean;
}

int StatusWithGaps(int status, const std::vector<std::string>& gaps) {
  for (const std::string& gap : gaps) Note(gap);
  return status == kExitClean && !gaps.empty() ? kExitUndecided : status;
}

}  // namespace assay

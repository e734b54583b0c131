#include "run_status.h"

#include <algorithm>

#include "terminal.h"

namespace assay {

ExitStatus StatusOf(const RunReport& run, bool strict) {
  const Tally& tally = run.tally;
  const auto any = [&tally](CaseState state) { return tally.CountAll(state) > 0; };
  const bool reduced_to_death =
      std::ranges::any_of(run.findings, [](const auto& finding) { return finding.lost_by_itself; });
  if (any(CaseState::kDefect) || reduced_to_death) return kExitDefect;
  if (any(CaseState::kBadInput)) return kExitUsage;
  if (any(CaseState::kDisagrees)) return kExitFinding;
  if (!any(CaseState::kAgrees) || tally.lost > 0 || !run.gaps.empty()) return kExitUndecided;
  // Implied errors do not count until somebody asks for them.
  const bool open = tally.Count(CaseState::kSuspect) > 0 ||
                    tally.Count(CaseState::kUndecided) > 0 ||
                    tally.Count(CaseState::kUnsupported) > 0 || tally.undecided_elements > 0;
  return strict && open ? kExitUndecided : kExitClean;
}

int StatusWithGaps(int status, const std::vector<std::string>& gaps) {
  for (const std::string& gap : gaps) Note(gap);
  return status == kExitClean && !gaps.empty() ? kExitUndecided : status;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "run_hints.h"

#include <algorithm>
#include <string>
#include <vector>

#include "files.h"
#include "finding_text.h"
#include "path_kind.h"
#include "terminal.h"

namespace assay {

void TellOfOtherFindings(const RunReport& run) {
  const std::string folder = JoinPath(run.folder, "findings");
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return;
  const auto is_other = [&](const std::string& name) {
    const std::string path = JoinPath(folder, name);
    const auto is_it = [&](const ReportedFinding& finding) {
      return finding.vector == path || std::ranges::count(finding.damaged_by.vectors, path) > 0;
    };
    return KindOfFile(name) == PathKind::kVector && std::ranges::none_of(run.findings, is_it);
  };
  const auto others = std::ranges::count_if(*names, is_other);
  if (others > 0) {
    Note(folder + ": " + std::to_string(others) + (others == 1 ? " vector" : " vectors") +
         " of another run");
  }
}

void TellOfUnanswered(const std::string& backend, int64_t count) {
  if (count == 0) return;
  Note(std::to_string(count) + (count == 1 ? " finding is" : " findings are") +
       " not at the smallest: " + backend +
       " has no answers to smaller vectors; --next DIR writes these vectors, to be run there");
}

void UncheckedGraphs::Add(const CaseResult& result) {
  if (result.state == CaseState::kAgrees && result.outcome == OutcomeKind::kError) ++refused_;
  if (result.verdict.findings.empty()) return;
  if (IsAccepted(result.verdict.findings[0])) ++accepted_;
}

void UncheckedGraphs::Tell(const std::string& backend) const {
  if (accepted_ == 0 || refused_ > 0) return;
  Note(backend + ": ran all " + std::to_string(accepted_) +
       " graphs for which an ERROR_IF holds; if it checks no graphs, --declare no-checks leaves "
       "them out");
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "other_findings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "files.h"
#include "path_kind.h"
#include "terminal.h"

namespace assay {

void TellOfOtherFindings(const RunReport& run) {
  const std::string folder = JoinPath(run.folder, "findings");
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return;
  const auto is_other = [&](const std::string& name) {
    const std::string path = JoinPath(folder, name);
    const auto is_it = [&](const ReportedFinding& finding) { return finding.vector == path; };
    return KindOfFile(name) == PathKind::kVector && std::ranges::none_of(run.findings, is_it);
  };
  const auto others = std::ranges::count_if(*names, is_other);
  if (others > 0) {
    Note(folder + ": " + std::to_string(others) + (others == 1 ? " vector" : " vectors") +
         " of another run");
  }
}

}  // namespace assay

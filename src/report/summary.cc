// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "clean_text.h"
#include "finding_groups.h"
#include "finding_text.h"
#include "quoted.h"
#include "report_forms.h"
#include "run_changes.h"

namespace assay {
namespace {

constexpr size_t kGroupsMax = 50;

// Returns text for a cell of a table: in one line, without anything that Markdown or HTML reads.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : XmlEscaped(OneLine(text), "&<>")) {
    if (std::string_view("\\`*_[]()|#!~@").find(c) != std::string_view::npos) plain += '\\';
    plain += c;
  }
  return plain;
}

// Returns the path of a vector below the folder of the report; "" if it is elsewhere.
std::string LinkTo(const RunReport& run, const std::string& vector) {
  const std::string folder = run.folder + "/";
  if (run.folder.empty() || !vector.starts_with(folder)) return "";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string link;
  for (const char c : vector.substr(folder.size())) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '-' || c == '_' || c == '.' || c == '/';
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      link += c;
    } else {
      link += std::string("%") + kHex[byte >> 4] + kHex[byte & 15];
    }
  }
  return link;
}

std::string GroupRow(const RunReport& run, const FindingGroup& group) {
  const ReportedFinding& smallest = run.findings[group.findings[0]];
  const std::string link = LinkTo(run, smallest.vector);
  const std::string headline = Plain(ReportedHeadline(smallest));
  // The smallest is a known one only if all are.
  const std::string known =
      Plain(smallest.known_beside.empty() ? smallest.known : "only for " + smallest.known_beside);
  return std::string("| ") + (IsNew(group, run) ? "**new** " : "") + Plain(group.title) + " | " +
         std::to_string(SeenBy(group, run.findings)) + " | " +
         std::to_string(group.findings.size()) + " | " +
         (link.empty() ? headline : "[" + headline + "](" + link + ")") + " | " + known + " |\n";
}

}  // namespace

std::string RunToMarkdown(const RunReport& run) {
  std::string text = "# Assay: " + Plain(run.title) + "\n\n";
  for (const std::string& note : run.known.notes) text += "- known failures: " + Plain(note) + "\n";
  for (const std::string& gap : run.gaps) text += "- **partial**: " + Plain(gap) + "\n";
  if (!run.known.notes.empty() || !run.gaps.empty()) text += "\n";
  text += "| vectors | count |\n|---|---:|\n";
  for (const CaseState state : kAllCaseStates) {
    const int64_t count = run.tally.Count(state);
    if (count == 0) continue;
    text += "| " + std::string(CaseStateName(state)) + " | " + std::to_string(count) + " |\n";
  }
  text += "| **all** | " + std::to_string(run.tally.cases) + " |\n";
  if (run.power) text += "\n";
  for (const std::string& line : run.power ? PowerLines(*run.power) : std::vector<std::string>()) {
    text += "- " + Plain(line) + "\n";
  }
  const std::vector<FindingGroup> groups = NewFirst(GroupByCause(run.findings), run);
  const std::vector<PastGroup> gone = GoneGroups(groups, run);
  if (!gone.empty()) {
    text += "\nNo longer found since " + Plain(run.past.since->file) + ":\n";
    for (const PastGroup& group : gone) text += "- " + Plain(group.title) + "\n";
  }
  if (groups.empty()) return text + "\nNo findings.\n";
  text += "\n| group | vectors | findings | smallest vector | known |\n|---|---:|---:|---|---|\n";
  for (size_t i = 0; i < groups.size() && i < kGroupsMax; ++i) text += GroupRow(run, groups[i]);
  if (groups.size() > kGroupsMax) {
    text += "\nand " + std::to_string(groups.size() - kGroupsMax) +
            " other groups, all in report.html\n";
  }
  return text;
}

}  // namespace assay

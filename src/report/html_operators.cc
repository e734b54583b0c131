// SPDX-License-Identifier: Apache-2.0
#include "html_operators.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "enum_names.h"
#include "finding_text.h"
#include "html_text.h"

namespace assay {
namespace {

// The groups of findings by operator and type, each once. A finding counts for the operators that
// its vectors blamed at first, too: the cells of the table count those.
using GroupsByUse = std::map<OperatorUse, std::vector<const FindingGroup*>>;

GroupsByUse GroupsOf(const RunReport& run, std::span<const FindingGroup> groups) {
  GroupsByUse result;
  for (const FindingGroup& group : groups) {
    for (const size_t i : group.findings) {
      const Finding& finding = run.findings[i].finding;
      std::vector<OperatorUse> uses = run.findings[i].first_blamed;
      uses.push_back({finding.op, finding.type});
      for (const OperatorUse& use : uses) {
        std::vector<const FindingGroup*>& list = result[use];
        if (list.empty() || list.back() != &group) list.push_back(&group);
      }
    }
  }
  return result;
}

// Returns how dark a cell is, from 1 to 4; 0 if no vector disagrees.
int64_t HeatOf(const StateCounts& counts) {
  const auto count = [&counts](CaseState state) { return counts[static_cast<size_t>(state)]; };
  const int64_t fails = count(CaseState::kDisagrees);
  const int64_t judged = fails + count(CaseState::kAgrees) + count(CaseState::kKnown);
  return fails == 0 ? 0 : 1 + (fails * 4 - 1) / judged;
}

// Returns links to the groups, the first with a text and the others with numbers.
std::string Links(const std::vector<const FindingGroup*>& groups, const std::string& text) {
  std::string links;
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::string title = Escaped(groups[i]->title);
    links += (i == 0 ? "" : " ") + std::string("<a href=\"#group-") + groups[i]->name +
             "\" title=\"" + title + "\">" + (i == 0 ? text : std::to_string(i + 1)) + "</a>";
  }
  return links.empty() ? text : links;
}

std::string Cell(const StateCounts& counts, const std::vector<const FindingGroup*>& groups) {
  std::string text, title;
  for (CaseState state : kAllCaseStates) {
    const int64_t count = counts[static_cast<size_t>(state)];
    if (count == 0) continue;
    const std::string words = std::string(StateSign(state)) + " " + std::to_string(count);
    const bool links = state == CaseState::kDisagrees || state == CaseState::kKnown;
    text += "<span " + StateClass(state) + ">" + (links ? Links(groups, words) : words) + "</span>";
    title += (title.empty() ? "" : ", ") + std::to_string(count) + " " +
             std::string(CaseStateName(state));
  }
  const int64_t heat = HeatOf(counts);
  const bool fits = counts[static_cast<size_t>(CaseState::kAgrees)] > 0;
  const std::string look = heat > 0 ? " class=\"heat-" + std::to_string(heat) + "\""
                           : fits   ? " class=\"fits\""
                                    : "";
  return "<td" + look + " title=\"" + title + "\">" + text + "</td>";
}

}  // namespace

std::string StateClass(CaseState state) {
  std::string name(CaseStateName(state));
  std::replace(name.begin(), name.end(), ' ', '-');
  return "class=\"" + name + "\"";
}

std::string_view StateSign(CaseState state) {
  constexpr std::string_view kSigns[] = {"✓", "✗", "⁈", "?", "–", "!", "!", "≈"};  // by state
  return EntryOf(kSigns, state);
}

std::string OperatorsToHtml(const RunReport& run, std::span<const FindingGroup> groups) {
  const std::map<OperatorUse, StateCounts>& counts = run.tally.by_operator;
  if (counts.empty()) return "";
  GroupsByUse by_use = GroupsOf(run, groups);
  std::set<Op> ops;
  std::set<DType> types;
  for (const auto& [use, unused] : counts) {
    ops.insert(use.op);
    types.insert(use.type);
  }
  std::string text =
      "<h2>Operators and types</h2>\n<p class=\"soft\">A vector counts for every operator and "
      "type in it. One that disagrees counts only for the operators that its findings name, one "
      "that "
      "is unsupported only for what the backend refused. ✓ agrees, "
      "✗ disagrees, ≈ known, ⁈ suspect, ? undecided, – unsupported. The more of the vectors of a "
      "cell disagree, the darker it is. Its links lead to the groups of findings.</p>\n"
      "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">operator</th>";
  for (DType type : types) text += Tagged("th", "scope=\"col\"", TypeLabel(type));
  text += "</tr></thead>\n<tbody>\n";
  for (Op op : ops) {
    text += "<tr>" + Tagged("th", "", OperatorLabel(op));
    for (DType type : types) {
      const auto found = counts.find({op, type});
      text += found == counts.end() ? "<td></td>" : Cell(found->second, by_use[found->first]);
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "html_findings.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "clean_text.h"
#include "counted.h"
#include "finding_text.h"
#include "html_picture.h"
#include "html_text.h"
#include "joined.h"
#include "run_changes.h"

namespace assay {
namespace {

// The number of groups that are open at first.
constexpr size_t kOpenMax = 3;

constexpr std::string_view kTools =
    R"html(<form id="tools" class="tools" role="search" aria-label="Findings" hidden>
<input id="search" type="search" placeholder="Search ( / )" aria-label="Search the findings">
<select id="operator" aria-label="Operator"><option value="">all operators</option></select>
<select id="type" aria-label="Type"><option value="">all types</option></select>
<select id="known" aria-label="Known failures"><option value="">known or not</option><option value="new">not known</option><option value="known">known</option></select>
<select id="fresh" aria-label="New groups" hidden><option value="">new or not</option><option value="new">new</option><option value="old">found before</option></select>
<select id="order" aria-label="Order"><option value="">in order of discovery</option><option value="vectors">most vectors first</option></select>
<button id="fold" type="button">Collapse all</button>
<output id="shown" class="soft" aria-live="polite"></output>
</form>
)html";

// Returns Graphviz's SVG without the prolog, which has no place inside HTML; "" if the text is no
// SVG.
std::string InlineSvg(const std::string& svg) {
  const size_t start = svg.find("<svg");
  if (start == std::string::npos) return "";
  return "<div class=\"graph\">" + CleanText(std::string_view(svg).substr(start)) + "</div>\n";
}

// Returns the attributes that the filters of the page read.
std::string FilterAttributes(const Finding& finding) {
  const std::string operators(finding.graph.empty() ? OperatorLabel(finding.op) : finding.graph);
  return "data-operators=\"" + Escaped(OneLine(operators)) + "\" data-type=\"" +
         Escaped(TypeLabel(finding.type)) + "\"";
}

std::string Facts(const ReportedFinding& reported, bool with_cause) {
  const Finding& finding = reported.finding;
  std::string rows;
  const auto row = [&rows](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    rows += "<tr>" + Tagged("th", "", name) + "<td>" + Tagged("code", "", value) + "</td></tr>\n";
  };
  row("first wrong", finding.tensor.empty() ? "" : finding.tensor + finding.position);
  row("expected", finding.expected);
  row("got", finding.got);
  row("allowed", finding.allowed);
  row("rule", finding.rule);
  row("step", std::to_string(finding.step));
  row("wrong elements", finding.wrong_elements > 0 ? std::to_string(finding.wrong_elements) : "");
  row("pass", finding.pass);
  row("backend says", finding.message);
  row("rewrites", finding.rewrites);
  row("after other vectors", DamageText(reported.damaged_by));
  if (with_cause) row("cause", CauseText(reported.cause));
  row("readings it rests on", Joined(finding.readings));
  row("declarations it rests on", finding.rests_on);
  row("not minimized", LossText(reported));
  row("standard error", reported.log);
  row("known", reported.known);
  row("its group is known for", reported.known_beside);
  row("seen in", Counted(reported.seen, "vector"));
  row("vector", reported.vector);
  return "<div class=\"facts\"><table>\n" + rows + "</table></div>\n";
}

// Returns all that is known of a finding, below its headline.
std::string Details(const ReportedFinding& reported, bool with_cause) {
  std::string text = Facts(reported, with_cause);
  if (!reported.last_words.empty()) {
    text += "<p class=\"soft\">last lines of standard error</p>\n" +
            Tagged("pre", "", reported.last_words) + "\n";
  }
  if (reported.wrong) text += WrongElementsToHtml(*reported.wrong);
  if (!reported.graph_svg.empty()) text += InlineSvg(reported.graph_svg);
  if (!reported.graph_text.empty()) text += Tagged("pre", "", reported.graph_text) + "\n";
  const BlamedPass& blamed = reported.cause.changed_by;
  const auto module = [&](const char* when, const std::string& content) {
    if (content.empty()) return;
    text += "<details><summary>module " + std::string(when) + " " + Escaped(blamed.pass) +
            "</summary>\n" + Tagged("pre", "", content) + "</details>\n";
  };
  module("before", blamed.before);
  module("after", blamed.after);
  return text + "<p class=\"soft\">replay</p>\n" +
         Tagged("pre", "class=\"replay\"", reported.replay) + "\n";
}

std::string Smallest(const ReportedFinding& reported, const std::string& id) {
  return "<section class=\"finding item\" id=\"" + id + "\" " + FilterAttributes(reported.finding) +
         ">\n<h4><a href=\"#" + id + "\">" + Escaped(ReportedHeadline(reported)) + "</a></h4>\n" +
         Details(reported, false) + "</section>\n";
}

// Returns another finding of a group: a line, with everything else behind it.
std::string Other(const ReportedFinding& reported, const std::string& id) {
  const Finding& finding = reported.finding;
  std::string line = Tagged("span", "class=\"name\"", ReportedHeadline(reported)) + " " +
                     Tagged("span", "class=\"soft\"", "in " + Counted(reported.seen, "vector"));
  if (!finding.expected.empty() || !finding.got.empty()) {
    line += " " + Tagged("span", "class=\"soft wrap\"",
                         OneLine("· expected " + finding.expected + ", got " + finding.got));
  }
  return "<details class=\"other item\" id=\"" + id + "\" " + FilterAttributes(finding) +
         ">\n<summary>" + line + "</summary>\n" + Details(reported, true) + "</details>\n";
}

std::string KnownMark(const FindingGroup& group, const std::vector<ReportedFinding>& findings) {
  if (!IsKnown(group, findings)) return "";
  return " <span class=\"known\">≈ known: " + Escaped(OneLine(findings[group.findings[0]].known)) +
         "</span>";
}

std::string GroupToHtml(const FindingGroup& group, const RunReport& run,
                        const std::vector<std::string>& ids, bool open) {
  const std::vector<ReportedFinding>& findings = run.findings;
  const bool is_new = IsNew(group, run);
  const int64_t seen = SeenBy(group, findings);
  const std::string cause = CauseText(findings[group.findings[0]].cause);
  std::string text =
      "<details class=\"group\" id=\"group-" + group.name + "\" data-vectors=\"" +
      std::to_string(seen) + "\"" + (IsKnown(group, findings) ? " data-known" : "") +
      (is_new ? " data-new" : "") + (open ? " open" : "") + ">\n<summary>" +
      Tagged("h3", "", group.title) + " " +
      Tagged("span", "class=\"soft\"",
             Counted(seen, "vector") + ", " + Counted(std::ssize(group.findings), "finding")) +
      (is_new ? " <span class=\"new\">new</span>" : "") + KnownMark(group, findings) +
      "</summary>\n";
  if (!cause.empty()) text += "<p>cause: " + Escaped(cause) + "</p>\n";
  text += "<p class=\"soft\">group " + Tagged("code", "", group.name) + "</p>\n";
  text += Smallest(findings[group.findings[0]], ids[group.findings[0]]);
  if (group.findings.size() > 1) text += "<p class=\"soft\">other findings of this group</p>\n";
  for (size_t i = 1; i < group.findings.size(); ++i) {
    text += Other(findings[group.findings[i]], ids[group.findings[i]]);
  }
  return text + "</details>\n";
}

// Returns how many groups are new since the earlier report.
std::string SinceText(const RunReport& run, std::span<const FindingGroup> groups) {
  if (!run.past.since) return "";
  const auto count = std::ranges::count_if(
      groups, [&run](const FindingGroup& group) { return IsNew(group, run); });
  return " " + std::to_string(count) + (count == 1 ? " group is" : " groups are") + " new since " +
         Tagged("code", "", run.past.since->file) + (count > 0 ? " and stand first." : ".");
}

// Returns the name of a file without its folders and its extension, for use in an identifier.
std::string StemOf(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  path.remove_prefix(path.rfind('/') + 1);
  if (path.ends_with(".tvec")) path.remove_suffix(5);
  std::string stem;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '-' || c == '_' || c == '.';
    stem += plain ? c : '-';
  }
  return stem;
}

}  // namespace

std::vector<std::string> FindingIds(const std::vector<ReportedFinding>& findings) {
  std::vector<std::string> ids;
  std::map<std::string, int> uses;
  for (const ReportedFinding& reported : findings) {
    const std::string stem = "finding-" + StemOf(reported.vector);
    std::string id = stem;
    for (int use = 2; !uses.try_emplace(id, 1).second; ++use) {
      id = stem + "-" + std::to_string(use);
    }
    ids.push_back(id);
  }
  return ids;
}

std::string FindingsToHtml(const RunReport& run, std::span<const FindingGroup> groups) {
  const std::vector<ReportedFinding>& findings = run.findings;
  std::string text = "<h2 id=\"findings\">Findings</h2>\n";
  if (findings.empty()) return text + "<p class=\"soft\">None.</p>\n";
  text += "<p class=\"soft\">" + Counted(std::ssize(findings), "finding") + " in " +
          Counted(std::ssize(groups), "group") +
          ". A group likely has one cause. It shows its smallest vector first." +
          SinceText(run, groups) + "</p>\n" + std::string(kTools) + "<div id=\"groups\">\n";
  const std::vector<std::string> ids = FindingIds(findings);
  for (size_t i = 0; i < groups.size(); ++i) {
    text += GroupToHtml(groups[i], run, ids, i < kOpenMax);
  }
  return text + "</div>\n";
}

}  // namespace assay

#include "html.h"

#include <algorithm>
#include <set>

#include "clean_text.h"
#include "console.h"
#include "coverage_report.h"
#include "finding_groups.h"
#include "finding_text.h"
#include "html_style.h"
#include "html_text.h"

namespace assay {
namespace {

constexpr size_t kReasonsMax = 200;

std::string ClassOf(CaseState state) {
  std::string name(CaseStateName(state));
  std::replace(name.begin(), name.end(), ' ', '-');
  return "class=\"" + name + "\"";
}

// Returns a sign for a state, so that a table is readable without colours.
std::string_view SignOf(CaseState state) {
  switch (state) {
    case CaseState::kAgrees:
      return "✓";
    case CaseState::kDisagrees:
      return "✗";
    case CaseState::kKnown:
      return "≈";
    case CaseState::kSuspect:
      return "⁈";
    case CaseState::kUndecided:
      return "?";
    case CaseState::kUnsupported:
      return "–";
    case CaseState::kBadInput:
    case CaseState::kDefect:
      return "!";
  }
  return "";
}

std::string Totals(const RunReport& run) {
  const Tally& tally = run.tally;
  std::string cards, bar;
  for (CaseState state : kAllCaseStates) {
    const int64_t count = tally.Count(state);
    const bool always = state <= CaseState::kUnsupported && state != CaseState::kSuspect;
    if (count == 0 && !always) continue;
    cards += "<div class=\"total\"><b " + ClassOf(state) + ">" + std::to_string(count) + "</b>" +
             Escaped(SignOf(state)) + " " + Escaped(CaseStateName(state)) + "</div>\n";
    if (count > 0) {
      bar += "<span " + ClassOf(state) + " style=\"flex:" + std::to_string(count) + "\"></span>";
    }
  }
  std::string text = "<div class=\"totals\">\n" + cards + "</div>\n<div class=\"bar\">" + bar +
                     "</div>\n<p class=\"soft\">" + std::to_string(tally.cases) + " vectors; " +
                     std::to_string(tally.judged_elements) + " elements judged, " +
                     std::to_string(tally.undecided_elements) + " undecided";
  for (const auto& [name, count] : run.counts) {
    text += "; " + Escaped(name) + " " + std::to_string(count);
  }
  return text + "</p>\n";
}

std::string Gaps(const RunReport& run) {
  std::string text;
  for (const std::string& note : run.known.notes) {
    text += Tagged("p", "class=\"undecided\"", run.known.file + ": " + note) + "\n";
  }
  for (const std::string& gap : run.gaps) {
    text += Tagged("p", "class=\"undecided\"", "partial: " + gap) + "\n";
  }
  return text;
}

std::string Cell(const StateCounts& counts) {
  std::string text, title;
  for (CaseState state : kAllCaseStates) {
    const int64_t count = counts[static_cast<size_t>(state)];
    if (count == 0) continue;
    text += "<span " + ClassOf(state) + ">" + std::string(SignOf(state)) + " " +
            std::to_string(count) + "</span>";
    title += (title.empty() ? "" : ", ") + std::to_string(count) + " " +
             std::string(CaseStateName(state));
  }
  const bool fails = counts[static_cast<size_t>(CaseState::kDisagrees)] > 0;
  const bool fits = counts[static_cast<size_t>(CaseState::kAgrees)] > 0;
  const std::string look = fails ? " class=\"fails\"" : fits ? " class=\"fits\"" : "";
  return "<td" + look + " title=\"" + title + "\">" + text + "</td>";
}

std::string OperatorTable(const RunReport& run) {
  const std::map<OperatorUse, StateCounts>& counts = run.tally.by_operator;
  if (counts.empty()) return "";
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
      "✗ disagrees, ≈ known, ⁈ suspect, ? undecided, – unsupported.</p>\n"
      "<div class=\"scroll\"><table>\n<thead><tr><th>operator</th>";
  for (DType type : types) text += Tagged("th", "", TypeLabel(type));
  text += "</tr></thead>\n<tbody>\n";
  for (Op op : ops) {
    text += "<tr>" + Tagged("th", "", OperatorLabel(op));
    for (DType type : types) {
      const auto found = counts.find({op, type});
      text += found == counts.end() ? "<td></td>" : Cell(found->second);
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

// Returns Graphviz's SVG without the prolog, which has no place inside HTML; "" if the text is no
// SVG.
std::string InlineSvg(const std::string& svg) {
  const size_t start = svg.find("<svg");
  if (start == std::string::npos) return "";
  return "<div class=\"graph\">" + CleanText(std::string_view(svg).substr(start)) + "</div>\n";
}

std::string FindingCard(const ReportedFinding& reported, const std::string& anchor) {
  const Finding& finding = reported.finding;
  std::string text = "<section class=\"finding\" id=\"" + anchor + "\">\n" +
                     Tagged("h3", "", ReportedHeadline(reported)) + "\n<table>\n";
  const auto row = [&text](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    text += "<tr>" + Tagged("th", "", name) + "<td>" + Tagged("code", "", value) + "</td></tr>\n";
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
  std::string readings;
  for (const std::string& reading : finding.readings) {
    readings += (readings.empty() ? "" : ", ") + reading;
  }
  row("cause", CauseText(reported.cause));
  row("readings it rests on", readings);
  row("declarations it rests on", finding.rests_on);
  row("not minimized", LossText(reported));
  row("standard error", reported.log);
  row("seen in", std::to_string(reported.seen) + (reported.seen == 1 ? " vector" : " vectors"));
  text += "</table>\n";
  if (!reported.last_words.empty()) {
    text += "<p class=\"soft\">last lines of standard error</p>\n" +
            Tagged("pre", "", reported.last_words) + "\n";
  }
  if (!reported.graph_svg.empty()) text += InlineSvg(reported.graph_svg);
  if (!reported.graph_text.empty()) text += Tagged("pre", "", reported.graph_text) + "\n";
  text += "<p class=\"soft\">replay</p>\n" + Tagged("pre", "", reported.replay) + "\n</section>\n";
  return text;
}

std::string KnownMark(const FindingGroup& group, const std::vector<ReportedFinding>& findings) {
  if (!IsKnown(group, findings)) return "";
  return " <span class=\"known\">≈ known: " + Escaped(OneLine(findings[group.findings[0]].known)) +
         "</span>";
}

// Returns a table of the groups and their findings, a line each with a link to its card.
std::string Overview(const std::vector<ReportedFinding>& findings) {
  std::string text =
      "<div class=\"scroll\"><table>\n<thead><tr><th>finding</th><th>expected</th><th>got</th>"
      "<th>vectors</th></tr></thead>\n<tbody>\n";
  for (const FindingGroup& group : GroupByCause(findings)) {
    text += "<tr id=\"group-" + group.name + "\"><th colspan=\"3\" class=\"wrap\">" +
            Escaped(group.title) + KnownMark(group, findings) + "</th><th>" +
            std::to_string(SeenBy(group, findings)) + "</th></tr>\n";
    for (const size_t i : group.findings) {
      const Finding& finding = findings[i].finding;
      text += "<tr><td><a href=\"#finding-" + std::to_string(i + 1) + "\">" +
              Escaped(ReportedHeadline(findings[i])) + "</a></td>" +
              Tagged("td", "class=\"wrap\"", finding.expected) +
              Tagged("td", "class=\"wrap\"", finding.got) + "<td>" +
              std::to_string(findings[i].seen) + "</td></tr>\n";
    }
  }
  return text + "</tbody>\n</table></div>\n";
}

std::string Findings(const RunReport& run) {
  std::string text = "<h2>Findings</h2>\n";
  if (run.findings.empty()) return text + "<p class=\"soft\">None.</p>\n";
  return text + Overview(run.findings);
}

std::string FindingCards(const RunReport& run) {
  std::string text;
  for (size_t i = 0; i < run.findings.size(); ++i) {
    if (i == 0) text += "<h2>Findings in detail</h2>\n";
    text += FindingCard(run.findings[i], "finding-" + std::to_string(i + 1));
  }
  return text;
}

// Returns the groups of suspects. None is a finding.
std::string Suspects(const RunReport& run) {
  if (run.suspects.empty()) return "";
  std::string text =
      "<h2>Suspects</h2>\n<p class=\"soft\">No sound rule decides these; none is a finding.</p>\n"
      "<div class=\"scroll\"><table>\n<thead><tr><th>suspect</th><th>vectors</th>"
      "<th>replay</th></tr></thead>\n<tbody>\n";
  for (const ReportedSuspect& suspect : run.suspects) {
    const char* mark = suspect.repeats ? "" : " (not repeatable)";
    text += "<tr>" + Tagged("td", "class=\"wrap\"", suspect.why + mark) + "<td>" +
            std::to_string(suspect.seen) + "</td><td class=\"wrap\">" +
            Tagged("code", "", suspect.replay) + "</td></tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

std::string NotJudged(const RunReport& run) {
  const std::vector<RankedReason> reasons = run.tally.RankedReasons();
  if (reasons.empty()) return "";
  std::string text =
      "<h2>Not judged</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>vectors</th>"
      "<th>state</th><th>why</th><th>first</th></tr></thead>\n<tbody>\n";
  size_t shown = 0;
  for (const auto& [state, why, reason] : reasons) {
    if (shown >= kReasonsMax && state != CaseState::kDefect) break;
    ++shown;
    text += "<tr><td>" + std::to_string(reason.count) + "</td>" +
            Tagged("td", ClassOf(state), CaseStateName(state)) +
            Tagged("td", "class=\"wrap\"", why) + "<td class=\"wrap\">" +
            Tagged("code", "", reason.first) + "</td></tr>\n";
  }
  text += "</tbody>\n</table></div>\n";
  if (reasons.size() > shown) {
    text += "<p class=\"soft\">and " + std::to_string(reasons.size() - shown) +
            " other reasons, all in " + Tagged("code", "", kNotJudgedFile) + "</p>\n";
  }
  return text;
}

// Returns the Arm test directories whose recorded results contradict the verdicts, with both.
std::string Contradictions(const RunReport& run) {
  std::string rows;
  for (const CaseResult& result : run.cases) {
    if (!result.contradicts_record) continue;
    rows += "<tr><td class=\"wrap\">" + Tagged("code", "", result.vector) + "</td>" +
            Tagged("td", "class=\"wrap\"", result.note) + "</tr>\n";
  }
  if (rows.empty()) return "";
  return "<h2>Recorded results that contradict our reading of the text</h2>\n"
         "<p class=\"soft\">Our reading decides.</p>\n<div class=\"scroll\"><table>\n"
         "<thead><tr><th>test</th><th>both verdicts</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table></div>\n";
}

}  // namespace

std::string RunToHtml(const RunReport& run) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
         Tagged("title", "", "Assay: " + run.title) + "\n<style>" + kReportStyle +
         "</style>\n</head>\n<body>\n" + Tagged("h1", "", run.title) + "\n<p class=\"soft\">" +
         Tagged("code", "", run.command) + "</p>\n" + Gaps(run) + Totals(run) + Findings(run) +
         OperatorTable(run) + FindingCards(run) + Suspects(run) + NotJudged(run) +
         Contradictions(run) + CoverageToHtml(run.coverage) + "</body>\n</html>\n";
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "clean_text.h"
#include "console.h"
#include "coverage_report.h"
#include "finding_groups.h"
#include "html_findings.h"
#include "html_history.h"
#include "html_operators.h"
#include "html_script.h"
#include "html_style.h"
#include "html_text.h"
#include "report_forms.h"
#include "run_changes.h"
#include "sha256.h"

namespace assay {
namespace {

constexpr size_t kHtmlReasonsMax = 200;

std::string TotalsCards(const RunReport& run) {
  const Tally& tally = run.tally;
  std::string cards, bar;
  for (CaseState state : kAllCaseStates) {
    const int64_t count = tally.Count(state);
    const bool always = state <= CaseState::kUnsupported && state != CaseState::kSuspect;
    if (count == 0 && !always) continue;
    cards += "<div class=\"total\"><b " + StateClass(state) + ">" + std::to_string(count) + "</b>" +
             Escaped(StateSign(state)) + " " + Escaped(CaseStateName(state)) + "</div>\n";
    if (count > 0) {
      bar += "<span " + StateClass(state) + " style=\"flex:" + std::to_string(count) + "\"></span>";
    }
  }
  std::string text = "<div class=\"totals\">\n" + cards + "</div>\n<div class=\"bar\">" + bar +
                     "</div>\n<p class=\"soft\">" + std::to_string(tally.cases) + " vectors; " +
                     std::to_string(tally.judged_elements) + " elements judged, " +
                     std::to_string(tally.undecided_elements) + " undecided";
  for (const auto& [name, count] : run.counts) {
    text += "; " + Escaped(name) + " " + std::to_string(count);
  }
  text += "</p>\n";
  if (!run.power) return text;
  for (const std::string& line : PowerLines(*run.power)) text += Tagged("p", "", line) + "\n";
  return text;
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

// Returns the groups of suspects. None is a finding.
std::string SuspectsTable(const RunReport& run) {
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
    if (shown >= kHtmlReasonsMax && state != CaseState::kDefect) break;
    ++shown;
    text += "<tr><td>" + std::to_string(reason.count) + "</td>" +
            Tagged("td", StateClass(state), CaseStateName(state)) +
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
std::string ContradictionsTable(const RunReport& run) {
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

// Returns the base64 form of a digest that Sha256() gives in hexadecimal.
std::string Base64OfHex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : hex) {
    bits = bits << 4 | static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    text += kDigits[bits >> count & 63];
  }
  if (count > 0) text += kDigits[bits << (6 - count) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

// Returns the policy that forbids the page to load anything, and any script but its own, which is
// named by its digest. So no text of a finding can run, even if it became markup.
std::string PolicyTag() {
  return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'sha256-" +
         Base64OfHex(Sha256(kReportScript)) + "'; base-uri 'none'; form-action 'none'\">\n";
}

}  // namespace

std::string RunToHtml(const RunReport& run) {
  const std::vector<FindingGroup> groups = NewFirst(GroupByCause(run.findings), run);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
         PolicyTag() + Tagged("title", "", "Assay: " + run.title) + "\n<style>" + kReportStyle +
         "</style>\n</head>\n<body>\n" + Tagged("h1", "", run.title) + "\n<p class=\"soft\">" +
         Tagged("code", "", run.command) + "</p>\n" +
         (run.timing ? Tagged("p", "class=\"soft\"", TimingLine(*run.timing)) + "\n" : "") +
         Gaps(run) + TotalsCards(run) + FindingsToHtml(run, groups) + GoneToHtml(run, groups) +
         TrendToHtml(run) + OperatorsToHtml(run, groups) + SuspectsTable(run) + NotJudged(run) +
         ContradictionsTable(run) + CoverageToHtml(run.coverage) + AboutToHtml(run) + "<script>" +
         kReportScript + "</script>\n</body>\n</html>\n";
}

}  // namespace assay

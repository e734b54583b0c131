// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>

#include "clean_text.h"
#include "finding_text.h"
#include "report_forms.h"

namespace assay {
namespace {

void SetText(pugi::xml_node node, const char* attribute, std::string_view text) {
  node.append_attribute(attribute) = OneLine(text).c_str();
}

// Returns the last part of a path.
std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns the name of a vector below the path on the command line that it comes from, so that it is
// the same on every machine. If there are several such paths, it begins with the last part of that
// path, because two suites may have files of one name.
std::string NameBelow(const std::vector<std::string>& suites, std::string_view vector) {
  std::string_view longest;
  for (std::string_view suite : suites) {
    while (suite.ends_with('/')) suite.remove_suffix(1);
    const bool below =
        vector.starts_with(suite) && (vector.size() == suite.size() || vector[suite.size()] == '/');
    if (below && suite.size() > longest.size()) longest = suite;
  }
  if (longest.empty()) return std::string(vector);
  if (longest.size() == vector.size()) return std::string(LastPart(vector));
  const std::string rest(vector.substr(longest.size() + 1));
  return suites.size() == 1 ? rest : std::string(LastPart(longest)) + "/" + rest;
}

// Returns seconds as JUnit has them: "0.125".
std::string SecondsText(double seconds) {
  const std::string millis = std::to_string(std::llround(seconds * 1000));
  const std::string digits = std::string(millis.size() < 4 ? 4 - millis.size() : 0, '0') + millis;
  return digits.substr(0, digits.size() - 3) + "." + digits.substr(digits.size() - 3);
}

// The seconds of the cases whose time a run has kept.
std::map<std::string_view, double> CaseSeconds(const RunReport& run) {
  std::map<std::string_view, double> seconds;
  if (!run.timing) return seconds;
  for (const CaseTime& time : run.timing->longest) seconds.emplace(time.vector, time.seconds);
  return seconds;
}

void AddCase(pugi::xml_node suite, const CaseResult& result, const RunReport& run,
             const std::map<std::string_view, double>& seconds) {
  pugi::xml_node test = suite.append_child("testcase");
  SetText(test, "classname", "assay." + (result.kind.empty() ? "vector" : result.kind));
  SetText(test, "name", NameBelow(run.suites, result.vector));
  const auto time = seconds.find(result.vector);
  if (time != seconds.end()) SetText(test, "time", SecondsText(time->second));
  const auto add = [&](const char* element, const std::string& message) {
    pugi::xml_node node = test.append_child(element);
    SetText(node, "message", message);
    return node;
  };
  if (result.contradicts_record) {
    test.append_child("system-out")
        .append_child(pugi::node_pcdata)
        .set_value(CleanText(result.note).c_str());
  }
  switch (result.state) {
    case CaseState::kAgrees:
      return;
    case CaseState::kDisagrees: {
      std::string text;
      for (const Finding& finding : result.verdict.findings) text += FindingText(finding) + "\n";
      const std::string damage = DamageText(result.damaged_by);
      if (!damage.empty()) text += damage + "\n";
      const auto replay = run.replays.find(result.vector);
      if (replay != run.replays.end()) text += "replay: " + replay->second + "\n";
      const bool any = !result.verdict.findings.empty();
      pugi::xml_node node =
          add("failure", any ? FindingHeadline(result.verdict.findings[0]) : result.note);
      node.append_child(pugi::node_pcdata).set_value(CleanText(text).c_str());
      return;
    }
    case CaseState::kKnown:
    case CaseState::kSuspect:
    case CaseState::kUndecided:
    case CaseState::kUnsupported:
      add("skipped", std::string(CaseStateName(result.state)) + ": " + result.note);
      return;
    case CaseState::kBadInput:
    case CaseState::kDefect:
      add("error", std::string(CaseStateName(result.state)) + ": " + result.note);
      return;
  }
}

}  // namespace

std::string RunToJunit(const RunReport& run) {
  const auto count = [&run](CaseState state) { return run.tally.CountAll(state); };
  pugi::xml_document document;
  pugi::xml_node declaration = document.prepend_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  SetText(suite, "name", "assay " + run.backend);
  // If there are too many cases to keep, those that agree are only counted.
  const bool is_partial = static_cast<bool>(run.each_case);
  const int64_t tests = is_partial ? run.tally.cases : std::ssize(run.cases);
  suite.append_attribute("tests") = static_cast<long long>(tests);
  suite.append_attribute("failures") = static_cast<long long>(count(CaseState::kDisagrees));
  suite.append_attribute("errors") =
      static_cast<long long>(count(CaseState::kBadInput) + count(CaseState::kDefect));
  suite.append_attribute("skipped") =
      static_cast<long long>(count(CaseState::kKnown) + count(CaseState::kSuspect) +
                             count(CaseState::kUndecided) + count(CaseState::kUnsupported));
  if (run.timing) {
    SetText(suite, "timestamp", run.timing->start.substr(0, run.timing->start.find('Z')));
    SetText(suite, "time", SecondsText(run.timing->seconds));
  }
  if (!run.gaps.empty() || is_partial || run.power) {
    pugi::xml_node properties = suite.append_child("properties");
    const auto add = [&properties](const char* name, const std::string& value) {
      pugi::xml_node property = properties.append_child("property");
      SetText(property, "name", name);
      SetText(property, "value", value);
    };
    if (is_partial) {
      add("listed", "the first " + std::to_string(run.cases.size()) +
                        " vectors that do not agree; report.jsonl has all");
    }
    for (const std::string& gap : run.gaps) add("partial", gap);
    if (run.power) add("power", PowerLines(*run.power)[0]);
  }
  const std::map<std::string_view, double> seconds = CaseSeconds(run);
  for (const CaseResult& result : run.cases) AddCase(suite, result, run, seconds);
  for (const ReportedFinding& reported : run.findings) {
    pugi::xml_node output = suite.append_child("system-out");
    const std::string text = ReportedHeadline(reported) + "\nreplay: " + reported.replay;
    output.append_child(pugi::node_pcdata).set_value(CleanText(text).c_str());
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace assay

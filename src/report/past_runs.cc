// SPDX-License-Identifier: Apache-2.0
#include "past_runs.h"

#include <utility>

#include "clean_text.h"
#include "formats.h"
#include "json_fields.h"
#include "json_text.h"

namespace assay {
namespace {

Error BadLine(const std::string& file, int64_t number, const std::string& what) {
  return BadInput(file + ":" + std::to_string(number) + ": " + what);
}

PastRun RunFrom(const Json& json) {
  PastRun run;
  json.at("date").get_to(run.date);
  json.at("assay").get_to(run.assay);
  json.at("run").get_to(run.title);
  json.at("vectors").get_to(run.cases);
  for (const CaseState state : kAllCaseStates) {
    const std::string name(CaseStateName(state));
    run.states[static_cast<size_t>(state)] = json.at("cases").value(name, int64_t{0});
  }
  json.at("groups").get_to(run.groups);
  return run;
}

// Calls `take(line, number)` for the lines that have an end. Returns its first Error.
template <class Take>
Result<Done> ForEachLine(std::string_view text, Take take) {
  int64_t number = 0;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    const Result<Done> taken = take(text.substr(0, end), ++number);
    if (!taken) return taken;
    text.remove_prefix(end + 1);
  }
  return Done{};
}

}  // namespace

Result<EarlierReport> EarlierReportFrom(std::string_view text, const std::string& file) {
  EarlierReport report;
  report.file = file;
  bool has_head = false;
  // Cases are most of the lines. Only the lines that count are parsed.
  const Result<Done> read =
      ForEachLine(text, [&](std::string_view line, int64_t number) -> Result<Done> {
        const bool is_head = number == 1, is_group = line.starts_with(R"({"group":)");
        if (!is_head && !is_group) return Done{};
        try {
          const Json json = JsonFrom<Json>(line);
          if (is_head) {
            json.at("run").get_to(report.title);
            json.at("backend").get_to(report.backend);
            report.command = json.value("command", "");
            has_head = true;
          } else {
            PastGroup& group = report.groups.emplace_back();
            json.at("group").get_to(group.name);
            json.at("title").get_to(group.title);
            json.at("seen").get_to(group.seen);
            json.at("findings").get_to(group.findings);
          }
        } catch (const Json::exception& error) {
          return BadLine(file, number, "is no line of a report: " + OneLine(error.what()));
        }
        return Done{};
      });
  if (!read) return read.error();
  if (!has_head) return BadInput(file + ": is no report.jsonl of assay verify or assay fuzz");
  return report;
}

std::string HistoryLine(const PastRun& run) {
  Json json = {{"format", formats::kHistory.name},
               {"version", formats::kHistory.version},
               {"date", run.date},
               {"assay", run.assay},
               {"run", run.title},
               {"vectors", run.cases},
               {"cases", Json::object()}};
  for (const CaseState state : kAllCaseStates) {
    const int64_t count = run.states[static_cast<size_t>(state)];
    if (count > 0) json["cases"][std::string(CaseStateName(state))] = count;
  }
  json["groups"] = run.groups;
  return JsonText(json) + "\n";
}

Result<std::vector<PastRun>> HistoryFrom(std::string_view text, const std::string& file) {
  std::vector<PastRun> history;
  const Result<Done> read =
      ForEachLine(text, [&](std::string_view line, int64_t number) -> Result<Done> {
        try {
          const Json json = JsonFrom<Json>(line);
          if (json.at("format").get<std::string>() != formats::kHistory.name) {
            return BadLine(file, number, "is no line of a history");
          }
          if (json.at("version").get<int>() != formats::kHistory.version) {
            return BadLine(file, number, "has a version that this Assay does not know");
          }
          history.push_back(RunFrom(json));
        } catch (const Json::exception& error) {
          return BadLine(file, number, "is no line of a history: " + OneLine(error.what()));
        }
        return Done{};
      });
  if (!read) return read.error();
  return history;
}

bool AddToHistory(PastRun run, std::vector<PastRun>& history) {
  if (!history.empty() && history.back() == run) return false;
  history.push_back(std::move(run));
  return true;
}

}  // namespace assay

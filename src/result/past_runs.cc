// SPDX-License-Identifier: Apache-2.0
#include "past_runs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats.h"
#include "json_fields.h"
#include "json_lines.h"
#include "json_place.h"
#include "json_text.h"
#include "sha256.h"

namespace assay {
namespace {

Result<JsonPlace> Member(const JsonPlace& object, const char* name) {
  const std::optional<JsonPlace> member = object.Field({name});
  if (!member) return object.Problem("lacks \"" + std::string(name) + "\"");
  return *member;
}

Result<Done> ReadMember(const JsonPlace& object, const char* name, std::string& text) {
  const Result<JsonPlace> member = Member(object, name);
  Result<std::string> read = member ? member->Text() : Result<std::string>(member.error());
  if (!read) return read.error();
  text = std::move(*read);
  return Done{};
}

Result<Done> ReadMember(const JsonPlace& object, const char* name, int64_t& count) {
  const Result<JsonPlace> member = Member(object, name);
  const Result<int64_t> read = member ? member->Integer(0) : Result<int64_t>(member.error());
  if (!read) return read.error();
  count = *read;
  return Done{};
}

Result<Done> ReadMember(const JsonPlace& object, const char* name,
                        std::vector<std::string>& texts) {
  const Result<JsonPlace> member = Member(object, name);
  if (!member) return member.error();
  return member->ForEachElement([&texts](const JsonPlace& place) -> Result<Done> {
    Result<std::string> text = place.Text();
    if (!text) return text.error();
    texts.push_back(std::move(*text));
    return Done{};
  });
}

Result<Done> ReadCounts(const JsonPlace& line, StateCounts& counts) {
  const Result<JsonPlace> cases = Member(line, "cases");
  if (!cases) return cases.error();
  if (!cases->IsObject()) return cases->Problem("is not an object");
  for (const CaseState state : kAllCaseStates) {
    const std::string name(CaseStateName(state));
    if (!cases->Field({name.c_str()})) continue;
    const Result<Done> read = ReadMember(*cases, name.c_str(), counts[static_cast<size_t>(state)]);
    if (!read) return read;
  }
  return Done{};
}

Result<Done> ReadRun(const JsonPlace& line, PastRun& run) {
  std::string format;
  int64_t version = 0;
  Result<Done> read = ReadMember(line, "format", format);
  if (read) read = ReadMember(line, "version", version);
  if (!read) return read;
  if (format != formats::kHistory.name)
    return line.Problem("/format: is not \"" + std::string(formats::kHistory.name) + "\"");
  if (version != formats::kHistory.version) {
    return line.Problem("/version: this Assay reads only " +
                        std::to_string(formats::kHistory.version));
  }
  read = ReadMember(line, "date", run.date);
  if (read) read = ReadMember(line, "assay", run.assay);
  if (read) read = ReadMember(line, "run", run.title);
  if (read) read = ReadMember(line, "vectors", run.cases);
  if (read) read = ReadCounts(line, run.states);
  if (read) read = ReadMember(line, "groups", run.groups);
  return read;
}

Result<Done> ReadHead(const JsonPlace& line, EarlierReport& report) {
  Result<Done> read = ReadMember(line, "run", report.title);
  if (read) read = ReadMember(line, "backend", report.backend);
  if (read && line.Field({"command"})) read = ReadMember(line, "command", report.command);
  if (read && line.Field({"schema"})) read = ReadMember(line, "schema", report.schema);
  return read;
}

Result<Done> ReadGroup(const JsonPlace& line, PastGroup& group) {
  Result<Done> read = ReadMember(line, "group", group.name);
  if (read) read = ReadMember(line, "title", group.title);
  if (read) read = ReadMember(line, "seen", group.seen);
  if (read) read = ReadMember(line, "findings", group.findings);
  return read;
}

// Parses a line of a file of this kind, and calls `read` with its place.
template <class Read>
Result<Done> ReadLine(std::string_view line, const std::string& file, int64_t number,
                      const std::string& kind, Read read) {
  const std::string where = file + ":" + std::to_string(number) + ": is no line of a " + kind;
  const Json json = ParseJson(line);
  const JsonPlace place(json, where);
  Result<Done> done = json.is_object() ? read(place) : place.Problem("it is no JSON object");
  if (done) return done;
  return BadInput(done.error().message + "; correct the file, or choose another");
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
        has_head = true;
        return ReadLine(line, file, number, "report", [&](const JsonPlace& place) {
          return is_head ? ReadHead(place, report) : ReadGroup(place, report.groups.emplace_back());
        });
      });
  if (!read) return read.error();
  if (!has_head) return BadInput(file + ": is no report.jsonl of assay verify or assay fuzz");
  if (report.schema < 2) return report;
  const size_t last = std::min(text.rfind(kReportSumStart), text.size());
  if (text.substr(last) == ReportSumLine(Sha256(text.substr(0, last)))) return report;
  return BadInput(file +
                  ": is damaged or was edited: its last line is not the SHA-256 of the others");
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
        return ReadLine(line, file, number, "history", [&](const JsonPlace& place) {
          return ReadRun(place, history.emplace_back());
        });
      });
  if (!read) return read.error();
  // The rest behind the last line is the beginning of one, or this is another file.
  const std::string start = R"({"format":")" + std::string(formats::kHistory.name) + "\"";
  const std::string_view rest = text.substr(text.rfind('\n') + 1);
  if (rest.substr(0, start.size()) == std::string_view(start).substr(0, rest.size()))
    return history;
  return BadInput(file +
                  ": is no history: its last line has no end; correct the file, or choose another");
}

bool AddToHistory(PastRun run, std::vector<PastRun>& history) {
  if (!history.empty() && history.back() == run) return false;
  history.push_back(std::move(run));
  return true;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "json_lines.h"

#include <algorithm>

#include "clean_text.h"
#include "finding_groups.h"
#include "json_text.h"
#include "result_records.h"
#include "run_changes.h"
#include "sha256.h"
#include "version.h"

namespace assay {
namespace {

Json ToJson(const Tally& tally) {
  Json operators = Json::array(), reasons = Json::array();
  for (const auto& [use, counts] : tally.by_operator) {
    operators.push_back({{"use", RecordToJson(use)}, {"states", counts}});
  }
  for (const auto& [key, reason] : tally.reasons) {
    reasons.push_back({{"state", CaseStateName(key.first)},
                       {"why", key.second},
                       {"count", reason.count},
                       {"first", reason.first}});
  }
  return {{"cases", tally.cases},
          {"states", tally.states},
          {"lost", tally.lost},
          {"judged_elements", tally.judged_elements},
          {"undecided_elements", tally.undecided_elements},
          {"implied_errors", tally.implied_errors},
          {"operators", std::move(operators)},
          {"reasons", std::move(reasons)}};
}

// Reads the counts of states. Older builds knew fewer states, which are the first ones.
StateCounts StatesFrom(const Json& json) {
  StateCounts counts{};
  const auto read = json.get<std::vector<int64_t>>();
  std::copy_n(read.begin(), std::min(read.size(), counts.size()), counts.begin());
  return counts;
}

Tally TallyFrom(const Json& json) {
  Tally tally;
  json.at("cases").get_to(tally.cases);
  tally.states = StatesFrom(json.at("states"));
  json.at("lost").get_to(tally.lost);
  json.at("judged_elements").get_to(tally.judged_elements);
  json.at("undecided_elements").get_to(tally.undecided_elements);
  if (json.contains("implied_errors")) tally.implied_errors = StatesFrom(json.at("implied_errors"));
  for (const Json& row : json.at("operators")) {
    tally.by_operator[RecordFromJson<OperatorUse>(row.at("use"))] = StatesFrom(row.at("states"));
  }
  for (const Json& row : json.at("reasons")) {
    const CaseState state = JsonForm<CaseState>::From(row.at("state"));
    tally.reasons[{state, row.at("why").get<std::string>()}] = {row.at("count").get<int64_t>(),
                                                                row.at("first").get<std::string>()};
  }
  return tally;
}

constexpr char kChecksum[] = "sha256";

// Tells whether a run can have counted so many cases or elements. Sums of these do not overflow.
bool IsCount(int64_t number) { return number >= 0 && number <= int64_t{1} << 42; }

std::string ChecksumOf(const Json& json) { return Sha256(JsonText(json)); }

// Tells whether the numbers of a run's progress fit together.
bool IsPossible(const RunProgress& progress) {
  const Tally& tally = progress.tally;
  const auto is_count = [&tally](int64_t count) { return count >= 0 && count <= tally.cases; };
  int64_t cases = 0;
  for (const int64_t count : tally.states) {
    if (!is_count(count)) return false;
    cases += count;
  }
  const auto is_good = [](const auto& reported) { return reported.second.seen > 0; };
  return IsCount(progress.next) && progress.outside >= 0 && progress.invalid >= 0 &&
         progress.outside + progress.invalid <= progress.next &&
         progress.next - progress.outside - progress.invalid == tally.cases &&
         cases == tally.cases && is_count(tally.lost) && tally.judged_elements >= 0 &&
         tally.undecided_elements >= 0 && std::ranges::all_of(progress.findings, is_good) &&
         std::ranges::all_of(progress.suspects, is_good);
}

}  // namespace

std::string CaseToJson(const CaseResult& result, bool with_log) {
  Json json = RecordToJson(result);
  if (with_log && !result.log.empty()) json["log"] = result.log;
  return JsonText(json);
}

Result<CaseResult> CaseFromJson(std::string_view line) {
  try {
    const Json json = JsonFrom(line);
    auto result = RecordFromJson<CaseResult>(json);
    result.log = json.value("log", "");
    const Verdict& verdict = result.verdict;
    if (result.state == CaseState::kDisagrees && verdict.findings.empty()) {
      return BadInput("not a case: disagrees without a finding");
    }
    for (const int64_t count :
         {verdict.judged_elements, verdict.undecided_elements, result.windows, result.tapped}) {
      if (!IsCount(count)) return BadInput("not a case: a number in it cannot be");
    }
    return result;
  } catch (const JsonError& error) {
    return BadInput("not a case: " + OneLine(error.what()));
  }
}

std::string CauseToJson(const FindingCause& cause) { return JsonText(RecordToJson(cause)); }

std::string PowerToJson(const PowerSummary& power) { return JsonText(RecordToJson(power)); }

Result<FindingCause> CauseFromJson(std::string_view line) {
  try {
    return RecordFromJson<FindingCause>(JsonFrom(line));
  } catch (const JsonError& error) {
    return BadInput("no cause: " + OneLine(error.what()));
  }
}

Result<ReportedFinding> ReportedFindingFromJson(std::string_view line) {
  try {
    auto finding = RecordFromJson<ReportedFinding>(JsonFrom(line));
    if (IsCount(finding.seen)) return finding;
    return BadInput("no finding: a number in it cannot be");
  } catch (const JsonError& error) {
    return BadInput("no finding: " + OneLine(error.what()));
  }
}

namespace {

RunHead RunHeadOf(const RunReport& run) {
  const SpecVersion spec;
  RunHead head;
  head.title = run.title;
  head.assay = kToolkitVersion;
  head.spec = {spec.major, spec.minor, spec.patch};
  head.backend = run.backend;
  head.command = run.command;
  for (const auto& [path, sha256] : run.suite_hashes) head.suites.push_back({path, sha256});
  head.gaps = run.gaps;
  head.cases.counts = run.tally.states;
  if (!run.known.file.empty()) head.known = run.known;
  if (run.past.since) {
    head.since = RunHead::Since{run.past.since->file, {}};
    for (const PastGroup& gone : GoneGroups(GroupByCause(run.findings), run)) {
      head.since->gone.push_back(gone.name);
    }
  }
  head.facts = run.facts;
  head.judged_elements = run.tally.judged_elements;
  head.undecided_elements = run.tally.undecided_elements;
  head.implied_errors.counts = run.tally.implied_errors;
  head.counts = run.counts;
  head.power = run.power;
  return head;
}

// Returns the findings, groups and suspects.
std::string TailToJson(const RunReport& run) {
  std::string lines;
  const auto add = [&lines](const auto& record) { lines += JsonText(RecordToJson(record)) + "\n"; };
  for (const ReportedFinding& reported : run.findings) add(reported);
  for (const FindingGroup& group : GroupByCause(run.findings)) {
    const ReportedFinding& first = run.findings[group.findings[0]];
    GroupLine line;
    line.name = group.name;
    line.title = group.title;
    line.seen = SeenBy(group, run.findings);
    for (const size_t i : group.findings) {
      line.findings.push_back(run.findings[i].finding.Signature());
    }
    if (run.past.since) line.is_new = IsNew(group, run);
    if (IsKnown(group, run.findings)) line.known = first.known;
    line.vector = first.vector;
    line.replay = first.replay;
    add(line);
  }
  for (const ReportedSuspect& suspect : run.suspects) add(suspect);
  return lines;
}

}  // namespace

Result<Done> WriteJsonLines(const RunReport& run,
                            const std::function<Result<Done>(std::string_view text)>& write) {
  Sha256Sum sum;
  const auto put = [&](std::string_view text) {
    sum.Add(text);
    return write(text);
  };
  Result<Done> written = put(JsonText(RecordToJson(RunHeadOf(run))) + "\n");
  if (!written) return written;
  const CaseSink sink = [&](const CaseResult& result) { return put(CaseToJson(result) + "\n"); };
  if (run.each_case) {
    written = run.each_case(sink);
  } else {
    for (size_t i = 0; written && i < run.cases.size(); ++i) written = sink(run.cases[i]);
  }
  if (written) written = put(TailToJson(run));
  return written ? write(ReportSumLine(sum.Digits())) : written;
}

std::string RunToJsonLines(const RunReport& run) {
  std::string lines;
  (void)WriteJsonLines(run, [&lines](std::string_view text) {
    lines += text;
    return Done{};
  });
  return lines;
}

std::string ReportSchema() {
  Json definitions = Json::object();
  const Json lines =
      Json::array({RecordSchema<RunHead>(definitions), RecordSchema<CaseResult>(definitions),
                   RecordSchema<ReportedFinding>(definitions), RecordSchema<GroupLine>(definitions),
                   RecordSchema<ReportedSuspect>(definitions), RecordSchema<SumLine>(definitions)});
  return SchemaText("A line of report.jsonl, version " + std::to_string(kReportSchema),
                    {{"oneOf", lines}}, definitions);
}

std::string ProgressToJson(const RunProgress& progress) {
  Json findings = Json::array();
  for (const auto& [signature, reported] : progress.findings) {
    findings.push_back(RecordToJson(reported));
    findings.back()["signature"] = signature;
    findings.back()["svg"] = reported.graph_svg;
    if (reported.wrong) findings.back()["wrong"] = WrongElementsToJson(reported.wrong);
  }
  Json json = {{"campaign", progress.campaign},       {"next", progress.next},
               {"outside_target", progress.outside},  {"invalid", progress.invalid},
               {"tally", ToJson(progress.tally)},     {"tallies", Json::object()},
               {"work", RecordToJson(progress.work)}, {"signatures", progress.signatures},
               {"findings", std::move(findings)}};
  for (const auto& [key, tally] : progress.tallies) json["tallies"][key] = ToJson(tally);
  for (const auto& [signature, suspect] : progress.suspects) {
    json["suspects"].push_back(RecordToJson(suspect));
  }
  json[kChecksum] = ChecksumOf(json);
  return JsonText(json) + "\n";
}

Result<RunProgress> ProgressFromJson(std::string_view text) {
  RunProgress progress;
  try {
    Json whole = JsonFrom(text);
    const std::string checksum = whole.at(kChecksum).get<std::string>();
    whole.erase(kChecksum);
    if (checksum != ChecksumOf(whole)) {
      return BadInput("is damaged or was edited: its SHA-256 differs");
    }
    const Json json = whole;
    if (!json.contains("work")) {
      return BadInput(
          "is of an older build of Assay, which took other cases; choose another --out");
    }
    json.at("campaign").get_to(progress.campaign);
    json.at("next").get_to(progress.next);
    json.at("outside_target").get_to(progress.outside);
    json.at("invalid").get_to(progress.invalid);
    progress.tally = TallyFrom(json.at("tally"));
    for (const auto& [key, tally] : json.at("tallies").items()) {
      progress.tallies[key] = TallyFrom(tally);
    }
    progress.work = RecordFromJson<WorkByKind>(json.at("work"));
    json.at("signatures").get_to(progress.signatures);
    for (const Json& finding : json.at("findings")) {
      auto& reported = progress.findings[finding.at("signature").get<std::string>()];
      reported = RecordFromJson<ReportedFinding>(finding);
      reported.graph_svg = finding.value("svg", "");
      reported.wrong = WrongElementsFromJson(finding.value("wrong", "null"));
    }
    // Runs without suspects do not have this member.
    for (const Json& suspect : json.value("suspects", Json::array())) {
      auto reported = RecordFromJson<ReportedSuspect>(suspect);
      std::string signature = reported.signature;
      progress.suspects.emplace(std::move(signature), std::move(reported));
    }
    if (!IsPossible(progress)) return BadInput("has a number that cannot be");
    return progress;
  } catch (const JsonError& error) {
    return BadInput("no progress of a run: " + OneLine(error.what()));
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "json_lines.h"

#include <algorithm>

#include "clean_text.h"
#include "finding_groups.h"
#include "json_fields.h"
#include "json_text.h"
#include "run_changes.h"
#include "sha256.h"
#include "version.h"

namespace assay {
namespace {

// Finds an enumerator by its name. Returns false if there is none.
template <class Range, class Name, class Enum>
bool FromName(const Json& json, const Range& all, Name name, Enum& value) {
  const auto text = json.get<std::string>();
  const auto found = std::find_if(std::begin(all), std::end(all),
                                  [&](Enum candidate) { return name(candidate) == text; });
  if (found == std::end(all)) return false;
  value = *found;
  return true;
}

constexpr OutcomeKind kOutcomes[] = {OutcomeKind::kValid,         OutcomeKind::kError,
                                     OutcomeKind::kUnpredictable, OutcomeKind::kUnsupported,
                                     OutcomeKind::kCrashed,       OutcomeKind::kTimedOut};
constexpr VerdictKind kVerdicts[] = {VerdictKind::kAgrees, VerdictKind::kDisagrees,
                                     VerdictKind::kUndecided};

Json ToJson(const OperatorUse& use) { return {OperatorName(use.op), TypeName(use.type)}; }

OperatorUse UseFrom(const Json& json) {
  return {OperatorByName(json.at(0).get<std::string>()).value_or(Op::kUnknown),
          TypeByName(json.at(1).get<std::string>()).value_or(DType::kUnknown)};
}

Json ToJson(const Finding& finding) {
  Json json = {{"oracle", finding.oracle},       {"violation", ViolationName(finding.violation)},
               {"rule", finding.rule},           {"operator", OperatorName(finding.op)},
               {"type", TypeName(finding.type)}, {"step", finding.step},
               {"tensor", finding.tensor},       {"position", finding.position},
               {"expected", finding.expected},   {"got", finding.got},
               {"allowed", finding.allowed},     {"wrong_elements", finding.wrong_elements},
               {"message", finding.message},     {"pass", finding.pass},
               {"rewrites", finding.rewrites},   {"follows", finding.follows}};
  if (!finding.graph.empty()) json["graph_operators"] = finding.graph;
  if (!finding.window.empty()) json["window"] = finding.window;
  if (!finding.taps.empty()) json["taps"] = finding.taps;
  if (!finding.readings.empty()) json["readings"] = finding.readings;
  if (!finding.rests_on.empty()) json["rests_on"] = finding.rests_on;
  return json;
}

Finding FindingFrom(const Json& json) {
  Finding finding;
  json.at("oracle").get_to(finding.oracle);
  finding.violation =
      ViolationNamed(json.at("violation").get<std::string>()).value_or(Violation::kValue);
  json.at("rule").get_to(finding.rule);
  finding.op = OperatorByName(json.at("operator").get<std::string>()).value_or(Op::kUnknown);
  finding.type = TypeByName(json.at("type").get<std::string>()).value_or(DType::kUnknown);
  json.at("step").get_to(finding.step);
  json.at("tensor").get_to(finding.tensor);
  json.at("position").get_to(finding.position);
  json.at("expected").get_to(finding.expected);
  json.at("got").get_to(finding.got);
  json.at("allowed").get_to(finding.allowed);
  json.at("wrong_elements").get_to(finding.wrong_elements);
  json.at("message").get_to(finding.message);
  finding.graph = json.value("graph_operators", "");
  finding.window = json.value("window", "");
  finding.taps = json.value("taps", "");
  finding.readings = json.value("readings", std::vector<std::string>());
  finding.rests_on = json.value("rests_on", "");
  // Runs of older builds have none of these members.
  finding.pass = json.value("pass", "");
  finding.rewrites = json.value("rewrites", "");
  finding.follows = json.value("follows", "");
  return finding;
}

Json ToJson(const SpreadResult& spread) {
  Json json = {{"elements", spread.elements},
               {"distance", spread.distance},
               {"step", spread.step},
               {"output", spread.output},
               {"element", spread.element}};
  if (!spread.from.empty()) json["from"] = spread.from;
  return json;
}

SpreadResult SpreadFrom(const Json& json) {
  SpreadResult spread;
  json.at("elements").get_to(spread.elements);
  json.at("distance").get_to(spread.distance);
  json.at("step").get_to(spread.step);
  json.at("output").get_to(spread.output);
  json.at("element").get_to(spread.element);
  spread.from = json.value("from", "");
  return spread;
}

Json ToJson(const DamagedBy& damaged_by) {
  return {{"vectors", damaged_by.vectors}, {"wrong", damaged_by.wrong}};
}

DamagedBy DamagedByFrom(const Json& json) {
  if (!json.contains("damaged_by")) return {};
  const Json& damaged_by = json.at("damaged_by");
  return {damaged_by.at("vectors").get<std::vector<std::string>>(),
          damaged_by.at("wrong").get<std::string>()};
}

Json ToJson(const CaseResult& result) {
  Json operators = Json::array();
  for (const OperatorUse& use : result.operators) operators.push_back(ToJson(use));
  Json findings = Json::array();
  for (const Finding& finding : result.verdict.findings) findings.push_back(ToJson(finding));
  Json json = Json::object();
  json["case"] = result.vector;
  if (!result.sha256.empty()) json["sha256"] = result.sha256;
  json["name"] = result.name;
  json["kind"] = result.kind;
  json["operators"] = std::move(operators);
  json["state"] = CaseStateName(result.state);
  json["outcome"] = OutcomeName(result.outcome);
  json["verdict"] = VerdictName(result.verdict.kind);
  json["reason"] = result.verdict.reason;
  json["judged_elements"] = result.verdict.judged_elements;
  json["undecided_elements"] = result.verdict.undecided_elements;
  json["findings"] = std::move(findings);
  json["note"] = result.note;
  if (result.windows > 0) json["windows"] = result.windows;
  if (result.tapped > 0) json["tapped"] = result.tapped;
  if (result.work > 0) json["work"] = result.work;
  if (result.spread.elements > 0 || result.spread.distance > 0) {
    json["spread"] = ToJson(result.spread);
  }
  if (!result.damaged_by.vectors.empty()) json["damaged_by"] = ToJson(result.damaged_by);
  if (result.unreached) json["unreached"] = true;
  if (result.unanswered) json["unanswered"] = true;
  if (result.lost) json["lost"] = true;
  if (result.implied_error) json["implied_error"] = true;
  if (result.contradicts_record) json["contradicts_record"] = true;
  if (result.state == CaseState::kUnsupported) json["refused"] = ToJson(result.refused);
  return json;
}

bool ReadCase(const Json& json, CaseResult& result) {
  json.at("case").get_to(result.vector);
  result.sha256 = json.value("sha256", "");
  json.at("name").get_to(result.name);
  json.at("kind").get_to(result.kind);
  for (const Json& use : json.at("operators")) result.operators.push_back(UseFrom(use));
  const bool names_known =
      FromName(json.at("state"), kAllCaseStates, CaseStateName, result.state) &&
      FromName(json.at("outcome"), kOutcomes, OutcomeName, result.outcome) &&
      FromName(json.at("verdict"), kVerdicts, VerdictName, result.verdict.kind);
  json.at("reason").get_to(result.verdict.reason);
  json.at("judged_elements").get_to(result.verdict.judged_elements);
  json.at("undecided_elements").get_to(result.verdict.undecided_elements);
  for (const Json& finding : json.at("findings")) {
    result.verdict.findings.push_back(FindingFrom(finding));
  }
  json.at("note").get_to(result.note);
  result.windows = json.value("windows", int64_t{0});
  result.tapped = json.value("tapped", int64_t{0});
  result.work = json.value("work", int64_t{0});
  if (json.contains("spread")) result.spread = SpreadFrom(json.at("spread"));
  result.damaged_by = DamagedByFrom(json);
  result.unreached = json.value("unreached", false);
  result.unanswered = json.value("unanswered", false);
  result.lost = json.value("lost", false);
  result.implied_error = json.value("implied_error", false);
  result.contradicts_record = json.value("contradicts_record", false);
  result.log = json.value("log", "");
  if (json.contains("refused")) result.refused = UseFrom(json.at("refused"));
  return names_known;
}

Json ToJson(const FindingCause& cause) {
  Json json = Json::object();
  if (cause.alone.op != Op::kUnknown) json["alone"] = ToJson(cause.alone);
  if (!cause.expected.empty()) json["expected"] = cause.expected;
  if (!cause.got.empty()) json["got"] = cause.got;
  if (cause.needs_variables) json["needs_variables"] = true;
  if (cause.needs_constants) json["needs_constants"] = true;
  if (cause.refuses_nothing) json["refuses_nothing"] = true;
  if (!cause.looks_like.empty()) json["looks_like"] = cause.looks_like;
  const BlamedPass& blamed = cause.changed_by;
  if (!blamed.pass.empty()) {
    json["changed_by"] = {{"pass", blamed.pass}, {"evidence", blamed.evidence}};
    if (!blamed.before.empty()) json["changed_by"]["before"] = blamed.before;
    if (!blamed.after.empty()) json["changed_by"]["after"] = blamed.after;
  }
  return json;
}

Json ToJson(const ReportedFinding& reported) {
  Json json = {{"finding", reported.finding.Signature()}};
  json.update(ToJson(reported.finding));
  if (reported.cause != FindingCause{}) json["cause"] = ToJson(reported.cause);
  if (!reported.damaged_by.vectors.empty()) json["damaged_by"] = ToJson(reported.damaged_by);
  if (!reported.known.empty()) json["known"] = reported.known;
  if (!reported.known_beside.empty()) json["known_beside"] = reported.known_beside;
  json["seen"] = reported.seen;
  if (reported.seen_with_new > 0) json["seen_with_new"] = reported.seen_with_new;
  if (!reported.first_blamed.empty()) {
    json["first_blamed"] = Json::array();
    for (const OperatorUse& use : reported.first_blamed) {
      json["first_blamed"].push_back(ToJson(use));
    }
  }
  json["repeats"] = reported.repeats;
  json["vector"] = reported.vector;
  json["replay"] = reported.replay;
  json["graph"] = reported.graph_text;
  if (!reported.lost.empty()) json["lost"] = reported.lost;
  if (reported.lost_by_itself) json["lost_by_itself"] = true;
  if (!reported.log.empty()) json["log"] = reported.log;
  if (!reported.last_words.empty()) json["last_words"] = reported.last_words;
  if (!reported.module_before.empty()) json["module_before"] = reported.module_before;
  if (!reported.module_after.empty()) json["module_after"] = reported.module_after;
  return json;
}

FindingCause CauseFrom(const Json& json) {
  FindingCause cause;
  if (json.contains("alone")) cause.alone = UseFrom(json.at("alone"));
  cause.expected = json.value("expected", "");
  cause.got = json.value("got", "");
  cause.needs_variables = json.value("needs_variables", false);
  cause.needs_constants = json.value("needs_constants", false);
  cause.refuses_nothing = json.value("refuses_nothing", false);
  cause.looks_like = json.value("looks_like", std::vector<std::string>());
  if (json.contains("changed_by")) {
    const Json& blamed = json.at("changed_by");
    cause.changed_by = {blamed.value("pass", ""), blamed.value("evidence", ""),
                        blamed.value("before", ""), blamed.value("after", "")};
  }
  return cause;
}

ReportedFinding ReportedFrom(const Json& json) {
  ReportedFinding reported;
  reported.finding = FindingFrom(json);
  if (json.contains("cause")) reported.cause = CauseFrom(json.at("cause"));
  reported.damaged_by = DamagedByFrom(json);
  json.at("seen").get_to(reported.seen);
  reported.seen_with_new = json.value("seen_with_new", int64_t{0});
  for (const Json& use : json.value("first_blamed", Json::array())) {
    reported.first_blamed.push_back(UseFrom(use));
  }
  reported.repeats = json.value("repeats", true);
  json.at("vector").get_to(reported.vector);
  json.at("replay").get_to(reported.replay);
  json.at("graph").get_to(reported.graph_text);
  reported.known = json.value("known", "");
  reported.lost = json.value("lost", "");
  reported.lost_by_itself = json.value("lost_by_itself", false);
  reported.log = json.value("log", "");
  reported.last_words = json.value("last_words", "");
  reported.module_before = json.value("module_before", "");
  reported.module_after = json.value("module_after", "");
  if (json.contains("svg")) json.at("svg").get_to(reported.graph_svg);
  reported.wrong = WrongElementsFromJson(json.value("wrong", "null"));
  return reported;
}

Json ToJson(const ReportedSuspect& suspect) {
  return {{"suspect", suspect.signature}, {"why", suspect.why},       {"seen", suspect.seen},
          {"repeats", suspect.repeats},   {"vector", suspect.vector}, {"replay", suspect.replay},
          {"graph", suspect.graph_text}};
}

ReportedSuspect SuspectFrom(const Json& json) {
  ReportedSuspect suspect;
  json.at("suspect").get_to(suspect.signature);
  json.at("why").get_to(suspect.why);
  json.at("seen").get_to(suspect.seen);
  json.at("repeats").get_to(suspect.repeats);
  json.at("vector").get_to(suspect.vector);
  json.at("replay").get_to(suspect.replay);
  json.at("graph").get_to(suspect.graph_text);
  return suspect;
}

Json ToJson(const Tally& tally) {
  Json operators = Json::array(), reasons = Json::array();
  for (const auto& [use, counts] : tally.by_operator) {
    operators.push_back({{"use", ToJson(use)}, {"states", counts}});
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
    tally.by_operator[UseFrom(row.at("use"))] = StatesFrom(row.at("states"));
  }
  for (const Json& row : json.at("reasons")) {
    CaseState state = CaseState::kUndecided;
    FromName(row.at("state"), kAllCaseStates, CaseStateName, state);
    tally.reasons[{state, row.at("why").get<std::string>()}] = {row.at("count").get<int64_t>(),
                                                                row.at("first").get<std::string>()};
  }
  return tally;
}

constexpr char kChecksum[] = "sha256";
constexpr int64_t kCasesMax = int64_t{1} << 48;  // nobody runs as many

std::string ChecksumOf(const Json& json) { return Sha256(JsonText(json)); }

Json ToJson(const WorkByKind& work) {
  Json kinds = Json::array();
  for (const WorkByKind::Kind& kind : work.kinds) {
    kinds.push_back({kind.next, kind.cases, kind.work});
  }
  return {{"round", work.round}, {"cases", work.cases}, {"kinds", std::move(kinds)}};
}

WorkByKind WorkFrom(const Json& json) {
  WorkByKind work;
  json.at("round").get_to(work.round);
  json.at("cases").get_to(work.cases);
  for (const Json& kind : json.at("kinds")) {
    work.kinds.push_back(
        {kind.at(0).get<int64_t>(), kind.at(1).get<int64_t>(), kind.at(2).get<int64_t>()});
  }
  return work;
}

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
  return progress.next >= 0 && progress.next <= kCasesMax && progress.outside >= 0 &&
         progress.invalid >= 0 && progress.outside + progress.invalid <= progress.next &&
         progress.next - progress.outside - progress.invalid == tally.cases &&
         cases == tally.cases && is_count(tally.lost) && tally.judged_elements >= 0 &&
         tally.undecided_elements >= 0 && std::ranges::all_of(progress.findings, is_good) &&
         std::ranges::all_of(progress.suspects, is_good);
}

}  // namespace

std::string CaseToJson(const CaseResult& result, bool with_log) {
  Json json = ToJson(result);
  if (with_log && !result.log.empty()) json["log"] = result.log;
  return JsonText(json);
}

Result<CaseResult> CaseFromJson(std::string_view line) {
  CaseResult result;
  try {
    if (ReadCase(JsonFrom(line), result)) return result;
  } catch (const JsonError& error) {
    return BadInput("not a case: " + OneLine(error.what()));
  }
  return BadInput("not a case: a name is unknown");
}

std::string CauseToJson(const FindingCause& cause) { return JsonText(ToJson(cause)); }

Result<FindingCause> CauseFromJson(std::string_view line) {
  try {
    return CauseFrom(JsonFrom(line));
  } catch (const JsonError& error) {
    return BadInput("no cause: " + OneLine(error.what()));
  }
}

Result<ReportedFinding> ReportedFindingFromJson(std::string_view line) {
  try {
    return ReportedFrom(JsonFrom(line));
  } catch (const JsonError& error) {
    return BadInput("no finding: " + OneLine(error.what()));
  }
}

namespace {

std::string HeadToJson(const RunReport& run) {
  const SpecVersion spec;
  Json head = {{"run", run.title},         {"schema", kReportSchema},
               {"assay", kToolkitVersion}, {"spec", {spec.major, spec.minor, spec.patch}},
               {"backend", run.backend},   {"command", run.command}};
  for (const auto& [path, sha256] : run.suite_hashes) {
    head["suites"].push_back({{"path", path}, {"sha256", sha256}});
  }
  if (!run.gaps.empty()) head["partial"] = run.gaps;
  for (CaseState state : kAllCaseStates) {
    head["cases"][std::string(CaseStateName(state))] = run.tally.Count(state);
  }
  if (!run.known.file.empty()) {
    head["known_failures"] = {
        {"file", run.known.file}, {"today", run.known.today}, {"notes", run.known.notes}};
  }
  const std::vector<FindingGroup> groups = GroupByCause(run.findings);
  if (run.past.since) {
    head["since"] = {{"file", run.past.since->file}, {"gone", Json::array()}};
    for (const PastGroup& gone : GoneGroups(groups, run)) {
      head["since"]["gone"].push_back(gone.name);
    }
  }
  for (const auto& [name, value] : run.facts) head["about"][name] = value;
  head["judged_elements"] = run.tally.judged_elements;
  head["undecided_elements"] = run.tally.undecided_elements;
  if (run.tally.AnyImplied()) {
    for (CaseState state : kAllCaseStates) {
      const int64_t count = run.tally.implied_errors[static_cast<size_t>(state)];
      if (count > 0) head["implied_errors"][std::string(CaseStateName(state))] = count;
    }
  }
  for (const auto& [name, count] : run.counts) head["counts"][name] = count;
  return JsonText(head) + "\n";
}

// Returns the findings, groups and suspects.
std::string TailToJson(const RunReport& run) {
  std::string lines;
  for (const ReportedFinding& reported : run.findings) lines += JsonText(ToJson(reported)) + "\n";
  for (const FindingGroup& group : GroupByCause(run.findings)) {
    Json line = {{"group", group.name}, {"title", group.title}, {"findings", Json::array()}};
    for (const size_t i : group.findings) {
      line["findings"].push_back(run.findings[i].finding.Signature());
    }
    line["seen"] = SeenBy(group, run.findings);
    if (run.past.since) line["new"] = IsNew(group, run);
    if (IsKnown(group, run.findings)) line["known"] = run.findings[group.findings[0]].known;
    line["vector"] = run.findings[group.findings[0]].vector;
    line["replay"] = run.findings[group.findings[0]].replay;
    lines += JsonText(line) + "\n";
  }
  for (const ReportedSuspect& suspect : run.suspects) lines += JsonText(ToJson(suspect)) + "\n";
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
  Result<Done> written = put(HeadToJson(run));
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

std::string ProgressToJson(const RunProgress& progress) {
  Json findings = Json::array();
  for (const auto& [signature, reported] : progress.findings) {
    findings.push_back(ToJson(reported));
    findings.back()["signature"] = signature;
    findings.back()["svg"] = reported.graph_svg;
    if (reported.wrong) findings.back()["wrong"] = WrongElementsToJson(reported.wrong);
  }
  Json json = {{"campaign", progress.campaign},      {"next", progress.next},
               {"outside_target", progress.outside}, {"invalid", progress.invalid},
               {"tally", ToJson(progress.tally)},    {"tallies", Json::object()},
               {"work", ToJson(progress.work)},      {"signatures", progress.signatures},
               {"findings", std::move(findings)}};
  for (const auto& [key, tally] : progress.tallies) json["tallies"][key] = ToJson(tally);
  for (const auto& [signature, suspect] : progress.suspects) {
    json["suspects"].push_back(ToJson(suspect));
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
    progress.work = WorkFrom(json.at("work"));
    json.at("signatures").get_to(progress.signatures);
    for (const Json& finding : json.at("findings")) {
      progress.findings[finding.at("signature").get<std::string>()] = ReportedFrom(finding);
    }
    // Runs without suspects do not have this member.
    for (const Json& suspect : json.value("suspects", Json::array())) {
      ReportedSuspect reported = SuspectFrom(suspect);
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

#include "json_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "clean_text.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The enumerator of a name, or nothing.
template <class Enum, class Name>
bool FromName(const Json& json, std::initializer_list<Enum> all, Name name, Enum& value) {
  const auto text = json.get<std::string>();
  for (Enum candidate : all) {
    if (name(candidate) == text) {
      value = candidate;
      return true;
    }
  }
  return false;
}

Json ToJson(const Finding& finding) {
  return {{"oracle", finding.oracle},       {"violation", finding.violation},
          {"rule", finding.rule},           {"operator", OperatorName(finding.op)},
          {"type", TypeName(finding.type)}, {"step", finding.step},
          {"tensor", finding.tensor},       {"position", finding.position},
          {"expected", finding.expected},   {"got", finding.got},
          {"allowed", finding.allowed},     {"wrong_elements", finding.wrong_elements},
          {"message", finding.message}};
}

Finding FindingFrom(const Json& json) {
  Finding finding;
  json.at("oracle").get_to(finding.oracle);
  json.at("violation").get_to(finding.violation);
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
  return finding;
}

Json ToJson(const CaseResult& result) {
  Json operators = Json::array();
  for (const OperatorUse& use : result.operators) {
    operators.push_back({OperatorName(use.op), TypeName(use.type)});
  }
  Json findings = Json::array();
  for (const Finding& finding : result.verdict.findings) findings.push_back(ToJson(finding));
  return {{"case", result.vector},
          {"name", result.name},
          {"kind", result.kind},
          {"operators", std::move(operators)},
          {"state", CaseStateName(result.state)},
          {"outcome", OutcomeName(result.outcome)},
          {"verdict", VerdictName(result.verdict.kind)},
          {"reason", result.verdict.reason},
          {"judged_elements", result.verdict.judged_elements},
          {"undecided_elements", result.verdict.undecided_elements},
          {"findings", std::move(findings)},
          {"note", result.note}};
}

bool ReadCase(const Json& json, CaseResult& result) {
  json.at("case").get_to(result.vector);
  json.at("name").get_to(result.name);
  json.at("kind").get_to(result.kind);
  for (const Json& use : json.at("operators")) {
    const auto op = OperatorByName(use.at(0).get<std::string>());
    const auto type = TypeByName(use.at(1).get<std::string>());
    result.operators.push_back({op.value_or(Op::kUnknown), type.value_or(DType::kUnknown)});
  }
  using enum OutcomeKind;
  const bool names_known =
      FromName(json.at("state"),
               {CaseState::kAgrees, CaseState::kDisagrees, CaseState::kUndecided,
                CaseState::kUnsupported, CaseState::kBadInput, CaseState::kDefect},
               CaseStateName, result.state) &&
      FromName(json.at("outcome"),
               {kValid, kError, kUnpredictable, kUnsupported, kCrashed, kTimedOut}, OutcomeName,
               result.outcome) &&
      FromName(json.at("verdict"),
               {VerdictKind::kAgrees, VerdictKind::kDisagrees, VerdictKind::kUndecided},
               VerdictName, result.verdict.kind);
  json.at("reason").get_to(result.verdict.reason);
  json.at("judged_elements").get_to(result.verdict.judged_elements);
  json.at("undecided_elements").get_to(result.verdict.undecided_elements);
  for (const Json& finding : json.at("findings")) {
    result.verdict.findings.push_back(FindingFrom(finding));
  }
  json.at("note").get_to(result.note);
  return names_known;
}

}  // namespace

std::string CaseToJson(const CaseResult& result) { return Dump(ToJson(result)); }

Result<CaseResult> CaseFromJson(std::string_view line) {
  CaseResult result;
  try {
    if (ReadCase(Json::parse(line), result)) return result;
  } catch (const Json::exception& error) {
    return BadInput("not a case: " + OneLine(error.what()));
  }
  return BadInput("not a case: a name is unknown");
}

std::string RunToJsonLines(const RunReport& run) {
  Json head = {{"run", run.title}, {"backend", run.backend}, {"command", run.command}};
  const StateCounts counts = CountStates(run.cases);
  for (CaseState state : kAllCaseStates) {
    head["cases"][std::string(CaseStateName(state))] = counts[static_cast<size_t>(state)];
  }
  for (const auto& [name, count] : run.counts) head["counts"][name] = count;
  std::string lines = Dump(head) + "\n";
  for (const CaseResult& result : run.cases) lines += CaseToJson(result) + "\n";
  for (const ReportedFinding& reported : run.findings) {
    Json json = {{"finding", reported.finding.Signature()}};
    json.update(ToJson(reported.finding));
    json["seen"] = reported.seen;
    json["vector"] = reported.vector;
    json["replay"] = reported.replay;
    json["graph"] = reported.graph_text;
    lines += Dump(json) + "\n";
  }
  return lines;
}

}  // namespace assay

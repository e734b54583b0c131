// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "enum_names.h"
#include "formats.h"
#include "joined.h"
#include "json_fields.h"
#include "json_text.h"
#include "levels.h"
#include "name_search.h"
#include "operator_table.h"
#include "operator_versions.h"
#include "readings.h"
#include "rules.h"
#include "terminal.h"
#include "vector_facts.h"

namespace assay::cli {
namespace {

struct SpecOptions {
  std::string subject;  // operator, rule or reading; empty: the whole table
  bool json = false;
  bool readings = false;
  bool rules = false;
};

void DeclareSpec(CommandLine& line, SpecOptions& options) {
  line.Add("SUBJECT", options.subject,
           "an operator (CONV2D), a rule (CONV2D/ERROR_IF/3) or a reading");
  line.AddFlag("--json", options.json, "print JSON");
  line.AddFlag("--rules", options.rules,
               "print all rules, with the reason if no vector can break a rule alone");
  line.AddFlag("--readings", options.readings, "print all readings, as Markdown");
}

std::string_view DirectionName(Direction direction) {
  constexpr std::string_view kNames[] = {"input", "attribute", "output"};
  return EntryOf(kNames, direction);
}

// Returns "2..MAX_RANK" or "4".
std::string RankText(const RankRange& rank) {
  if (rank.max == rank.min) return std::to_string(rank.min);
  const int below = kLevelMaxRank - rank.max;
  const std::string maximum = below == 0   ? "MAX_RANK"
                              : below == 1 ? "MAX_RANK - 1"
                                           : std::to_string(rank.max);
  return std::to_string(rank.min) + ".." + maximum;
}

// Returns "1.0".
std::string SinceText(const SpecVersion& since) {
  return fmt::format("{}.{}", since.major, since.minor);
}

// Returns "PRO-INT or PRO-FP", "EXT-BF16 and EXT-FP8E4M3".
std::string RequirementText(const TypeRow& row) {
  const auto all_of = [](Requirements alternative) {
    return Joined(NamesOf(alternative), " and ");
  };
  return Joined(row.any_of, " or ", all_of);
}

// Returns the rules of an operator, or of the graph for kUnknown.
std::vector<const Rule*> RulesOf(Op op) {
  std::vector<const Rule*> rules;
  for (const Rule& rule : AllRules()) {
    if (rule.op == op) rules.push_back(&rule);
  }
  return rules;
}

Json ToJson(const Rule& rule) {
  Json json = {{"id", rule.id}, {"kind", RuleKindName(rule.kind)}, {"text", rule.text}};
  if (rule.implied) json["implied"] = true;
  if (!rule.unreachable.empty()) json["unreachable"] = rule.unreachable;
  return json;
}

Json ToJson(const Reading& reading) {
  return {{"id", reading.id},       {"operators", reading.operators}, {"where", reading.where},
          {"says", reading.says},   {"taken", reading.taken},         {"why", reading.why},
          {"model", reading.model}, {"judged", reading.judged}};
}

Json ToJson(const ArgumentRow& argument) {
  Json json = {{"name", argument.name},
               {"direction", DirectionName(argument.direction)},
               {"type", argument.type}};
  if (!argument.element.empty()) json["element"] = argument.element;
  if (!argument.shape.empty()) json["shape"] = argument.shape;
  if (argument.rank) json["rank"] = RankText(*argument.rank);
  if (argument.compile_time_constant) json["compile_time_constant"] = true;
  if (argument.optional) json["optional"] = true;
  return json;
}

Json ToJson(const TypeRow& row, const SpecVersion& since,
            std::span<const std::string_view> variables) {
  Json types = Json::object();
  for (size_t i = 0; i < variables.size(); ++i) {
    types[std::string(variables[i])] = TypeName(row.types[i]);
  }
  Json any_of = Json::array();
  for (Requirements alternative : row.any_of) any_of.push_back(NamesOf(alternative));
  return {{"mode", row.mode},
          {"since", SinceText(since)},
          {"types", types},
          {"requires_any_of", any_of}};
}

Json ToJson(const OperatorRow& row) {
  const OperatorVersions& versions = VersionsOf(row.op);
  Json json = {{"name", row.name},
               {"category", row.category},
               {"since", SinceText(versions.since)},
               {"precision", row.precision}};
  json["arguments"] = Json::array();
  for (const ArgumentRow& argument : row.arguments) json["arguments"].push_back(ToJson(argument));
  json["type_rows"] = Json::array();
  for (size_t i = 0; i < row.type_rows.size(); ++i) {
    json["type_rows"].push_back(
        ToJson(row.type_rows[i], versions.type_rows[i], row.type_variables));
  }
  json["rules"] = Json::array();
  for (const Rule* rule : RulesOf(row.op)) json["rules"].push_back(ToJson(*rule));
  json["readings"] = Json::array();
  for (const Reading* reading : ReadingsOf(row.op)) json["readings"].push_back(reading->id);
  return json;
}

Json TableAsJson() {
  Json json = {{"specification", kSpecification}};
  for (const Level& level : AllLevels()) {
    Json limits = Json::object();
    for (std::string_view limit : {"MAX_RANK", "MAX_KERNEL", "MAX_STRIDE", "MAX_SCALE",
                                   "MAX_LOG2_SIZE", "MAX_NESTING", "MAX_TENSOR_LIST_SIZE"}) {
      limits[std::string(limit)] = *LimitByName(level, limit);
    }
    json["levels"][std::string(level.name)] = limits;
  }
  for (const OperatorRow& row : AllOperators()) json["operators"].push_back(ToJson(row));
  for (const Rule* rule : RulesOf(Op::kUnknown)) json["graph_rules"].push_back(ToJson(*rule));
  for (const Reading& reading : AllReadings()) json["readings"].push_back(ToJson(reading));
  return json;
}

void Present(const Json& json) { Print("{}\n", JsonText(json, 2)); }

void Present(const Rule& rule) {
  Print("  {}  {}\n", rule.id, rule.text);
  if (rule.implied) Print("    implied: no ERROR_IF of the text states it\n");
  if (!rule.unreachable.empty()) Print("    never alone: {}\n", rule.unreachable);
}

void Present(const Reading& reading) {
  Print("{}{}\n  where:    {}\n  the text: {}\n  taken:    {}\n  because:  {}\n  model:    {}\n",
        reading.id, reading.judged ? "" : " (avoided)", reading.where, reading.says, reading.taken,
        reading.why, reading.model);
}

void Present(const OperatorRow& row) {
  const OperatorVersions& versions = VersionsOf(row.op);
  Print("{} ({}, since {})\n  {}\n\narguments\n", row.name, row.category, SinceText(versions.since),
        row.precision);
  for (const ArgumentRow& argument : row.arguments) {
    std::string line =
        fmt::format("  {:9} {:16} {:22} {:14} {:16}", DirectionName(argument.direction),
                    argument.name, argument.type, argument.element, argument.shape);
    if (argument.rank) line += " rank " + RankText(*argument.rank);
    if (argument.compile_time_constant) line += " compile-time constant";
    if (argument.optional) line += " optional";
    line.erase(line.find_last_not_of(' ') + 1);
    Print("{}\n", line);
  }
  Print("\ntype rows\n");
  for (size_t i = 0; i < row.type_rows.size(); ++i) {
    const TypeRow& types = row.type_rows[i];
    std::string bound;
    for (size_t v = 0; v < row.type_variables.size(); ++v) {
      bound += fmt::format("{}={} ", row.type_variables[v], TypeName(types.types[v]));
    }
    Print("  {:2}  {}[{}] since {}  {}\n", i, bound, RequirementText(types),
          SinceText(versions.type_rows[i]), types.mode);
  }
  Print("\nrules\n");
  for (const Rule* rule : RulesOf(row.op)) Present(*rule);
  const std::vector<const Reading*> readings = ReadingsOf(row.op);
  if (!readings.empty()) Print("\nreadings\n");
  for (const Reading* reading : readings) Print("  {}: {}\n", reading->id, reading->taken);
}

int CountRules(const OperatorRow& row, RuleKind kind) {
  int count = 0;
  for (const RuleRow& rule : row.rules) count += rule.kind == kind && rule.number > 0 ? 1 : 0;
  return count;
}

std::string ArgumentNames(const OperatorRow& row, Direction direction) {
  std::string names;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction != direction) continue;
    if (!names.empty()) names += ", ";
    names += argument.name;
    if (argument.compile_time_constant && direction == Direction::kInput) names += '*';
    if (argument.optional) names += '?';
  }
  return names.empty() ? "-" : names;
}

void PrintTable() {
  std::vector<std::string_view> categories;
  std::map<std::string_view, int> counts;
  size_t type_rows = 0;
  for (const OperatorRow& row : AllOperators()) {
    if (counts[row.category]++ == 0) categories.push_back(row.category);
    type_rows += row.type_rows.size();
  }
  Print("TOSA {}: {} operators, {} type rows, {} rules, {} readings\n\n", kSpecification,
        AllOperators().size(), type_rows, AllRules().size(), AllReadings().size());
  for (std::string_view category : categories) {
    Print("{:20} {:2}\n", category, counts[category]);
  }
  Print(
      "\nOne line per operator: type rows; ERROR_IF/REQUIRE/LEVEL_CHECK; inputs; attributes; "
      "outputs\n(* compile-time constant, ? optional)\n\n");
  for (const OperatorRow& row : AllOperators()) {
    Print("{:23} {:2}  {:2}/{}/{:<2}  {}; {}; {}\n", row.name, row.type_rows.size(),
          CountRules(row, RuleKind::kErrorIf), CountRules(row, RuleKind::kRequire),
          CountRules(row, RuleKind::kLevelCheck), ArgumentNames(row, Direction::kInput),
          ArgumentNames(row, Direction::kAttribute), ArgumentNames(row, Direction::kOutput));
  }
}

// Prints a row in the requested form.
template <class Row>
int ShowRow(const Row& row, bool json) {
  if (json) {
    Present(ToJson(row));
  } else {
    Present(row);
  }
  return kExitClean;
}

void PresentRules(bool json) {
  if (!json) {
    for (const Rule& rule : AllRules()) Present(rule);
    return;
  }
  Json all = Json::array();
  for (const Rule& rule : AllRules()) all.push_back(ToJson(rule));
  Present(all);
}

int RunSpec(const SpecOptions& options) {
  if (options.rules) {
    PresentRules(options.json);
    return kExitClean;
  }
  if (options.readings) {
    if (options.json) {
      Present(TableAsJson()["readings"]);
    } else {
      Write(ReadingsAsMarkdown());
    }
    return kExitClean;
  }
  if (options.subject.empty()) {
    if (options.json) {
      Present(TableAsJson());
    } else {
      PrintTable();
    }
    return kExitClean;
  }
  std::vector<std::string_view> known;
  for (const OperatorRow& row : AllOperators()) known.push_back(row.name);
  for (const Rule& rule : AllRules()) known.push_back(rule.id);
  for (const Reading& reading : AllReadings()) known.push_back(reading.id);
  const Result<size_t> subject = FindName("operator, rule or reading", options.subject, known);
  if (!subject) return Fail(subject.error());
  size_t at = *subject;
  if (at < AllOperators().size()) return ShowRow(AllOperators()[at], options.json);
  at -= AllOperators().size();
  return at < AllRules().size() ? ShowRow(AllRules()[at], options.json)
                                : ShowRow(AllReadings()[at - AllRules().size()], options.json);
}

}  // namespace

extern const Command spec_command = {
    .name = "spec",
    .summary = "lists the operator table, rules and readings that this build knows",
    .declare = DeclareWith<SpecOptions, DeclareSpec, RunSpec>,
};

}  // namespace assay::cli

// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "json_text.h"
#include "target_file.h"

namespace assay {
namespace {

std::string_view TypeText(DType type) { return type == DType::kUnknown ? "any" : TypeName(type); }

Json TypesToJson(const std::vector<DType>& types) {
  Json list = Json::array();
  for (const DType type : types) list.push_back(TypeText(type));
  return list;
}

// Returns a number, or the name or truth value that it stands for.
Json NumberToJson(Op op, const Quantity& quantity, int64_t number) {
  const std::string text = NumberText(op, quantity, number);
  if (text == "true" || text == "false") return text == "true";
  if (text == std::to_string(number)) return number;
  return text;
}

Json RangesToJson(Op op, const std::vector<TargetRange>& ranges) {
  Json all = Json::object();
  for (const Quantity& quantity : QuantitiesOf(op)) {
    for (const TargetRange& range : ranges) {
      if (range.quantity != quantity) continue;
      Json& one = all[NameOf(op, quantity)] = Json::object();
      if (range.min != std::numeric_limits<int64_t>::min()) {
        one["min"] = NumberToJson(op, quantity, range.min);
      }
      if (range.max != std::numeric_limits<int64_t>::max()) {
        one["max"] = NumberToJson(op, quantity, range.max);
      }
      for (const int64_t value : range.values) {
        one["values"].push_back(NumberToJson(op, quantity, value));
      }
    }
  }
  return all;
}

Json ChoiceToJson(Op op, const TypeChoice& choice) {
  if (choice == TypeChoice{.first = choice.first}) return TypeText(choice.first);
  Json json = Json::object();
  const auto variables = RowOf(op).type_variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    const DType type = choice.variables[i];
    if (type != DType::kUnknown) json[std::string(variables[i])] = TypeName(type);
  }
  if (!choice.inputs.empty()) json["inputs"] = TypesToJson(choice.inputs);
  if (!choice.outputs.empty()) json["outputs"] = TypesToJson(choice.outputs);
  if (!choice.ranges.empty()) json["ranges"] = RangesToJson(op, choice.ranges);
  return json;
}

Json UsesToJson(Op op, const OperatorUses& uses) {
  Json json = Json::object();
  for (const TypeChoice& choice : uses.types) json["types"].push_back(ChoiceToJson(op, choice));
  if (!uses.ranges.empty()) json["ranges"] = RangesToJson(op, uses.ranges);
  for (const int operand : uses.constants) {
    json["constants"].push_back(NameOf(op, {Quantity::Kind::kConstant, {}, operand}));
  }
  return json;
}

void FeaturesToJson(const Requirements& features, const std::string& prefix, Json& list) {
  list = Json::array();
  for (const FeatureRow& row : AllFeatures()) {
    if (row.name.starts_with(prefix) && features.Contains(row.feature)) list.push_back(row.name);
  }
}

}  // namespace

std::string WriteTarget(const Target& target) {
  Json json = {{"assay_target", kTargetVersion}};
  if (!target.name.empty()) json["name"] = target.name;
  if (target.features) {
    FeaturesToJson(*target.features, "PRO-", json["profiles"]);
    FeaturesToJson(*target.features, "EXT-", json["extensions"]);
  }
  if (target.level != "none") json["level"] = target.level;
  if (!target.types.empty()) json["types"] = TypesToJson(target.types);
  const TargetLimits& limits = target.limits;
  const std::pair<const char*, int64_t> kLimits[] = {
      {"rank", limits.rank},         {"dimension", limits.dimension},
      {"elements", limits.elements}, {"constant_bytes", limits.constant_bytes},
      {"graphs", limits.graphs},     {"nesting", limits.nesting}};
  for (const auto& [name, limit] : kLimits) {
    if (limit > 0) json["limits"][name] = limit;
  }
  if (!target.control_flow) json["control_flow"] = false;
  if (!target.variables) json["variables"] = false;
  if (!target.variable_tensors) json["variable_tensors"] = false;
  if (target.operators) {
    Json& operators = json["operators"] = Json::object();
    for (const OperatorRow& row : AllOperators()) {
      const auto found = target.operators->find(row.op);
      if (found == target.operators->end()) continue;
      if (IsConstant(row.op) && found->second == OperatorUses{}) continue;
      operators[std::string(row.name)] = UsesToJson(row.op, found->second);
    }
  }
  return JsonInLines(json) + "\n";
}

}  // namespace assay

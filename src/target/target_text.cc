// SPDX-License-Identifier: Apache-2.0
#include "target_text.h"

#include <bit>

#include "joined.h"

namespace assay {
namespace {

std::string FeaturesText(const Requirements& features) {
  std::string text;
  for (const FeatureRow& row : AllFeatures()) {
    if (features.Contains(row.feature)) text += (text.empty() ? "" : ", ") + std::string(row.name);
  }
  return text.empty() ? "none" : text;
}

std::string LimitsText(const TargetLimits& limits) {
  const std::pair<const char*, int64_t> kLimits[] = {
      {"rank", limits.rank},         {"dimension", limits.dimension},
      {"elements", limits.elements}, {"bytes of constants", limits.constant_bytes},
      {"graphs", limits.graphs},     {"nesting", limits.nesting}};
  std::string text;
  for (const auto& [name, limit] : kLimits) {
    if (limit == 0) continue;
    text += (text.empty() ? "" : "; ") + std::string(name) + " at most " + std::to_string(limit);
  }
  return text;
}

std::string RangesText(Op op, const std::vector<TargetRange>& ranges) {
  std::string text;
  for (const TargetRange& range : ranges) {
    text += "; " + NameOf(op, range.quantity) + " " + RangeText(op, range);
  }
  return text;
}

std::string UsesText(const Target& target, const OperatorRow& row, const OperatorUses& uses) {
  const auto rows = static_cast<size_t>(std::popcount(TypeRowsWithin(target, row.op)));
  std::string text =
      rows == row.type_rows.size()
          ? "all types"
          : std::to_string(rows) + " of " + std::to_string(row.type_rows.size()) + " type rows";
  text += RangesText(row.op, uses.ranges);
  for (const TypeChoice& choice : uses.types) text += RangesText(row.op, choice.ranges);
  for (const int operand : uses.constants) {
    text += "; " + NameOf(row.op, {Quantity::Kind::kConstant, {}, operand}) + " constant";
  }
  return text;
}

}  // namespace

std::string TypesText(const std::vector<DType>& types) { return Joined(types, ", ", TypeName); }

std::string TargetSummary(const Target& target) {
  int64_t operators = 0, rows = 0, all_rows = 0;
  for (const OperatorRow& row : AllOperators()) {
    const int within = std::popcount(TypeRowsWithin(target, row.op));
    operators += within > 0 ? 1 : 0;
    rows += within;
    all_rows += std::ssize(row.type_rows);
  }
  const std::string limits = LimitsText(target.limits);
  return std::to_string(operators) + " of " + std::to_string(AllOperators().size()) +
         " operators, " + std::to_string(rows) + " of " + std::to_string(all_rows) + " type rows" +
         (limits.empty() ? "" : "; " + limits);
}

std::string TargetText(const Target& target) {
  std::string text;
  if (!target.name.empty()) text += target.name + "\n";
  text += TargetSummary(target) + "\n";
  if (target.features) text += "profiles and extensions: " + FeaturesText(*target.features) + "\n";
  text += "level: " + (target.level == "none" ? "any" : target.level) + "\n";
  if (!target.types.empty()) text += "types of tensors: " + TypesText(target.types) + "\n";
  if (!target.control_flow) text += "no control flow\n";
  if (!target.variables) text += "no variables\n";
  if (!target.variable_tensors) text += "no tensors with variable=true\n";
  for (const OperatorRow& row : AllOperators()) {
    const OperatorUses* uses = UsesOf(target, row.op);
    if (uses == nullptr || TypeRowsWithin(target, row.op) == 0) continue;
    std::string name(row.name);
    name.resize(std::max<size_t>(name.size(), 22), ' ');
    text += "  " + name + " " + UsesText(target, row, *uses) + "\n";
  }
  return text;
}

}  // namespace assay

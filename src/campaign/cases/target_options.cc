// SPDX-License-Identifier: Apache-2.0
#include "target_options.h"

#include <algorithm>
#include <limits>

#include "joined.h"
#include "name_search.h"
#include "quoted.h"
#include "sha256.h"
#include "target_check.h"
#include "target_file.h"

namespace assay {
namespace {

// Returns the bits of the rows of an operator that are inside all targets.
uint64_t RowsWithin(const std::vector<Target>& targets, Op op) {
  uint64_t rows = std::numeric_limits<uint64_t>::max();
  for (const Target& target : targets) rows &= TypeRowsWithin(target, op);
  return rows;
}

// Lowers `least` to the smallest limit of the targets, but not below `floor`: generators need some
// room.
template <class Number>
void Lower(Number& least, const std::vector<Target>& targets, int64_t TargetLimits::*limit,
           int64_t floor) {
  for (const Target& target : targets) {
    const int64_t most = target.limits.*limit;
    if (most > 0 && most < least) least = static_cast<Number>(std::max(most, floor));
  }
}

}  // namespace

std::string TargetWords(const TargetOptions& options) {
  std::string words;
  const auto add = [&words](const char* option, const std::vector<std::string>& names) {
    const std::string list = Joined(names, ",");
    if (!list.empty()) words += option + list;
  };
  if (!options.file.empty()) words += " --target " + ShellWord(options.file);
  add(" --op ", options.operators);
  add(" --type ", options.types);
  if (options.rank_max > 0) words += " --max-rank " + std::to_string(options.rank_max);
  if (options.elements_max > 0) words += " --max-elements " + std::to_string(options.elements_max);
  return words;
}

Result<Target> TargetOfShortcuts(const TargetOptions& options) {
  Target target;
  target.limits.rank = options.rank_max;
  target.limits.elements = options.elements_max;
  const std::span<const OperatorRow> rows = AllOperators();
  const auto operators =
      FindOptionNames("--op", "operator", options.operators, NamesOfRows(rows, &OperatorRow::name));
  if (!operators) return operators.error();
  const auto types =
      FindOptionNames("--type", "type", options.types, NamesOfRows(kAllTypes, TypeName));
  if (!types) return types.error();
  if (operators->empty() && types->empty()) return target;
  OperatorUses uses;
  for (const size_t type : *types) uses.types.push_back({.first = kAllTypes[type]});
  target.operators.emplace();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Op op = rows[i].op;
    const bool named = operators->empty() || std::ranges::find(*operators, i) != operators->end();
    if (IsConstant(op) || !named) continue;
    Target alone;
    alone.operators = {{op, uses}};
    if (TypeRowsWithin(alone, op) != 0) (*target.operators)[op] = uses;
  }
  for (const Op op : {Op::kConst, Op::kConstShape}) (*target.operators)[op] = {};
  return target;
}

Result<ChosenTargets> ChosenTargets::Make(const TargetOptions& options) {
  ChosenTargets chosen;
  if (!options.IsGiven()) return chosen;
  if (!options.file.empty()) {
    const Result<const std::string*> text = options.text.Of(options.file);
    if (!text) return text.error();
    Result<Target> target = ReadTarget(**text, options.file);
    if (!target) return target.error();
    chosen.targets_.push_back(std::move(*target));
  }
  if (options.HasShortcuts()) {
    Result<Target> target = TargetOfShortcuts(options);
    if (!target) return target.error();
    chosen.targets_.push_back(std::move(*target));
  }
  const bool any = std::ranges::any_of(AllOperators(), [&](const OperatorRow& row) {
    return !IsConstant(row.op) && RowsWithin(chosen.targets_, row.op) != 0;
  });
  if (any) return chosen;
  return UsageError(TargetWords(options).substr(1) + ": no operator is left");
}

bool ChosenTargets::Takes(const TestVector& vector) const { return FitsAll(targets_, vector); }

std::vector<std::string> ChosenTargets::WhyNot(const TestVector& vector) const {
  std::vector<std::string> lines;
  for (const Target& target : targets_) {
    for (const Misfit& misfit : Misfits(target, vector)) lines.push_back(misfit.ToString());
  }
  return lines;
}

std::string ChosenTargets::Hash() const {
  std::string text;
  for (const Target& target : targets_) text += WriteTarget(target);
  return Sha256(text);
}

Result<Done> ChosenTargets::Restrict(GeneratorOptions& options) const {
  if (TakesAll()) return Done{};
  for (const Target& target : targets_) {
    Requirements both;
    for (const FeatureRow& row : AllFeatures()) {
      const bool has = !target.features || target.features->Contains(row.feature);
      if (has && options.target.Contains(row.feature)) both = both | Requirements{row.feature};
    }
    if (both.Empty()) return UsageError("the target has none of the profiles and extensions");
    options.target = both;
    if (target.level != "none" && target.level != options.level.name) {
      return UsageError("--level " + std::string(options.level.name) + ": the target has level " +
                        target.level);
    }
    if (!target.types.empty()) options.types = target.types;
  }
  options.type_rows.assign(kOperatorCount + 1, 0);
  for (const OperatorRow& row : AllOperators()) {
    const uint64_t rows = RowsWithin(targets_, row.op);
    options.type_rows[static_cast<size_t>(row.op)] = rows;
    if (rows != 0) options.operators.push_back(row.op);
  }
  constexpr int64_t kRankFloor = 1, kDimensionFloor = 4, kElementsFloor = 16;
  Lower(options.rank_max, targets_, &TargetLimits::rank, kRankFloor);
  Lower(options.dimension_max, targets_, &TargetLimits::dimension, kDimensionFloor);
  Lower(options.elements_max, targets_, &TargetLimits::elements, kElementsFloor);
  return Done{};
}

}  // namespace assay

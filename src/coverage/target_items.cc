// SPDX-License-Identifier: Apache-2.0
#include "target_items.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "levels.h"
#include "operator.h"

namespace assay {
namespace {

constexpr std::string_view kRank = "rank ", kAtLimit = "limit of the level";

std::optional<Quantity> QuantityOf(Op op, const ArgumentRow& argument) {
  for (const Quantity& quantity : QuantitiesOf(op)) {
    if (NameOf(op, quantity) == argument.name) return quantity;
  }
  return std::nullopt;
}

}  // namespace

TargetItems::TargetItems(std::span<const Target> targets)
    : targets_(targets), rows_(kOperatorCount + 1, targets.empty() ? 0 : ~uint64_t{0}) {
  for (const Target& target : targets_) {
    for (const OperatorRow& row : AllOperators()) {
      rows_[static_cast<size_t>(row.op)] &= TypeRowsWithin(target, row.op);
    }
  }
  if (!targets_.empty()) LeaveUsefulConstants();
}

// Every target has constants of all types. Those that no other operator reads do not count.
void TargetItems::LeaveUsefulConstants() {
  uint32_t read = 0;  // bit per DType
  for (const OperatorRow& row : AllOperators()) {
    if (IsConstant(row.op)) continue;
    for (size_t i = 0; i < row.type_rows.size(); ++i) {
      for (const ArgumentRow& argument : row.arguments) {
        if (argument.direction != Direction::kInput || !HasRow(row.op, i)) continue;
        read |= 1u << static_cast<uint32_t>(TypeIn(row.type_rows[i], argument));
        if (argument.type == "shape_t") read |= 1u << static_cast<uint32_t>(DType::kShape);
      }
    }
  }
  const auto is_read = [read](DType type) {
    return (read >> static_cast<uint32_t>(type) & 1) != 0;
  };
  uint64_t& constants = rows_[static_cast<size_t>(Op::kConst)];
  const auto types = RowOf(Op::kConst).type_rows;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!is_read(types[i].types[0])) constants &= ~(uint64_t{1} << i);
  }
  if (!is_read(DType::kShape)) rows_[static_cast<size_t>(Op::kConstShape)] = 0;
}

bool TargetItems::MayBeInAll(Op op, const Quantity& quantity, int64_t number) const {
  return std::ranges::all_of(
      targets_, [&](const Target& target) { return MayBe(target, op, quantity, number); });
}

bool TargetItems::HasType(Op op, const ArgumentRow& argument, DType type) const {
  if (!argument.type_variable) return Has(op);
  const OperatorRow& row = RowOf(op);
  for (size_t i = 0; i < row.type_rows.size(); ++i) {
    if (TypeIn(row.type_rows[i], argument) == type && HasRow(op, i)) return true;
  }
  return false;
}

bool TargetItems::HasShapeClass(Op op, std::string_view name) const {
  if (!Has(op)) return false;
  if (!name.starts_with(kRank)) return true;
  int64_t rank = 0;
  std::from_chars(name.data() + kRank.size(), name.data() + name.size(), rank);
  return MayBeInAll(op, {Quantity::Kind::kRank}, rank);
}

bool TargetItems::MayBeAtLimit(Op op, const Quantity& quantity, std::string_view name) const {
  const Level& level = kLevel8K;
  const Quantity kernel = {Quantity::Kind::kKernel};
  const Quantity dimension = {Quantity::Kind::kDimension};
  if (name == "dilation") {  // its product with a side of the kernel
    for (int64_t side = 2; side < level.max_kernel; side *= 2) {
      if (MayBeInAll(op, quantity, level.max_kernel / side) && MayBeInAll(op, kernel, side)) {
        return MayBeInAll(op, dimension, level.max_kernel - level.max_kernel / side);
      }
    }
    return false;
  }
  const int64_t limit = name == "stride"  ? level.max_stride
                        : name == "scale" ? level.max_scale
                                          : level.max_kernel;
  if (quantity == kernel && !MayBeInAll(op, dimension, limit)) return false;
  return MayBeInAll(op, quantity, limit);
}

bool TargetItems::HasClass(Op op, const ArgumentRow& argument, std::string_view name) const {
  if (!Has(op)) return false;
  const std::optional<Quantity> quantity = QuantityOf(op, argument);
  if (!quantity) return true;
  if (name == kAtLimit) return MayBeAtLimit(op, *quantity, argument.name);
  if (name == "1" && quantity->kind == Quantity::Kind::kAttribute) {
    return MayBeInAll(op, *quantity, 1);
  }
  if (const auto number = NumberByName(op, *quantity, name); number && !targets_.empty()) {
    return MayBeInAll(op, *quantity, *number);
  }
  return true;
}

bool TargetItems::HasRule(const Rule& rule) const {
  if (!Has(rule.op)) return false;
  if (rule.id.ends_with("/ERROR_IF/types")) {
    return std::ranges::none_of(targets_, [&](const Target& target) {
      return !target.types.empty() || !UsesOf(target, rule.op)->types.empty();
    });
  }
  if (rule.kind != RuleKind::kLevelCheck) return true;
  // To break a check of the level takes a number beyond its limit.
  const Level& level = kLevel8K;
  const auto names = [&rule](std::string_view word) {
    return rule.text.find(word) != std::string_view::npos;
  };
  if (names("MAX_RANK")) {
    return MayBeInAll(rule.op, {Quantity::Kind::kRank}, level.max_rank + 1);
  }
  for (const ArgumentRow& argument : RowOf(rule.op).arguments) {
    if (!names(argument.name)) continue;
    const std::optional<Quantity> quantity = QuantityOf(rule.op, argument);
    if (quantity) return MayBeAtLimit(rule.op, *quantity, argument.name);
  }
  return true;
}

bool TargetItems::HasNest(std::string_view nest) const {
  const auto depth = 1 + std::ranges::count(nest, '/');
  if (nest.find("COND_IF") != std::string_view::npos && !Has(Op::kCondIf)) return false;
  if (nest.find("WHILE_LOOP") != std::string_view::npos && !Has(Op::kWhileLoop)) return false;
  return std::ranges::all_of(targets_, [&](const Target& target) {
    return target.limits.nesting == 0 || depth <= target.limits.nesting;
  });
}

}  // namespace assay

#include "target_items.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "levels.h"

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
}

bool TargetItems::MayBeInAll(Op op, const Quantity& quantity, int64_t number) const {
  return std::ranges::all_of(
      targets_, [&](const Target& target) { return MayBe(target, op, quantity, number); });
}

bool TargetItems::HasType(Op op, const ArgumentRow& argument, DType type) const {
  if (argument.type_variable < 0) return Has(op);
  const OperatorRow& row = RowOf(op);
  for (size_t i = 0; i < row.type_rows.size(); ++i) {
    const TypeRow& types = row.type_rows[i];
    if (types.types[static_cast<size_t>(argument.type_variable)] == type && HasRow(op, i)) {
      return true;
    }
  }
  return false;
}

bool TargetItems::HasShapeClass(Op op, std::string_view name) const {
  if (!Has(op)) return false;
  if (!name.starts_with(kRank)) return true;
  int64_t rank = 0;
  std::from_chars(name.data() + kRank.size(), name.data() + name.size(), rank);
  return MayBeInAll(op, {Quantity::Kind::kRank, {}, -1}, rank);
}

bool TargetItems::MayBeAtLimit(Op op, const Quantity& quantity, std::string_view name) const {
  const Level& level = kLevel8K;
  const Quantity kernel = {Quantity::Kind::kKernel, {}, -1};
  const Quantity dimension = {Quantity::Kind::kDimension, {}, -1};
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
  // To break a check of the level takes an argument that is beyond it, which targets exclude.
  if (rule.kind != RuleKind::kLevelCheck) return true;
  for (const Target& target : targets_) {
    const bool is_rank = rule.text.find("MAX_RANK") != std::string_view::npos;
    if (is_rank && target.limits.rank > 0 && target.limits.rank <= kLevel8K.max_rank) return false;
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

// SPDX-License-Identifier: Apache-2.0
#include "allowed_operators.h"

#include "operator_set.h"

namespace assay {
namespace {

struct Row {
  MenuEntry entry;
  uint32_t types;  // bit per DType of its operands and results
  std::span<const Requirements> any_of;
  int weight;
};

const std::vector<Row>& AllRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (const Recipe& recipe : AllRecipes()) {
      const OperatorRow& op = RowOf(recipe.op);
      for (size_t i = 0; i < op.type_rows.size(); ++i) {
        const TypeRow& types = op.type_rows[i];
        Row row = {{recipe.op, static_cast<int>(i), DType::kUnknown, DType::kUnknown},
                   0,
                   types.any_of,
                   ops::DefinitionOf(recipe.op).traits.weight};
        // CAST has more rows than all others together, so its weight is small.
        if (recipe.op == Op::kCast) row.weight = 1;
        for (const ArgumentRow& argument : op.arguments) {
          if (argument.direction == Direction::kAttribute) continue;
          const DType type = TypeIn(types, argument);
          if (argument.type_variable) row.types |= 1u << static_cast<uint32_t>(type);
          DType& known =
              argument.direction == Direction::kInput ? row.entry.first : row.entry.result;
          if (known == DType::kUnknown) known = type;
        }
        all.push_back(row);
      }
    }
    return all;
  }();
  return rows;
}

}  // namespace

Menu::Menu(const GeneratorOptions& options) {
  uint32_t types = ~0u;
  if (!options.types.empty()) {
    types = 0;
    for (const DType type : options.types) types |= 1u << static_cast<uint32_t>(type);
  }
  std::array<bool, kOperatorCount + 1> operators;
  operators.fill(options.operators.empty());
  for (const Op op : options.operators) operators[static_cast<size_t>(op)] = true;
  for (const Row& row : AllRows()) {
    if ((row.types & ~types) != 0 || !operators[static_cast<size_t>(row.entry.op)]) continue;
    if (!options.AllowsRow(row.entry.op, static_cast<size_t>(row.entry.type_row))) continue;
    bool supported = options.target.Empty();
    for (const Requirements& needed : row.any_of) {
      supported = supported || options.target.ContainsAll(needed);
    }
    if (!supported) continue;
    reads_[static_cast<size_t>(row.entry.op)] |= 1u << static_cast<uint32_t>(row.entry.first);
    for (int i = 0; i < row.weight; ++i) {
      all_.push_back(row.entry);
      by_type_[static_cast<size_t>(row.entry.first)].push_back(row.entry);
    }
  }
}

const MenuEntry& Menu::Pick(Choices& choices, DType type) const {
  const auto& entries = by_type_[static_cast<size_t>(type)];
  return entries.empty() ? PickAny(choices) : choices.Pick(entries);
}

const MenuEntry* Menu::Find(Choices& choices, Op op, DType type, DType result) const {
  const auto& entries = by_type_[static_cast<size_t>(type)];
  const MenuEntry* found = nullptr;
  uint64_t count = 0;
  for (const MenuEntry& entry : entries) {
    if (entry.op != op || (result != DType::kUnknown && entry.result != result)) continue;
    // Each entry that fits is equally likely.
    if (choices.Below(++count) == 0) found = &entry;
  }
  return found;
}

}  // namespace assay

#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "check.h"
#include "operator_definition.h"

namespace assay::ops {

// The definitions in the order of their files.
std::span<const OperatorDefinition* const> DefinitionFiles();

// Every definition, in the order of Op.
inline std::span<const OperatorDefinition* const> AllDefinitions() {
  static const std::vector<const OperatorDefinition*> definitions = [] {
    std::vector<const OperatorDefinition*> sorted(DefinitionFiles().begin(),
                                                  DefinitionFiles().end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->op < b->op; });
    return sorted;
  }();
  return definitions;
}

// The definition of an operator, or null if this build has none (it is then `unsupported`).
inline const OperatorDefinition* DefinitionOf(Op op) {
  static const auto table = [] {
    std::array<const OperatorDefinition*, kOperatorCount + 1> by_op{};
    for (const OperatorDefinition* definition : DefinitionFiles()) {
      auto& slot = by_op[static_cast<size_t>(definition->op)];
      Check(slot == nullptr, "one operator file per operator");
      slot = definition;
    }
    return by_op;
  }();
  const auto index = static_cast<size_t>(op);
  return index < table.size() ? table[index] : nullptr;
}

}  // namespace assay::ops

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "check.h"
#include "operator_definition.h"

namespace assay::ops {

// Returns the definitions in the order of their files.
std::span<const OperatorDefinition* const> DefinitionFiles();

// Returns every definition, in the order of Op.
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

// Returns the definition of an operator. `op` must not be kUnknown, which no reader lets through.
inline const OperatorDefinition& DefinitionOf(Op op) {
  static const auto table = [] {
    std::array<const OperatorDefinition*, kOperatorCount + 1> by_op{};
    for (const OperatorDefinition* definition : DefinitionFiles()) {
      auto& slot = by_op[static_cast<size_t>(definition->op)];
      Check(slot == nullptr, "one operator file per operator");
      slot = definition;
    }
    return by_op;
  }();
  const OperatorDefinition* definition = table.at(static_cast<size_t>(op));
  Check(definition != nullptr, "every operator has a file");
  return *definition;
}

}  // namespace assay::ops

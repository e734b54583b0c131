#include <array>

#include "check.h"
#include "operator_definition.h"
#include "ops_files.h"

namespace assay::ops {
namespace {

std::vector<const OperatorDefinition*> Sorted() {
  std::vector<const OperatorDefinition*> sorted(std::begin(kFiles), std::end(kFiles));
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->op < b->op; });
  return sorted;
}

const std::vector<const OperatorDefinition*>& Definitions() {
  static const std::vector<const OperatorDefinition*> definitions = Sorted();
  return definitions;
}

}  // namespace

std::span<const OperatorDefinition* const> AllDefinitions() { return Definitions(); }

const OperatorDefinition* DefinitionOf(Op op) {
  static const auto table = [] {
    std::array<const OperatorDefinition*, kOperatorCount + 1> by_op{};
    for (const OperatorDefinition* definition : Definitions()) {
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

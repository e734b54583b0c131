// SPDX-License-Identifier: Apache-2.0
#include "operator.h"

#include "operator_table.h"

namespace assay {

std::string_view OperatorName(Op op) {
  const auto index = static_cast<uint32_t>(op);
  return index >= 1 && index <= kOperatorCount ? RowOf(op).name : "UNKNOWN";
}

std::optional<Op> OperatorByName(std::string_view name) {
  for (const OperatorRow& row : AllOperators()) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

std::string_view AttributeName(AttributeId attribute) {
  return AllAttributes()[static_cast<uint8_t>(attribute)];
}

std::optional<AttributeId> AttributeByName(std::string_view name) {
  const auto names = AllAttributes();
  for (uint8_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<AttributeId>(i);
  }
  return std::nullopt;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "operator.h"

#include "enum_names.h"
#include "operator_table.h"

namespace assay {

std::string_view OperatorName(Op op) {
  const auto index = static_cast<uint32_t>(op);
  return index >= 1 && index <= kOperatorCount ? RowOf(op).name : "UNKNOWN";
}

std::optional<Op> OperatorByName(std::string_view name) {
  const OperatorRow* row = FindRow(AllOperators(), &OperatorRow::name, name);
  return row == nullptr ? std::nullopt : std::optional(row->op);
}

std::string_view AttributeName(AttributeId attribute) {
  return AllAttributes()[static_cast<uint8_t>(attribute)];
}

std::optional<AttributeId> AttributeByName(std::string_view name) {
  return EnumNamed<AttributeId>(AllAttributes(), name);
}

std::span<const std::string_view> EnumeratorNames(AttributeId attribute) {
  static constexpr std::string_view kNanModes[] = {"PROPAGATE", "IGNORE"};
  static constexpr std::string_view kResizeModes[] = {"NEAREST", "BILINEAR"};
  static constexpr std::string_view kRoundingModes[] = {"SINGLE_ROUND", "INEXACT_ROUND",
                                                        "DOUBLE_ROUND"};
  if (attribute == AttributeId::kNanMode) return kNanModes;
  if (attribute == AttributeId::kMode) return kResizeModes;
  if (attribute == AttributeId::kRoundingMode) return kRoundingModes;
  return {};
}

}  // namespace assay

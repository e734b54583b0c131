// SPDX-License-Identifier: Apache-2.0
#include "state_rules.h"

#include "enum_names.h"
#include "parse_number.h"

namespace assay {
namespace {

constexpr DType kRfcTypes[] = {DType::kBool, DType::kInt8, DType::kInt16, DType::kInt32,
                               DType::kFp16, DType::kBf16, DType::kFp32};

constexpr StateRules kRows[] = {
    {.name = "1.0",
     .nested_clears_seen = true,
     .redeclaration_sets_seen = true,
     .named_by_uid = false,
     .types = {},
     .what = "as the specification has it"},
    {.name = "nested-keeps-seen",
     .nested_clears_seen = false,
     .redeclaration_sets_seen = true,
     .named_by_uid = false,
     .types = {},
     .what = "a graph that control flow runs belongs to the execution that runs it"},
    {.name = "rfc",
     .nested_clears_seen = true,
     .redeclaration_sets_seen = false,
     .named_by_uid = true,
     .types = kRfcTypes,
     .what = "as the proposal had it that brought variables into TOSA"},
};

}  // namespace

std::span<const StateRules> AllStateRules() { return kRows; }

const StateRules* StateRulesByName(std::string_view name) {
  return FindRow(kRows, &StateRules::name, name);
}

std::string VariableKey(const StateRules& rules, std::string_view name) {
  if (!rules.named_by_uid || name.empty()) return std::string(name);
  int32_t uid = 0;
  const std::string_view digits = name.substr(name[0] == '+' ? 1 : 0);
  return ParseNumber(digits, uid) && !name.starts_with("+-") ? std::to_string(uid)
                                                             : std::string(name);
}

}  // namespace assay

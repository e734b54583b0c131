// SPDX-License-Identifier: Apache-2.0
#include "state_rules.h"

#include <charconv>

#include "enum_names.h"

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
  const char* first = name.data() + (name[0] == '+' ? 1 : 0);
  const char* last = name.data() + name.size();
  int32_t uid = 0;
  const auto [end, error] = std::from_chars(first, last, uid);
  const bool is_number = error == std::errc() && end == last && !name.starts_with("+-");
  return is_number ? std::to_string(uid) : std::string(name);
}

}  // namespace assay

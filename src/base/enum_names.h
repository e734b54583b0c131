// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "check.h"

namespace assay {

// Returns the entry of an enumerator in a table that has one for each, in their order. A missing
// one is a defect in Assay at the place of the call.
template <class Rows, class Enum>
constexpr const auto& EntryOf(const Rows& rows, Enum enumerator,
                              const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const auto index = static_cast<size_t>(enumerator);
  Check(index < std::size(rows), "an entry for the enumerator", file, line);
  return rows[index];
}

// Returns the enumerator with this name. `names` lists the names of 0, 1, 2, ...
template <class Enum, class Names>
std::optional<Enum> EnumNamed(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == std::ranges::end(names)) return std::nullopt;
  return static_cast<Enum>(found - std::ranges::begin(names));
}

// Returns the first row of a table whose field has a value; null if there is none.
template <class Rows, class Field, class Value>
auto* FindRow(Rows&& rows, Field field, const Value& value) {
  const auto found = std::ranges::find(rows, value, field);
  return found == std::ranges::end(rows) ? nullptr : &*found;
}

}  // namespace assay

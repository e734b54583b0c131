// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace assay {

// Returns the enumerator with this name. `names` lists the names of 0, 1, 2, ...
template <class Enum, size_t count>
std::optional<Enum> EnumNamed(const std::array<std::string_view, count>& names,
                              std::string_view name) {
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace assay

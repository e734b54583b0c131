// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay {

// Returns the texts of the elements with `between` between them. Empty texts at the beginning get
// none.
template <class Range, class TextOf = std::identity>
std::string Joined(const Range& range, std::string_view between = ", ", TextOf text_of = {}) {
  std::string text;
  for (const auto& element : range) {
    if (!text.empty()) text += between;
    text += std::invoke(text_of, element);
  }
  return text;
}

}  // namespace assay

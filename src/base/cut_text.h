// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace assay {

// Returns a text that another program has chosen, for a report: its first `characters_max`
// characters, and "..." if there are more. Characters are those of UTF-8.
inline std::string CutText(std::string text, size_t characters_max = 1000) {
  size_t characters = 0;
  const auto end = std::find_if(text.begin(), text.end(), [&](char c) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    return !continues && ++characters > characters_max;
  });
  if (end == text.end()) return text;
  text.erase(end, text.end());
  return text + "...";
}

}  // namespace assay

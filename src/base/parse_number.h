// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace assay {

// Reads a number. Returns false unless it is the whole text and fits; `number` may then be changed.
template <class Number>
bool ParseNumber(std::string_view text, Number& number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

}  // namespace assay

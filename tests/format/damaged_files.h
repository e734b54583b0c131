// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

// Calls `judge` with each damaged copy of a file: cut off at every byte, and with every single bit
// flipped.
template <class Function>
void ForEachMutant(std::span<const uint8_t> bytes, Function judge) {
  for (size_t size = 0; size < bytes.size(); ++size) {
    judge(std::vector<uint8_t>(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)));
  }
  std::vector<uint8_t> mutant(bytes.begin(), bytes.end());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      mutant[i] = static_cast<uint8_t>(mutant[i] ^ (1u << bit));
      judge(mutant);
      mutant[i] = bytes[i];
    }
  }
}

// Returns true if a message is one line that starts with the file's name, as an Error must be.
inline bool IsOneLine(const std::string& message, std::string_view name) {
  return message.starts_with(std::string(name) + ": ") && message.find('\n') == std::string::npos &&
         message.size() > name.size() + 10;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// Returns the SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
std::string Sha256(std::span<const uint8_t> bytes);
inline std::string Sha256(std::string_view text) {
  return Sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace assay

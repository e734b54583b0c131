// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// The SHA-256 of bytes that come in parts.
class Sha256Sum {
 public:
  Sha256Sum();
  void Add(std::span<const uint8_t> bytes);
  void Add(std::string_view text) {
    Add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  // Returns the sum of all bytes so far, as 64 lower-case hexadecimal digits.
  std::string Digits() const;

 private:
  std::unique_ptr<void, void (*)(void*)> context_;  // of OpenSSL
};

// Returns the SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
std::string Sha256(std::span<const uint8_t> bytes);
inline std::string Sha256(std::string_view text) {
  return Sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace assay

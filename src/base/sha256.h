// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace assay {

// Returns the SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
std::string Sha256(std::span<const uint8_t> bytes);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_instructions.h"

namespace assay::spirv {

// Returns the value of OpConstant as text: "-3", "1.5", "0x1.8p+128" for what is no finite number.
// `type` is the instruction that defines its type, or null. Words that are no value of the type are
// written as they are, "!7 !9".
std::string LiteralText(const Instruction* type, std::span<const uint32_t> words);

// Returns the words of a value, or nothing if the text is no value of the type.
std::optional<std::vector<uint32_t>> LiteralWords(const Instruction* type, std::string_view text);

// Returns the number in "7", "0x1f" or "!7".
std::optional<uint32_t> WordNumber(std::string_view text);

}  // namespace assay::spirv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "result.h"
#include "spirv_instructions.h"

namespace assay::spirv {

// Returns the module as text, with the names of the grammar: one instruction a line,
// "%7 = OpTypeTensorARM %1 %4 %6". A comment names the enumerants that an extended instruction has
// as constants: "; nan_mode=IGNORE". Errors of ReadInstructions().
Result<std::string> ModuleText(std::span<const uint32_t> words);

// Parses a module as text: what ModuleText() writes, or what other tools write. Ids are called by
// number, which they keep, or by name. `!7` is a word as it is. An instruction ends where the next
// one begins, and `;` begins a comment. Error kBadInput, which begins with the line at fault
// ("line 12: OpName: ..."); kUnsupported for OpEntryPoint, and for names that TOSA graphs do not
// need.
Result<ModuleCode> ParseModule(std::string_view text);

}  // namespace assay::spirv

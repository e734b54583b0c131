// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// Functions that find places in the text of a JSON document, which a parsed value does not have.

// Returns the step to a field in the place of a value: its name, quoted if needed.
std::string JsonStep(const std::string& name);

// The place of a value as JsonPlace names it, "/known/0/vector", and its line, from 1.
struct JsonField {
  std::string place;
  int64_t line = 0;
};

// Returns the first field whose object has a field of the same name before it. A parsed value has
// the last one only. Returns nothing if there is none before the end of the text, or before the
// first error in it.
std::optional<JsonField> FindDoubledField(std::string_view text);

// Returns the line of the value at a place; 1 if there is no such value.
int64_t LineOfJson(std::string_view text, std::string_view place);

}  // namespace assay

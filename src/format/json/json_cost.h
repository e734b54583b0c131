#pragma once

#include <cstddef>
#include <string_view>

#include "result.h"

namespace assay {

// What FlatBuffers' parser takes to read a JSON text by a schema. Found before it starts, as it has
// no limits of its own.
struct JsonCost {
  size_t memory_max = 0;  // bytes, for its stack of open lists and what it builds
  size_t result_max = 0;  // bytes of the FlatBuffer
};

// Goes once through the text. An Error, without the culprit, if there is something that could hide
// from it what the parser sees: a zero byte, a comment, brackets or strings that do not match.
Result<JsonCost> CostOfJson(std::string_view text);

}  // namespace assay

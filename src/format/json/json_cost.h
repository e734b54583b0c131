// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "result.h"

namespace assay {

// The memory that FlatBuffers' parser takes to read a JSON text by a schema. It is computed before
// the parser starts, because the parser has no limits of its own.
struct JsonCost {
  size_t memory_max = 0;  // bytes, for its stack of open lists and what it builds
  size_t result_max = 0;  // bytes of the FlatBuffer
};

// Computes the cost in one pass over the text. Returns an Error, without the culprit, if the text
// has something that could hide content from this pass: a zero byte, a comment, or brackets or
// strings that do not match.
Result<JsonCost> CostOfJson(std::string_view text);

}  // namespace assay

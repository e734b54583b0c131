// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "json_value.h"

namespace assay {

// Says what is wrong with a text that is not JSON, or that is nested deeper than kJsonDepthMax.
struct JsonSyntaxError : JsonError {
  JsonSyntaxError(const std::string& what, size_t place, bool is_number)
      : JsonError(what), byte(place), is_vast_number(is_number) {}
  size_t byte;          // from 1; behind the end if the text ends too early
  bool is_vast_number;  // the text is JSON, with a number that is too large
};

constexpr size_t kJsonDepthMax = 1000;

// Returns the text, in one line if `indent` is -1. Bytes that are not UTF-8 become U+FFFD. The
// controls U+0080 to U+009F are escaped like those of ASCII; with `ascii`, all that is not ASCII.
std::string JsonText(const Json& json, int indent = -1, bool ascii = false);

// Returns the text for people, in which lists and objects that fit in a line are on one line.
std::string JsonInLines(const Json& json);

// Throws a JsonSyntaxError if the text is not JSON.
Json JsonFrom(std::string_view text);

// Returns an object or array, or a discarded value (is_discarded()) if the text is neither.
Json ParseJson(std::string_view text);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace assay {

// Functions that write and read the text of JSON. nlohmann's own are templates: each file would
// compile the parser and the writer again. Json is nlohmann::json or nlohmann::ordered_json. For
// .cc files only.

// Returns the text, in one line if `indent` is -1. Bytes that are not UTF-8 become U+FFFD. The
// controls U+0080 to U+009F are escaped like those of ASCII; with `ascii`, all that is not ASCII.
template <class Json>
std::string JsonText(const Json& json, int indent = -1, bool ascii = false);

// Throws nlohmann's parse_error if the text is not JSON; returns a discarded value
// (is_discarded()) instead if `throws` is false.
template <class Json>
Json JsonFrom(std::string_view text, bool throws = true);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Returns text for use between tags or in an attribute: escaped, and without control characters.
std::string Escaped(std::string_view text);

// Returns "<tag attributes>text</tag>", with the text escaped.
std::string Tagged(const std::string& tag, const std::string& attributes, std::string_view text);

}  // namespace assay

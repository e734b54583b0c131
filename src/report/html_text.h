#pragma once

#include <string>
#include <string_view>

namespace assay {

// Text as it stands between tags or in an attribute, without control characters.
std::string Escaped(std::string_view text);

// "<tag attributes>text</tag>", the text escaped.
std::string Tagged(const std::string& tag, const std::string& attributes, std::string_view text);

}  // namespace assay

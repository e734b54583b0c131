#pragma once

#include <string>
#include <string_view>

namespace assay {

// Text from anywhere (names in a hostile file, what a backend printed) as valid UTF-8 without
// control characters: what is neither becomes U+FFFD. Newlines and tabs stay.
std::string CleanText(std::string_view text);

// The same, and on one line: newlines and tabs become spaces, and what exceeds `characters_max` is
// cut off with "...".
std::string OneLine(std::string_view text, size_t characters_max = 300);

}  // namespace assay

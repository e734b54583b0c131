#pragma once

#include <string>
#include <string_view>

namespace assay {

// Returns text from anywhere (names in a hostile file, what a backend printed) as valid UTF-8
// without control characters (C0, C1, DEL) and without characters that change the direction or the
// line: each of them becomes U+FFFD. Newlines and tabs stay.
std::string CleanText(std::string_view text);

// The same, and on one line: newlines and tabs become spaces, and what exceeds `characters_max` is
// cut off with "...".
std::string OneLine(std::string_view text, size_t characters_max = 300);

}  // namespace assay

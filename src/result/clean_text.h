// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Returns text from any source (names in a hostile file, the output of a backend) as valid UTF-8.
// Control characters (C0, C1, DEL) and characters that change the direction or the line become
// U+FFFD. Newlines and tabs stay.
std::string CleanText(std::string_view text);

// Returns clean text in one line: newlines and tabs become spaces. Text beyond `characters_max` is
// replaced by "...".
std::string OneLine(std::string_view text, size_t characters_max = 300);

// Returns a readable file name that is the same for the same words and signature, without an
// ending: "add-fp32-value-1a2b3c4d". The words have at most `words_max` characters in it.
std::string FileNameFrom(const std::string& words, const std::string& signature,
                         size_t words_max = std::string::npos);

}  // namespace assay

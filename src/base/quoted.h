// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Returns a name from outside, quoted for a line of text. Control characters, quotes, backslashes
// and bytes beyond ASCII become \xNN. The name is cut after `length_max` characters. "in\n" gives
// "\"in\\x0a\"".
std::string Quoted(std::string_view name, size_t length_max = 80);

// Returns text for XML or HTML. It escapes only the characters in `marks`, some of the default
// ones.
std::string XmlEscaped(std::string_view text, std::string_view marks = "&<>\"'");

// Returns a word for a shell, in single quotes if it needs them.
std::string ShellWord(const std::string& word);
// Returns the words of a command line that consists of plain words and of words in single quotes,
// as ShellWord() makes them.
std::vector<std::string> ShellWords(std::string_view line);

}  // namespace assay

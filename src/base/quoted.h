#pragma once

#include <string>
#include <string_view>

namespace assay {

// A name from outside, quoted for a line of text: control characters, quotes, backslashes and bytes
// beyond ASCII as \xNN, cut after 80 characters. "in\n" gives "\"in\\x0a\"".
std::string Quoted(std::string_view name);

// A word for a shell: in single quotes where it needs them.
std::string ShellWord(const std::string& word);

}  // namespace assay

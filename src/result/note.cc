// SPDX-License-Identifier: Apache-2.0
#include "note.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "clean_text.h"

namespace assay {

void Say(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "assay: %s\n", OneLine(message, 2000).c_str());
}

void Note(const std::string& text) { Say("note: " + text); }

void NoteLines(const std::string& whose, std::string_view text) {
  constexpr size_t kLinesMax = 20;
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const size_t shown = std::min(lines.size(), kLinesMax);
  for (size_t i = 0; i < shown; ++i) Note(whose + ": " + OneLine(lines[i]));
  if (shown < lines.size()) {
    Note(whose + ": " + std::to_string(lines.size() - shown) + " more lines");
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "quoted.h"

#include <algorithm>

namespace assay {

std::string Quoted(std::string_view name, size_t length_max) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"";
  for (char c : name.substr(0, length_max)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\') {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      text += c;
    }
  }
  if (name.size() > length_max) text += "...";
  return text + '"';
}

std::string XmlEscaped(std::string_view text, std::string_view marks) {
  constexpr std::string_view kMarks = "&<>\"'";
  constexpr std::string_view kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string escaped;
  for (const char c : text) {
    if (marks.find(c) == std::string_view::npos) {
      escaped += c;
    } else {
      escaped += kEntities[kMarks.find(c)];
    }
  }
  return escaped;
}

std::string ShellWord(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> ShellWords(std::string_view line) {
  std::vector<std::string> words;
  bool in_quotes = false, in_word = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' && !in_quotes) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\'') {
      in_quotes = !in_quotes;
    } else {
      if (c == '\\' && !in_quotes && i + 1 < line.size()) ++i;
      words.back() += line[i];
    }
  }
  return words;
}

}  // namespace assay

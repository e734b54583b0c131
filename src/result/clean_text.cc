// SPDX-License-Identifier: Apache-2.0
#include "clean_text.h"

#include <cstdint>

#include "sha256.h"

namespace assay {
namespace {

constexpr char kReplacement[] = "\xef\xbf\xbd";  // U+FFFD

// Returns true if terminals and browsers may act on the character instead of showing it. These are
// C1 controls (U+009B begins an escape sequence), and separators of lines or paragraphs. They are
// also marks, embeddings, overrides and isolates of direction, which change the order of the shown
// text.
bool IsOrder(char32_t character) {
  return (character >= 0x80 && character <= 0x9f) || character == 0x61c || character == 0x200e ||
         character == 0x200f || (character >= 0x2028 && character <= 0x202e) ||
         (character >= 0x2066 && character <= 0x2069);
}

// Returns the length of the well-formed UTF-8 sequence at the start of `text`. Returns 0 if there
// is none (Unicode 15.0, table 3-7), or if XML 1.0 does not allow the character.
size_t SequenceLength(std::string_view text) {
  const auto at = [text](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  const auto continues = [&at](size_t i) { return (at(i) & 0xc0) == 0x80; };
  const uint8_t first = at(0);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  }
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xe0 && at(1) < 0xa0) return 0;                   // overlong
    if (first == 0xed && at(1) > 0x9f) return 0;                   // surrogate
    if (first == 0xef && at(1) == 0xbf && at(2) > 0xbd) return 0;  // U+FFFE, U+FFFF
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xf0 && at(1) < 0x90) return 0;
    if (first == 0xf4 && at(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

// Returns the character of a well-formed sequence of two or three bytes; for other sequences, a
// space.
char32_t CharacterOf(std::string_view sequence) {
  const auto bits = [&](size_t i, unsigned mask) {
    return static_cast<char32_t>(static_cast<uint8_t>(sequence[i]) & mask);
  };
  if (sequence.size() == 2) return bits(0, 0x1f) << 6 | bits(1, 0x3f);
  if (sequence.size() == 3) return bits(0, 0x0f) << 12 | bits(1, 0x3f) << 6 | bits(2, 0x3f);
  return U' ';
}

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const bool white = text[0] == '\n' || text[0] == '\t';
    const size_t length = white ? 1 : SequenceLength(text);
    const bool plain = length > 0 && !IsOrder(CharacterOf(text.substr(0, length)));
    clean += plain ? text.substr(0, length) : std::string_view(kReplacement);
    text.remove_prefix(length > 0 ? length : 1);
  }
  return clean;
}

std::string OneLine(std::string_view text, size_t characters_max) {
  std::string line;
  size_t characters = 0;
  const std::string clean = CleanText(text.substr(0, 4 * characters_max + 4));
  for (char c : clean) {
    if ((static_cast<uint8_t>(c) & 0xc0) != 0x80 && ++characters > characters_max) {
      return line + "...";
    }
    line += c == '\n' || c == '\t' ? ' ' : c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string FileNameFrom(const std::string& words, const std::string& signature, size_t words_max) {
  std::string name;
  for (const char c : words) {
    const bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    if (upper || lower || (c >= '0' && c <= '9') || c == '_') {
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.substr(0, words_max) + "-" + Sha256(signature).substr(0, 8);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "c_text.h"

#include <algorithm>

namespace assay {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kNameMax = 40;

// The words of C99 and C++20, macros that compilers define, and names from the included headers.
constexpr std::string_view kWords[] = {"alignas",
                                       "alignof",
                                       "and",
                                       "and_eq",
                                       "asm",
                                       "assert",
                                       "auto",
                                       "bitand",
                                       "bitor",
                                       "bool",
                                       "break",
                                       "case",
                                       "catch",
                                       "char",
                                       "char16_t",
                                       "char32_t",
                                       "char8_t",
                                       "class",
                                       "co_await",
                                       "co_return",
                                       "co_yield",
                                       "compl",
                                       "complex",
                                       "concept",
                                       "const",
                                       "const_cast",
                                       "consteval",
                                       "constexpr",
                                       "constinit",
                                       "continue",
                                       "decltype",
                                       "default",
                                       "delete",
                                       "do",
                                       "double",
                                       "dynamic_cast",
                                       "else",
                                       "enum",
                                       "errno",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "false",
                                       "float",
                                       "for",
                                       "friend",
                                       "goto",
                                       "i386",
                                       "if",
                                       "imaginary",
                                       "inline",
                                       "int",
                                       "int16_t",
                                       "int32_t",
                                       "int64_t",
                                       "int8_t",
                                       "linux",
                                       "long",
                                       "main",
                                       "memcpy",
                                       "memset",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "noexcept",
                                       "not",
                                       "not_eq",
                                       "nullptr",
                                       "operator",
                                       "or",
                                       "or_eq",
                                       "private",
                                       "protected",
                                       "public",
                                       "register",
                                       "reinterpret_cast",
                                       "requires",
                                       "restrict",
                                       "return",
                                       "short",
                                       "signed",
                                       "size_t",
                                       "sizeof",
                                       "static",
                                       "static_assert",
                                       "static_cast",
                                       "struct",
                                       "switch",
                                       "template",
                                       "this",
                                       "thread_local",
                                       "throw",
                                       "true",
                                       "try",
                                       "typedef",
                                       "typeid",
                                       "typename",
                                       "typeof",
                                       "uint16_t",
                                       "uint32_t",
                                       "uint64_t",
                                       "uint8_t",
                                       "uintptr_t",
                                       "union",
                                       "unix",
                                       "unsigned",
                                       "using",
                                       "virtual",
                                       "void",
                                       "volatile",
                                       "wchar_t",
                                       "while",
                                       "xor",
                                       "xor_eq"};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char InName(char c) {
  if (IsUpper(c)) return static_cast<char>(c - 'A' + 'a');
  return IsLower(c) || IsDigit(c) ? c : '_';
}

}  // namespace

std::string CNames::Make(std::string_view name, std::string_view prefix) {
  std::string made;
  for (const char c : name.substr(0, kNameMax)) made += InName(c);
  if (made.empty() || !IsLower(made[0])) made = std::string(prefix) + made;
  if (std::ranges::binary_search(kWords, made)) made += '_';
  std::string unique = made;
  for (int i = 2; !taken_.insert(unique).second; ++i) unique = made + "_" + std::to_string(i);
  return unique;
}

bool IsCIdentifier(std::string_view name) {
  const auto fits = [](char c) { return IsLower(c) || IsUpper(c) || IsDigit(c) || c == '_'; };
  return !name.empty() && name.size() <= kNameMax && (IsLower(name[0]) || IsUpper(name[0])) &&
         std::ranges::all_of(name, fits) && !name.starts_with("assay") &&
         !std::ranges::binary_search(kWords, name);
}

std::string CComment(std::string_view name) {
  constexpr std::string_view kHarmless = "_.:/-";
  std::string text;
  for (const char c : name.substr(0, kNameMax)) {
    const bool fits = IsLower(c) || IsUpper(c) || IsDigit(c) || kHarmless.find(c) != kHarmless.npos;
    text += fits ? c : '_';
  }
  return text;
}

std::string CString(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && byte < 0x7f && c != '"' && c != '\\' && c != '?';
    if (plain) {
      text += c;
      continue;
    }
    text += '\\';  // three octal digits, so that what follows is not taken for one
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (byte >> shift & 7));
  }
  return text + '"';
}

void CText::Line(std::string_view text) {
  if (!text.empty()) text_.append(indentation_, ' ');
  text_.append(text).push_back('\n');
}

void CText::Comment(std::string_view text) {
  std::string line = "/*";
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    // Leaves room for the end of the comment.
    if (indentation_ + line.size() + 1 + end + 3 > kColumns) {
      Line(line);
      line = "  ";
    }
    line += ' ';
    line += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Line(line + " */");
}

void CText::Open(std::string_view text) {
  Line(text);
  Indent();
}

void CText::Close(std::string_view text) {
  indentation_ -= 2;
  Line(text);
}

void CText::List(std::string_view begin, std::span<const std::string> items, std::string_view end) {
  std::string all;
  size_t longest = 0;
  for (const std::string& item : items) {
    all += (all.empty() ? "" : ", ") + item;
    longest = std::max(longest, item.size() + end.size());
  }
  const std::string first(begin);
  if (indentation_ + first.size() + all.size() + end.size() <= kColumns) {
    return Line((first + all).append(end));
  }
  // Puts the items below the first one, unless all of them fit into the next line or one would be
  // too long.
  const bool next_line = first.ends_with('{') && !items[0].starts_with('{') &&
                         indentation_ + 4 + all.size() + end.size() <= kColumns;
  const bool below = !next_line && indentation_ + first.size() + longest <= kColumns;
  const std::string margin(below ? first.size() : 4, ' ');
  if (!below) Line(first);
  std::string line = below ? first : margin;
  bool fresh = true;  // nothing in the line yet
  for (size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    const std::string item = items[i] + (last ? std::string(end) : ",");
    if (!fresh && indentation_ + line.size() + 1 + item.size() > kColumns) {
      Line(line);
      line = margin;
      fresh = true;
    }
    line += (fresh ? "" : " ") + item;
    fresh = false;
  }
  Line(line);
}

void CText::Bytes(const std::string& begin, std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr size_t kEach = 6;  // "0x00, "
  const bool alone = indentation_ + begin.size() + 4 + kEach * bytes.size() <= kColumns;
  const size_t in_line = (kColumns - indentation_ - 4 + 1) / kEach;
  text_.append(indentation_, ' ').append(begin).append(" = {");
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) text_ += ',';
    if (!alone && i % in_line == 0) {
      text_.append("\n").append(indentation_ + 4, ' ');
    } else if (i > 0) {
      text_ += ' ';
    }
    text_ += "0x";
    text_ += kDigits[bytes[i] >> 4];
    text_ += kDigits[bytes[i] & 15];
  }
  text_ += "};\n";
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Makes distinct identifiers of C from names of graphs and files. They have lower-case letters,
// digits and underscores, at most 40 characters, and are no words of C99 or C++20.
class CNames {
 public:
  CNames() = default;
  // Makes no identifier that is in `taken`.
  explicit CNames(std::initializer_list<std::string_view> taken)
      : taken_(taken.begin(), taken.end()) {}

  void Take(std::string_view name) { taken_.emplace(name); }
  // Makes an identifier from `name`. `prefix` comes first if the name cannot begin an identifier.
  std::string Make(std::string_view name, std::string_view prefix);

 private:
  std::set<std::string> taken_;
};

// Returns true if a name can stand in C unchanged, and is not reserved by C, C++ or Assay.
bool IsCIdentifier(std::string_view name);

// Return a name of a graph or a file as text for a comment, and as a string literal with its
// quotes.
std::string CComment(std::string_view name);
std::string CString(std::string_view name);

// Text in C, with lines of at most 100 columns.
class CText {
 public:
  // Writes one line at the present indentation; "" is an empty line.
  void Line(std::string_view text);
  // Writes a comment of one line or several.
  void Comment(std::string_view text);
  // Writes a line. Everything after it, up to Close(), is indented.
  void Open(std::string_view text);
  void Indent() { indentation_ += 2; }
  void Close(std::string_view text = "}");
  // Writes `begin`, the items with commas between them, and `end`. The list is in one line, or
  // broken between items and continued below the first.
  void List(std::string_view begin, std::span<const std::string> items, std::string_view end);
  // Writes `begin` = {...}; with the bytes as items.
  void Bytes(const std::string& begin, std::span<const uint8_t> bytes);

  const std::string& text() const { return text_; }
  void Append(const CText& other) { text_ += other.text_; }  // as it is indented

 private:
  std::string text_;
  size_t indentation_ = 0;
};

}  // namespace assay

#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Identifiers of C, no two of them the same, made of names from outside: lower-case letters, digits
// and underscores, at most 40 characters, and no word of C99 or C++20.
class CNames {
 public:
  CNames() = default;
  // These are taken already.
  explicit CNames(std::initializer_list<std::string_view> taken)
      : taken_(taken.begin(), taken.end()) {}

  void Take(std::string_view name) { taken_.emplace(name); }
  // `prefix` comes before a name that cannot begin an identifier.
  std::string Make(std::string_view name, std::string_view prefix);

 private:
  std::set<std::string> taken_;
};

// Whether a name can stand in C as it is, and belongs to nobody else.
bool IsCIdentifier(std::string_view name);
std::string UpperCase(std::string_view name);

// A name from outside within a comment, and as a literal with its quotes.
std::string CComment(std::string_view name);
std::string CString(std::string_view name);

// Text of C, in lines of at most 100 columns.
class CText {
 public:
  // One line, at the present indentation; "" is an empty one.
  void Line(std::string_view text);
  // A comment of one line or several.
  void Comment(std::string_view text);
  // What comes after this line, up to Close(), is indented.
  void Open(std::string_view text);
  void Indent() { indentation_ += 2; }
  void Close(std::string_view text = "}");
  // `begin`, the items with commas between them, `end`: in one line, or broken between items and
  // continued below the first.
  void List(std::string_view begin, std::span<const std::string> items, std::string_view end);
  // `begin` = {...}; of bytes.
  void Bytes(const std::string& begin, std::span<const uint8_t> bytes);

  const std::string& text() const { return text_; }
  void Append(const CText& other) { text_ += other.text_; }  // as it is indented

 private:
  std::string text_;
  size_t indentation_ = 0;
};

}  // namespace assay

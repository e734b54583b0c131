// SPDX-License-Identifier: Apache-2.0
#include "json_cost.h"

#include <algorithm>
#include <string>
#include <vector>

namespace assay {
namespace {

// The parser's memory for an element of a list that is not closed yet. An element takes 80 bytes of
// the stack. While the stack grows, it also takes a place in a new stack of twice the size.
constexpr size_t kStackBytesPerElement = 240;
// `"",` becomes 12 bytes of FlatBuffer; no text makes more of a character. The builder grows as the
// stack does, and strings are copied in between.
constexpr size_t kResultBytesPerCharacter = 4;
constexpr size_t kMemoryPerCharacter = 3 * kResultBytesPerCharacter;

constexpr size_t kLevelsMax = 32;  // a graph has 9

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<JsonCost> Scan() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (IsSpace(c)) continue;
      ++characters_;
      if (c == '\0') return Problem("a zero byte");
      if (c == '/') return Problem("a comment, which JSON does not have");
      if ((c == '"' || c == '\'') && !SkipString(c)) return Problem("a string that does not end");
      if ((c == '[' || c == '{') && !Open()) return Problem("too many levels");
      if ((c == ']' || c == '}') && !Close()) return Problem(std::string("a ") + c + " too many");
      if (c == ',') CountElement();
    }
    if (!open_.empty()) return Problem("the end of the text inside of a list or table");
    return JsonCost{kStackBytesPerElement * most_elements_ + kMemoryPerCharacter * characters_,
                    kResultBytesPerCharacter * characters_};
  }

 private:
  Error Problem(const std::string& what) const {
    return BadInput("line " + std::to_string(line_) + ": " + what);
  }

  // Skips a string, from a quote to the matching one.
  bool SkipString(char quote) {
    const size_t start = at_;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\0' || text_[at_] == '\n') return false;
      if (text_[at_] == '\\') ++at_;
    }
    characters_ += at_ - start;
    return at_ < text_.size();
  }

  bool Open() {
    if (open_.size() == kLevelsMax) return false;
    open_.push_back(0);
    CountElement();
    return true;
  }

  // Counts an element of the list that is open now.
  void CountElement() {
    if (!open_.empty()) ++open_.back();
    most_elements_ = std::max(most_elements_, ++elements_);
  }

  bool Close() {
    if (open_.empty()) return false;
    elements_ -= open_.back();
    open_.pop_back();
    return true;
  }

  const std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t characters_ = 0;     // without space
  std::vector<size_t> open_;  // of each open bracket, its elements so far
  size_t elements_ = 0;       // of all of them
  size_t most_elements_ = 0;
};

}  // namespace

Result<JsonCost> CostOfJson(std::string_view text) { return Scanner(text).Scan(); }

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "verdict.h"

#include <algorithm>
#include <array>

#include "enum_names.h"

namespace assay {

std::string_view VerdictName(VerdictKind kind) {
  constexpr std::string_view kNames[] = {"agrees", "disagrees", "undecided"};
  return EntryOf(kNames, kind);
}

namespace {

constexpr std::array<std::string_view, 9> kViolations = {
    "value", "outcome", "crash", "time-out", "state", "type", "statistics", "flush", "plan"};

}  // namespace

std::string_view ViolationName(Violation violation) { return EntryOf(kViolations, violation); }

std::optional<Violation> ViolationNamed(std::string_view name) {
  return EnumNamed<Violation>(kViolations, name);
}

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsOfWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Returns true for a number, a shape or an element type as backends write them: "12", "0x7f",
// "1x2xi8", "f8E4M3FN".
bool IsDetail(std::string_view word) {
  if (IsDigit(word[0])) return true;
  for (const std::string_view prefix :
       {"i", "u", "f", "si", "ui", "bf", "fp", "int", "uint", "float"}) {
    if (word.size() > prefix.size() && word.starts_with(prefix) && IsDigit(word[prefix.size()])) {
      return true;
    }
  }
  return false;
}

// Returns a word of a backend without the parts that change from case to case. A detail becomes
// "#"; in other words, each number becomes "#", because it may be that of a tensor or a line.
std::string WithoutDetails(std::string_view word) {
  if (IsDetail(word)) return "#";
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    if (!IsDigit(word[i])) text += word[i];
    if (IsDigit(word[i]) && !IsDigit(word[i - 1])) text += '#';
  }
  return text;
}

// A list of details, as the shape "1, 2, 3" or "1,2,3", is one detail.
std::string WordsWithoutDetails(std::string_view words) {
  std::string text;
  for (size_t i = 0; i < words.size();) {
    size_t end = i;
    while (end < words.size() && IsOfWord(words[end])) ++end;
    text += end > i ? WithoutDetails(words.substr(i, end - i)) : std::string(1, words[end++]);
    i = end;
    for (const std::string_view list : {"#,#", "#, #"}) {
      if (text.ends_with(list)) text.resize(text.size() - list.size() + 1);
    }
  }
  return text;
}

// Returns a message without details. Its parts stand between " | "; parts that repeat an earlier
// part for another place are left out.
std::string DistinctWords(std::string_view message) {
  constexpr std::string_view kSeparator = " | ";
  std::string text;
  for (size_t start = 0; start < message.size();) {
    const size_t end = std::min(message.find(kSeparator, start), message.size());
    const std::string part = WordsWithoutDetails(message.substr(start, end - start));
    if (text.find(part) == std::string::npos) text += (text.empty() ? "" : "|") + part;
    start = end + kSeparator.size();
  }
  return text;
}

}  // namespace

std::string Finding::Complaint() const {
  if (!HasNoResults(violation) && violation != Violation::kOutcome) return "";
  const std::string where = pass.empty() ? "" : WordsWithoutDetails(pass) + "|";
  // The load of the machine decides which of two limits is reached first.
  const std::string words = violation == Violation::kTimeOut ? "" : DistinctWords(message);
  return std::string(ViolationName(violation)) + "|" + rule + "|" + where + words;
}

std::string Finding::Signature() const {
  const std::string complaint = Complaint();
  const std::string name(graph.empty() ? OperatorName(op) : graph);
  if (!complaint.empty()) return pass.empty() ? complaint + "|" + name : complaint;
  return std::string(ViolationName(violation)) + "|" + rule + "|" + name + "|" +
         std::string(TypeName(type)) + (rests_on.empty() ? "" : "|" + rests_on);
}

}  // namespace assay

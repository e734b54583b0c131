// SPDX-License-Identifier: Apache-2.0
#include "mlir_location.h"

#include "mlir_syntax.h"
#include "parse_number.h"

namespace assay {
namespace {

constexpr int kLocationDepthMax = 64;  // of locations inside each other: the reader recurses

// Returns the end of the quoted string at the start of `text`, behind its last quote.
size_t StringEnd(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

std::string Location(std::string_view text, int depth);

// Joins the locations that are known.
std::string JoinedLocations(const std::vector<std::string>& locations, std::string_view between,
                            int depth) {
  std::string joined;
  for (const std::string& one : locations) {
    const std::string location = Location(one, depth);
    if (location.empty()) continue;
    joined += (joined.empty() ? "" : std::string(between)) + location;
  }
  return joined;
}

// Returns the position of " at " outside strings and brackets, which stands between the two
// locations of a call.
size_t CallerAt(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i += StringEnd(text.substr(i)) - 1;
    } else if (c == '(' || c == '[' || c == '<') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '>') {
      --depth;
    } else if (depth == 0 && text.substr(i, 4) == " at ") {
      return i;
    }
  }
  return std::string_view::npos;
}

// Returns the locations of `fused<...>[...]`; nothing for any other text.
std::optional<std::vector<std::string>> FusedList(std::string_view text) {
  if (!text.starts_with("fused") || !text.ends_with(']')) return std::nullopt;
  const std::string_view list = text.substr(0, text.size() - 1);
  size_t start = list.find('[');
  if (list.starts_with("fused<")) {  // metadata may have brackets of its own
    start = list.find(">[");
    if (start != std::string_view::npos) ++start;
  }
  if (start == std::string_view::npos) return std::nullopt;
  return SplitMlir(list.substr(start + 1));
}

std::string Location(std::string_view text, int depth) {
  if (depth > kLocationDepthMax || text == "unknown") return {};
  if (text.starts_with('"')) {
    const size_t end = StringEnd(text);
    const std::string name = UnquotedMlir(text.substr(0, end));
    std::string_view rest = text.substr(end);
    if (!rest.starts_with('(') || !rest.ends_with(')')) return name + std::string(rest);
    const std::string of_child = Location(rest.substr(1, rest.size() - 2), depth + 1);
    return of_child.empty() ? name : name + " (" + of_child + ")";
  }
  if (const auto list = FusedList(text)) return JoinedLocations(*list, ", ", depth + 1);
  if (text.starts_with("callsite(") && text.ends_with(')')) {
    const std::string_view call = text.substr(9, text.size() - 10);
    const size_t at = CallerAt(call);
    if (at != std::string_view::npos) {
      return JoinedLocations({std::string(call.substr(0, at)), std::string(call.substr(at + 4))},
                             " at ", depth + 1);
    }
  }
  return std::string(text);
}

std::string LocationName(std::string_view text, int depth) {
  if (depth > kLocationDepthMax) return {};
  if (text.starts_with('"')) {
    const size_t end = StringEnd(text);
    const bool is_name = end == text.size() || text[end] == '(';
    return is_name ? UnquotedMlir(text.substr(0, end)) : "";
  }
  for (const std::string& one : FusedList(text).value_or(std::vector<std::string>())) {
    std::string name = LocationName(one, depth + 1);
    if (!name.empty()) return name;
  }
  return {};
}

}  // namespace

std::string UnquotedMlir(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  const auto is_digit = [](char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
  };
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size() && is_digit(text[i + 1]) && is_digit(text[i + 2])) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string MlirLocation(std::string_view text) { return Location(text, 0); }

std::string MlirLocationName(std::string_view text) { return LocationName(text, 0); }

std::optional<std::pair<size_t, size_t>> MlirPosition(std::string_view text,
                                                      std::string_view file) {
  const size_t end = text.starts_with('"') ? StringEnd(text) : text.size();
  if (end == text.size() || UnquotedMlir(text.substr(0, end)) != file) return std::nullopt;
  const std::string_view numbers = text.substr(end);
  const size_t colon = numbers.rfind(':');
  size_t line = 0, column = 0;
  if (colon == 0 || !ParseNumber(numbers.substr(1, colon - 1), line) ||
      !ParseNumber(numbers.substr(colon + 1), column)) {
    return std::nullopt;
  }
  return std::pair(line, column);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "mlir_syntax.h"

#include <algorithm>

#include "mlir_location.h"

namespace assay {
namespace {

constexpr int kDepthMax = 64;  // of regions: the reader recurses

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the end of the text that starts at `from`. The text ends at the first of `stops` outside
// brackets and strings, at a bracket that closes none of its own, or at the end.
size_t BalancedEnd(std::string_view text, size_t from, std::string_view stops) {
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && stops.find(c) != std::string_view::npos) return i;
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if ((c == ')' || c == ']' || c == '}' || c == '>') && !arrow && --depth < 0) return i;
  }
  return text.size();
}

// Does what SplitMlir() does. The pieces lie in the text.
std::vector<std::string_view> Pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  text = Trim(text);
  while (!text.empty()) {
    const size_t end = BalancedEnd(text, 0, ",");
    pieces.push_back(Trim(text.substr(0, end)));
    text = end < text.size() ? Trim(text.substr(end + 1)) : std::string_view();
  }
  return pieces;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view name, std::span<const std::string> places)
      : text_(text), name_(name), places_(places) {}

  Result<std::vector<MlirOperation>> Parse() {
    std::vector<MlirOperation> operations;
    while (!failed_ && SkipSpace()) operations.push_back(Operation(0));
    if (failed_) return Error{kind_, problem_};
    return operations;
  }

 private:
  int Line() {
    for (; counted_ < at_; ++counted_) line_ += text_[counted_] == '\n' ? 1 : 0;
    return line_;
  }

  void Fail(const std::string& what, Error::Kind kind = Error::Kind::kBadInput) {
    if (failed_) return;
    failed_ = true;
    kind_ = kind;
    problem_ = PlaceOfLine() + ": " + what;
    at_ = text_.size();
  }

  std::string PlaceOfLine() { return std::string(name_) + ":" + std::to_string(Line()); }

  // Returns the place of the next operation.
  std::string Place() {
    if (places_.empty()) return PlaceOfLine();
    const size_t number = operations_++;
    const bool is_known = number < places_.size() && !places_[number].empty();
    return is_known ? places_[number] : std::string(name_);
  }

  // Fails for text that is not an operation in generic form. The pretty form starts with a name,
  // and aliases start with # or !.
  void FailAsOtherForm() {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    Fail("expected an operation in generic form, \"name\"(...)",
         is_letter || c == '#' || c == '!' || c == '{' ? Error::Kind::kUnsupported
                                                       : Error::Kind::kBadInput);
  }

  // Skips spaces and comments. Returns false at the end.
  bool SkipSpace() {
    while (at_ < text_.size()) {
      if (IsSpace(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return true;
      }
    }
    return false;
  }

  bool Take(std::string_view token) {
    SkipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void Expect(std::string_view token) {
    if (!Take(token)) Fail("expected '" + std::string(token) + "'");
  }

  // Returns everything up to `stop` outside brackets. Skips `stop` as well.
  std::string_view Until(char stop) {
    const size_t end = BalancedEnd(text_, at_, std::string_view(&stop, 1));
    if (end >= text_.size() || text_[end] != stop) {
      Fail(std::string("expected '") + stop + "'");
      return {};
    }
    const std::string_view found = Trim(text_.substr(at_, end - at_));
    at_ = end + 1;
    return found;
  }

  std::string Word() {
    SkipSpace();
    const size_t start = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_]) &&
           std::string_view(",:=()[]{}<>\"").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    if (at_ == start) Fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }

  void Results(MlirOperation& operation) {
    do {
      const std::string result = Word();
      if (!Take(":")) {
        operation.results.push_back(result);
        continue;
      }
      const std::string digits = Word();
      if (digits.empty() || digits.size() > 4 ||
          digits.find_first_not_of("0123456789") != std::string::npos) {
        return Fail("expected a number of results");
      }
      for (int i = 0; i < std::stoi(digits); ++i) {
        operation.results.push_back(result + "#" + std::to_string(i));
      }
    } while (Take(","));
    Expect("=");
  }

  void AttributeList(MlirOperation& operation) {
    for (const std::string_view entry : Pieces(Until('}'))) {
      const size_t equals = BalancedEnd(entry, 0, "=");
      const std::string_view name = Trim(entry.substr(0, equals));
      const std::string_view value = equals < entry.size() ? Trim(entry.substr(equals + 1)) : "";
      operation.attributes.emplace_back(name, value);
    }
  }

  MlirRegion Region(int depth) {
    MlirRegion region;
    if (Take("^")) {
      Word();
      if (Take("(")) {
        for (const std::string_view argument : Pieces(Until(')'))) {
          const size_t colon = BalancedEnd(argument, 0, ":");
          if (colon == argument.size()) Fail("expected the type of a block argument");
          if (failed_) return region;
          const std::string_view rest = Trim(argument.substr(colon + 1));
          const size_t end = BalancedEnd(rest, 0, " ");
          std::string_view location = Trim(rest.substr(end));
          const bool is_there = location.starts_with("loc(") && location.ends_with(')');
          location = is_there ? location.substr(4, location.size() - 5) : "";
          region.arguments.push_back({std::string(Trim(argument.substr(0, colon))),
                                      std::string(rest.substr(0, end)), location});
        }
      }
      Expect(":");
    }
    while (!failed_ && !Take("}")) {
      if (Take("^")) Fail("a region with several blocks");
      if (!SkipSpace()) Fail("expected '}'");
      if (!failed_) region.operations.push_back(Operation(depth));
    }
    return region;
  }

  // Reads "loc(...)" if there is one. A place in this file says no more than `place` does.
  void Location(MlirOperation& operation) {
    if (!Take("loc(")) return;
    const std::string_view text = Until(')');
    if (text.starts_with('#'))
      return Fail("expected a location, not an alias", Error::Kind::kUnsupported);
    operation.location = MlirLocation(text);
    const std::string_view location = operation.location;
    const bool is_here =
        location.starts_with(name_) && location.substr(name_.size()).starts_with(':') &&
        location.find_first_not_of("0123456789:", name_.size()) == std::string_view::npos;
    if (is_here) operation.location.clear();
  }

  MlirOperation Operation(int depth) {
    MlirOperation operation;
    SkipSpace();
    operation.place = Place();
    if (depth > kDepthMax) Fail("regions nested too deeply");
    if (at_ < text_.size() && text_[at_] == '%') Results(operation);
    if (!Take("\"")) FailAsOtherForm();
    if (failed_) return operation;
    operation.name = Until('"');
    Expect("(");
    operation.operands = SplitMlir(Until(')'));
    if (Take("<{")) {
      AttributeList(operation);
      operation.properties = operation.attributes.size();
      Expect(">");
    }
    if (Take("(")) {
      do {
        Expect("{");
        operation.regions.push_back(Region(depth + 1));
      } while (!failed_ && Take(","));
      Expect(")");
    }
    if (Take("{")) AttributeList(operation);
    Expect(":");
    Expect("(");
    operation.operand_types = SplitMlir(Until(')'));
    Expect("->");
    if (Take("(")) {
      operation.result_types = SplitMlir(Until(')'));
    } else if (!failed_) {
      SkipSpace();
      const size_t end = BalancedEnd(text_, at_, " \n\r\t");
      operation.result_types.emplace_back(text_.substr(at_, end - at_));
      at_ = end;
    }
    Location(operation);
    if (operation.operands.size() != operation.operand_types.size() ||
        operation.results.size() != operation.result_types.size()) {
      Fail(operation.name + " has more or fewer types than values");
    }
    return operation;
  }

  std::string_view text_;
  std::string_view name_;
  std::span<const std::string> places_;
  size_t operations_ = 0;  // so far
  size_t at_ = 0;
  size_t counted_ = 0;  // the position whose line number is line_
  int line_ = 1;
  bool failed_ = false;
  Error::Kind kind_ = Error::Kind::kBadInput;
  std::string problem_;
};

}  // namespace

std::string_view MlirOperation::Attribute(std::string_view attribute) const {
  for (const auto& [known, text] : attributes) {
    if (known == attribute) return text;
  }
  return {};
}

std::vector<std::string> SplitMlir(std::string_view text) {
  const std::vector<std::string_view> pieces = Pieces(text);
  return {pieces.begin(), pieces.end()};
}

std::vector<MlirProperties> TosaPropertiesIn(std::string_view text, std::string_view name) {
  constexpr std::string_view kStart = "\"tosa.";
  constexpr size_t kShownMax = 64;  // constants are long
  std::vector<MlirProperties> found;
  size_t line = 1, counted = 0;
  for (size_t at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart, at)) {
    const size_t start = at + 1;
    at = std::min(text.find('"', start), text.size());
    const std::string_view operation = text.substr(start, at - start);
    if (text.substr(at, 2) != "\"(") continue;
    const size_t operands_end = BalancedEnd(text, at + 2, ")");
    size_t next = operands_end + 1;
    while (next < text.size() && IsSpace(text[next])) ++next;
    if (next >= text.size() || text.substr(next, 2) != "<{") continue;
    const size_t end = BalancedEnd(text, next + 2, "}");
    for (; counted < start; ++counted) line += text[counted] == '\n' ? 1 : 0;
    MlirProperties properties{
        std::string(name) + ":" + std::to_string(line), std::string(operation), {}};
    for (const std::string& entry : SplitMlir(text.substr(next + 2, end - next - 2))) {
      const size_t equals = BalancedEnd(entry, 0, "=");
      const std::string_view value =
          Trim(std::string_view(entry).substr(std::min(equals + 1, entry.size())));
      properties.attributes.emplace_back(Trim(std::string_view(entry).substr(0, equals)),
                                         value.substr(0, kShownMax));
    }
    found.push_back(std::move(properties));
    at = end;
  }
  return found;
}

Result<std::vector<MlirOperation>> ParseMlir(std::string_view text, std::string_view name,
                                             std::span<const std::string> places) {
  return Parser(text, name, places).Parse();
}

}  // namespace assay

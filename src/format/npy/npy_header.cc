// SPDX-License-Identifier: Apache-2.0
#include "npy_header.h"

#include <charconv>

#include "joined.h"

namespace assay {
namespace {

// A cursor over Python literals. After a function returns false or nothing, its position is
// undefined.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Take(std::string_view token) {
    SkipBlanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string> String() {
    SkipBlanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return std::string(content);
  }

  std::optional<bool> Bool() {
    if (Take("True")) return true;
    if (Take("False")) return false;
    return std::nullopt;
  }

  std::optional<std::vector<int64_t>> Tuple() {
    std::vector<int64_t> values;
    if (!Take("(")) return std::nullopt;
    while (!Take(")")) {
      SkipBlanks();
      int64_t value = 0;
      const auto end = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (end.ec != std::errc() || value < 0) return std::nullopt;
      text_.remove_prefix(static_cast<size_t>(end.ptr - text_.data()));
      values.push_back(value);
      Take("L");  // Python 2 marked long integers
      if (!Take(",")) return Take(")") ? std::optional(values) : std::nullopt;
    }
    return values;
  }

  bool AtEnd() {
    SkipBlanks();
    return text_.empty();
  }

 private:
  void SkipBlanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) {
      text_.remove_prefix(1);
    }
  }

  std::string_view text_;
};

}  // namespace

std::optional<NpyHeader> ParseNpyHeader(std::string_view text) {
  Parser parser(text);
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int64_t>> shape;
  if (!parser.Take("{")) return std::nullopt;
  while (!parser.Take("}")) {
    const std::optional<std::string> key = parser.String();
    if (!key || !parser.Take(":")) return std::nullopt;
    if (*key == "descr" && !descr) {
      descr = parser.String();
      if (!descr) return std::nullopt;
    } else if (*key == "fortran_order" && !fortran_order) {
      fortran_order = parser.Bool();
      if (!fortran_order) return std::nullopt;
    } else if (*key == "shape" && !shape) {
      shape = parser.Tuple();
      if (!shape) return std::nullopt;
    } else {
      return std::nullopt;
    }
    if (!parser.Take(",")) {
      if (!parser.Take("}")) return std::nullopt;
      break;
    }
  }
  if (!descr || !fortran_order || !shape || !parser.AtEnd()) return std::nullopt;
  return NpyHeader{*descr, *fortran_order, *shape};
}

std::string NpyHeaderText(const NpyHeader& header) {
  std::string shape = Joined(header.shape, ", ", [](int64_t dim) { return std::to_string(dim); });
  if (header.shape.size() == 1) shape += ",";
  return "{'descr': '" + header.descr +
         "', 'fortran_order': " + (header.fortran_order ? "True" : "False") + ", 'shape': (" +
         shape + "), }";
}

}  // namespace assay

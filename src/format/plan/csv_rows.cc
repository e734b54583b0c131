// SPDX-License-Identifier: Apache-2.0
#include "csv_rows.h"

#include <charconv>

#include "quoted.h"

namespace assay {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

CsvRows::CsvRows(std::string_view text, std::string_view name) : text_(text), name_(name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

Error CsvRows::Problem(size_t column, const std::string& what) const {
  return BadInput(name_ + ": line " + std::to_string(line_) + ", column " + std::to_string(column) +
                  ": " + what);
}

void CsvRows::SkipBlanks() {
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
}

void CsvRows::TakePlain() {
  const size_t start = at_;
  while (!AtLineEnd() && text_[at_] != ',') ++at_;
  size_t end = at_;
  while (end > start && IsBlank(text_[end - 1])) --end;
  fields_.push_back({text_.substr(start, end - start), start - line_start_ + 1});
}

Result<Done> CsvRows::TakeQuoted() {
  const size_t column = Column();
  std::string& field = unquoted_.emplace_back();
  for (++at_;; ++at_) {
    if (AtLineEnd()) return Problem(column, "a quote without its counterpart in the line");
    if (text_[at_] == '"') {
      ++at_;
      if (AtLineEnd() || text_[at_] != '"') break;
    }
    field += text_[at_];
  }
  SkipBlanks();
  if (!AtLineEnd() && text_[at_] != ',') return Problem(Column(), "text behind a quoted field");
  fields_.push_back({field, column});
  return Done{};
}

Result<Done> CsvRows::TakeRow() {
  fields_.clear();
  unquoted_.clear();
  line_start_ = at_;
  ++line_;
  while (true) {
    SkipBlanks();
    if (!AtLineEnd() && text_[at_] == '"') {
      const Result<Done> taken = TakeQuoted();
      if (!taken) return taken.error();
    } else {
      TakePlain();
    }
    const bool is_last = AtLineEnd();
    if (at_ < text_.size()) ++at_;  // the comma or the line's end
    if (is_last) return Done{};
  }
}

Result<bool> CsvRows::Next() {
  while (at_ < text_.size()) {
    const Result<Done> row = TakeRow();
    if (!row) return row.error();
    for (const Field& field : fields_) {
      if (!field.text.empty()) return true;
    }
  }
  return false;
}

Result<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc::result_out_of_range) {
    return BadInput(Quoted(text) + " is beyond 64 bits");
  }
  if (read.ec != std::errc() || read.ptr != end) {
    return BadInput(Quoted(text) + " is not a whole number");
  }
  return value;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// Reads the rows of comma-separated text. It accepts all line ends, skips empty rows, reads fields
// in double quotes (RFC 4180), and strips blanks around fields.
class CsvRows {
 public:
  struct Field {
    std::string_view text;
    size_t column;  // of its first byte in its line, from 1
  };

  // `text` must outlive the fields; `name` is for errors.
  CsvRows(std::string_view text, std::string_view name);

  // Moves to the next row that is not empty. Returns false at the end.
  Result<bool> Next();

  const std::vector<Field>& fields() const { return fields_; }
  size_t line() const { return line_; }  // of the row, from 1

  // Returns the Error `NAME: line 3, column 7: what`.
  Error Problem(size_t column, const std::string& what) const;

 private:
  Result<Done> TakeRow();
  Result<Done> TakeQuoted();
  void TakePlain();
  size_t Column() const { return at_ - line_start_ + 1; }
  bool AtLineEnd() const { return at_ == text_.size() || text_[at_] == '\n'; }
  void SkipBlanks();

  std::string_view text_;
  std::string name_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  size_t line_ = 0;
  std::vector<Field> fields_;
  std::deque<std::string> unquoted_;  // fields that differ from their text
};

// Parses a whole number in base 10 and nothing else. An Error says what is wrong with it.
Result<int64_t> WholeNumber(std::string_view text);

}  // namespace assay

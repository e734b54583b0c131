// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attributes.h"
#include "operator_table.h"
#include "result.h"

namespace assay {

// Returns true for the attributes that are tensors: values, initial_value, min_val and max_val.
constexpr bool HoldsTensor(AttributeId attribute) {
  return attribute == AttributeId::kValues || attribute == AttributeId::kInitialValue ||
         attribute == AttributeId::kMinVal || attribute == AttributeId::kMaxVal;
}

// Parse the texts of graph_text.h. The Error is one line, `column 4: what is wrong`.

// Parses "i8[3]" or "fp32[]".
Result<TensorType> ParseTensorType(std::string_view text);

// Parses "i8[3]{-5,0,7}", "fp32[2]{nan,-inf}", "bool[]{true}", "shape[2]{3,1}" or "i4[2,2]{1}". One
// element stands for all.
Result<Tensor> ParseTensor(std::string_view text);

// Parses "perms=[1,0]", "acc_type=i32" or "min_val=i8[]{-1}", an attribute of an operator.
Result<Attributes::Entry> ParseAttribute(Op op, std::string_view text);

// Adds the attributes of an operator that people leave out: flags are false, nan_mode is PROPAGATE,
// and rounding_mode is SINGLE_ROUND. Those that the specification calls optional stay out.
void AddUsualAttributes(Op op, Attributes& attributes);

// Reads a text from left to right: words, names, types and values. Blanks and comments, from '#' to
// the end of the line, may come before each; line ends too, inside of brackets. A function that
// returns bool returns false, and has set error(), if the text has something else.
class ValueParser {
 public:
  // The most bytes of all tensors that have one element for all of several.
  static constexpr int64_t kSplatBytesMax = int64_t{1} << 28;

  // Errors begin with `name`, the line and the column; if it is "", with the column alone.
  ValueParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  // Returns the position of the next thing.
  size_t Here();
  bool AtEnd() { return Here() == text_.size(); }
  // Returns the next character, '\n' at the end of a line, '\0' at the end of the text.
  char Next();
  // Passes over a character if it is next.
  bool Skips(char c);
  // Passes over a character, which must be next.
  bool Take(char c);
  // Returns the word that comes next, "" if none does: up to a blank or one of `,=(){}[]"%#`.
  std::string_view Word();
  // Passes over a word if it is next.
  bool SkipsWord(std::string_view word);

  // Text in quotes, with the escapes of Quoted().
  bool QuotedText(std::string& text);
  // A word, or text in quotes.
  bool WordOrQuoted(std::string& text);
  bool Type(TensorType& type);
  // A list of numbers, "[1,0]".
  bool Numbers(std::vector<int32_t>& numbers);
  // One element, as Tensor::FromIntegers() takes it.
  bool Element(DType type, int64_t& word);
  // A type and elements.
  bool Value(Tensor& value);
  // The value of an attribute, in the form that its row says.
  bool Attribute(const ArgumentRow& row, AttributeValue& value);

  // Sets the error: what is wrong at a position. Returns false.
  bool Fail(size_t place, const std::string& what);
  const Error& error() const { return *error_; }

 protected:
  std::string_view text_;
  std::string_view name_;
  size_t at_ = 0;

 private:
  int depth_ = 0;  // of brackets
  int64_t splat_bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace assay

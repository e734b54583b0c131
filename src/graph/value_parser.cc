// SPDX-License-Identifier: Apache-2.0
#include "value_parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "enum_names.h"
#include "float_format.h"
#include "parse_number.h"
#include "quoted.h"

namespace assay {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kWordEnds = " \t\r\n,=(){}[]\"%#";

bool ParseBits(std::string_view digits, uint32_t& bits) {
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  return end.ec == std::errc() && end.ptr == digits.data() + digits.size();
}

bool ParseFloat(DType type, std::string_view text, int64_t& word) {
  uint32_t bits = 0;
  if (text.starts_with("0x")) {
    if (!ParseBits(text.substr(2), bits) || uint64_t{bits} >> (8 * ElementBytes(type)) != 0) {
      return false;
    }
  } else if (float single = 0; type == DType::kFp32 && ParseNumber(text, single)) {
    bits = EncodeFloat(type, single);  // rounded once
  } else if (double value = 0; ParseNumber(text, value)) {
    bits = EncodeFloat(type, value);
  } else {
    return false;
  }
  word = bits;
  return true;
}

bool ParseElement(DType type, std::string_view text, int64_t& word) {
  if (IsFloat(type)) return ParseFloat(type, text, word);
  if (type == DType::kBool && (text == "true" || text == "false")) {
    word = text == "true";
    return true;
  }
  // Files hold -8 in an i4, too.
  const int64_t least = type == DType::kInt4 ? -8 : MinimumInteger(type);
  return ParseNumber(text, word) && word >= least && word <= MaximumInteger(type);
}

std::optional<int32_t> ParseEnumerator(AttributeId attribute, std::string_view text) {
  if (text == "UNKNOWN" || text == "unknown") return 0;
  if (const auto index = EnumNamed<int32_t>(EnumeratorNames(attribute), text)) return *index + 1;
  const bool is_type = attribute == AttributeId::kAccType || attribute == AttributeId::kType;
  if (const auto type = TypeByName(text); is_type && type) return static_cast<int32_t>(*type);
  int32_t number = 0;
  const bool is_number = !is_type && EnumeratorNames(attribute).empty();
  return is_number && ParseNumber(text, number) ? std::optional(number) : std::nullopt;
}

// Parses all of `text` as one thing.
template <class T, class Parse>
Result<T> Whole(std::string_view text, Parse parse) {
  ValueParser in(text, "");
  T thing;
  if (!parse(in, thing)) return in.error();
  if (!in.AtEnd() && !in.Fail(in.Here(), "there is more than one value")) return in.error();
  return thing;
}

}  // namespace

size_t ValueParser::Here() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
    } else if (kBlanks.find(c) == std::string_view::npos && (c != '\n' || depth_ == 0)) {
      break;
    }
  }
  return at_;
}

char ValueParser::Next() {
  const size_t here = Here();
  return here < text_.size() ? text_[here] : '\0';
}

bool ValueParser::Skips(char c) {
  if (Here() >= text_.size() || text_[at_] != c) return false;
  ++at_;
  if (std::strchr("([{", c) != nullptr) ++depth_;
  if (std::strchr(")]}", c) != nullptr && depth_ > 0) --depth_;
  return true;
}

bool ValueParser::Take(char c) {
  if (Skips(c)) return true;
  return Fail(Here(), std::string("'") + c + "' is missing here");
}

std::string_view ValueParser::Word() {
  const size_t begin = Here();
  at_ = std::min(text_.find_first_of(kWordEnds, begin), text_.size());
  return text_.substr(begin, at_ - begin);
}

bool ValueParser::SkipsWord(std::string_view word) {
  const size_t begin = Here();
  if (Word() == word) return true;
  at_ = begin;
  return false;
}

bool ValueParser::QuotedText(std::string& text) {
  const size_t begin = Here();
  if (!Take('"')) return false;
  text.clear();
  for (; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
    if (text_[at_] != '\\') {
      text += text_[at_];
      continue;
    }
    uint32_t byte = 0;
    if (text_.substr(at_, 2) != "\\x" || at_ + 4 > text_.size() ||
        !ParseBits(text_.substr(at_ + 2, 2), byte)) {
      return Fail(at_, "a backslash begins \\xNN, a byte in two hexadecimal digits");
    }
    text += static_cast<char>(byte);
    at_ += 3;
  }
  if (at_ >= text_.size() || text_[at_] != '"') return Fail(begin, "the closing quote is missing");
  ++at_;
  if (!text_.substr(at_).starts_with("...")) return true;
  return Fail(at_, "the rest of the name is left out; `assay show --full` prints all of it");
}

bool ValueParser::WordOrQuoted(std::string& text) {
  if (Next() == '"') return QuotedText(text);
  const size_t begin = Here();
  text = Word();
  return !text.empty() || Fail(begin, "a name is missing here");
}

bool ValueParser::Type(TensorType& type) {
  const size_t begin = Here();
  const std::string_view word = Word();
  const auto named = TypeByName(word);
  if (!named) return Fail(begin, Quoted(word) + " is no type, such as i8[2,3]");
  type.type = *named;
  std::vector<int32_t> dims;
  if (!Numbers(dims)) return false;
  if (dims.size() > Shape::kMaxRank) {
    return Fail(begin, "rank " + std::to_string(dims.size()) + " is above " +
                           std::to_string(Shape::kMaxRank));
  }
  type.shape = Shape(dims);
  return true;
}

bool ValueParser::Numbers(std::vector<int32_t>& numbers) {
  if (!Take('[')) return false;
  while (Next() != ']') {
    if (!numbers.empty() && !Take(',')) return false;
    const size_t begin = Here();
    const std::string_view word = Word();
    if (!ParseNumber(word, numbers.emplace_back())) {
      return Fail(begin, Quoted(word) + " is no whole number of 32 bits");
    }
  }
  return Take(']');
}

bool ValueParser::Element(DType type, int64_t& word) {
  const size_t begin = Here();
  const std::string_view text = Word();
  if (ParseElement(type, text, word)) return true;
  if (text == "...") {
    return Fail(begin, "values are left out here; `assay show --full` prints all of them");
  }
  return Fail(begin, Quoted(text) + " is no value of " + std::string(TypeName(type)));
}

bool ValueParser::Value(Tensor& value) {
  const size_t begin = Here();
  TensorType type;
  if (!Type(type) || !Take('{')) return false;
  const auto width = static_cast<size_t>(ElementBytes(type.type));
  const int64_t elements = type.shape.Elements();
  std::vector<uint8_t> bytes;
  int64_t word = 0, count = 0;
  while (Next() != '}') {
    if (count > 0 && !Take(',')) return false;
    if (!Element(type.type, word)) return false;
    const auto* from = reinterpret_cast<const uint8_t*>(&word);
    bytes.insert(bytes.end(), from, from + width);
    ++count;
  }
  if (count == 1 && elements != 1) {
    // The product is below 2^63: a type has at most 8 bytes, and more elements are refused first.
    if (elements > kSplatBytesMax ||
        (splat_bytes_ += elements * ElementBytes(type.type)) > kSplatBytesMax) {
      return Fail(begin, "tensors of one value for all elements have more than 256 MiB");
    }
    value = Tensor::Splat(type.type, type.shape, word);
    return Take('}');
  }
  if (count != elements) {
    return Fail(begin, type.ToString() + " takes " + std::to_string(elements) +
                           " values, or one for all, and here are " + std::to_string(count));
  }
  value = Tensor::FromBytes(type.type, type.shape, std::move(bytes));
  return Take('}');
}

bool ValueParser::Attribute(const ArgumentRow& row, AttributeValue& value) {
  const size_t begin = Here();
  if (HoldsTensor(*row.attribute)) return Value(value.emplace<Tensor>());
  if (row.type == "tensor_t") return Numbers(value.emplace<std::vector<int32_t>>());
  if (row.type == "String" || row.type == "tosa_graph_t") {
    return WordOrQuoted(value.emplace<std::string>());
  }
  const std::string_view word = Word();
  if (row.type == "bool_t") {
    value = word == "true";
    return word == "true" || word == "false" ||
           Fail(begin, Quoted(word) + " is neither true nor false");
  }
  const std::optional<int32_t> number = ParseEnumerator(*row.attribute, word);
  if (!number) return Fail(begin, Quoted(word) + " is no value of " + std::string(row.name));
  value = *number;
  return true;
}

bool ValueParser::Fail(size_t place, const std::string& what) {
  if (error_) return false;
  const std::string_view before = text_.substr(0, place);
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string column = std::to_string(place - line_begin + 1);
  const std::string line = std::to_string(1 + std::ranges::count(before, '\n'));
  error_ = BadInput(
      (name_.empty() ? "column " + column : std::string(name_) + ":" + line + ":" + column) + ": " +
      what);
  return false;
}

Result<TensorType> ParseTensorType(std::string_view text) {
  return Whole<TensorType>(text, [](ValueParser& in, TensorType& type) { return in.Type(type); });
}

Result<Tensor> ParseTensor(std::string_view text) {
  return Whole<Tensor>(text, [](ValueParser& in, Tensor& tensor) { return in.Value(tensor); });
}

Result<Attributes::Entry> ParseAttribute(Op op, std::string_view text) {
  return Whole<Attributes::Entry>(text, [op](ValueParser& in, Attributes::Entry& entry) {
    const std::string_view name = in.Word();
    const auto id = AttributeByName(name);
    const ArgumentRow* row = id ? FindAttribute(op, *id) : nullptr;
    if (row == nullptr) {
      return in.Fail(0, std::string(OperatorName(op)) + " has no attribute " + Quoted(name));
    }
    entry.first = *id;
    return in.Take('=') && in.Attribute(*row, entry.second);
  });
}

void AddUsualAttributes(Op op, Attributes& attributes) {
  for (const ArgumentRow& row : RowOf(op).arguments) {
    if (!row.attribute || row.optional || attributes.Has(*row.attribute)) continue;
    if (row.type == "bool_t") attributes.Set(*row.attribute, false);
    const bool is_mode =
        row.attribute == AttributeId::kNanMode || row.attribute == AttributeId::kRoundingMode;
    if (is_mode) attributes.Set(*row.attribute, 1);
  }
}

}  // namespace assay

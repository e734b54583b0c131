// SPDX-License-Identifier: Apache-2.0
#include "mlir_values.h"

#include <algorithm>
#include <charconv>

#include "float_format.h"
#include "mlir_syntax.h"
#include "mlir_types.h"
#include "packing.h"
#include "parse_number.h"

namespace assay {
namespace {

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view TrimSpaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> ParseInteger(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads one element in the form that Tensor::FromIntegers takes.
std::optional<int64_t> Element(std::string_view text, DType type) {
  if (text == "true" || text == "false") {
    return type == DType::kBool ? std::optional<int64_t>(text == "true") : std::nullopt;
  }
  if (IsFloat(type)) {
    if (TakePrefix(text, "0x")) {
      const auto bits = ParseInteger<uint32_t>(text, 16);
      return bits ? std::optional<int64_t>(*bits) : std::nullopt;
    }
    double value = 0;
    if (!ParseNumber(text, value)) return std::nullopt;
    return EncodeFloat(type, value);
  }
  return ParseInteger<int64_t>(text);
}

// Reads the elements of "[[1, 2], [3, 4]]", of any nesting, in order.
bool Elements(std::string_view text, DType type, std::vector<int64_t>& out) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t start = text.find_first_not_of("[], ", at);
    if (start == std::string_view::npos) return true;
    at = std::min(text.find_first_of("[], ", start), text.size());
    const auto element = Element(text.substr(start, at - start), type);
    if (!element) return false;
    out.push_back(*element);
  }
  return true;
}

// Reads the bytes of "\"0x00FF\"", little-endian elements.
bool HexBytes(std::string_view text, std::vector<uint8_t>& out) {
  if (!TakePrefix(text, "\"0x") || !text.ends_with('"')) return false;
  text.remove_suffix(1);
  if (text.size() % 2 != 0) return false;
  out.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const auto byte = ParseInteger<uint8_t>(text.substr(i, 2), 16);
    if (!byte) return false;
    out.push_back(*byte);
  }
  return true;
}

// Reads elements in the storage form that MLIR prints in hexadecimal. bool has eight elements a
// byte, the first in the lowest bit. i4 is in the low half of a byte; the high half is ignored. i48
// has six bytes. All others are as in a Tensor. There may be one element for all.
std::optional<Tensor> OfStorage(const TensorType& type, std::vector<uint8_t> bytes) {
  const int64_t count = type.shape.Elements();
  const auto size = static_cast<int64_t>(bytes.size());
  if (type.type == DType::kInt48) {
    if (size % 6 != 0 || size / 6 != count) return std::nullopt;
    return *Unpack(type.type, type.shape, bytes);
  }
  if (type.type == DType::kBool) {
    if (size != count / 8 + (count % 8 != 0)) return std::nullopt;
    std::vector<uint8_t> elements;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      elements.push_back((bytes[i / 8] >> (i % 8)) & 1);
    }
    return Tensor::FromBytes(type.type, type.shape, std::move(elements));
  }
  if (type.type == DType::kInt4) {
    std::vector<int64_t> elements;
    for (const uint8_t byte : bytes) elements.push_back(((byte & 15) ^ 8) - 8);
    const bool fits =
        size == count && std::find(elements.begin(), elements.end(), -8) == elements.end();
    return fits ? std::optional(Tensor::FromIntegers(type.type, type.shape, elements))
                : std::nullopt;
  }
  const int64_t width = ElementBytes(type.type);
  if (size == width && count > 1) {
    const std::vector<uint8_t> one = bytes;
    for (int64_t i = 1; i < count; ++i) bytes.insert(bytes.end(), one.begin(), one.end());
  } else if (size % width != 0 || size / width != count) {
    return std::nullopt;
  }
  return Tensor::FromBytes(type.type, type.shape, std::move(bytes));
}

}  // namespace

std::optional<TensorType> ReadMlirTensorType(std::string_view text) {
  text = TrimSpaces(text);
  if (!text.ends_with('>')) return std::nullopt;
  text.remove_suffix(1);
  if (TakePrefix(text, "!tosa.shape<")) {
    const auto length = ParseInteger<int32_t>(text);
    if (!length || *length < 0) return std::nullopt;
    return TensorType{DType::kShape, Shape{*length}};
  }
  if (!TakePrefix(text, "tensor<")) return std::nullopt;
  TensorType type;
  for (size_t cross; (cross = text.find('x')) != std::string_view::npos &&
                     (text.starts_with("?x") || text.find_first_not_of("0123456789") == cross);) {
    const auto dim = text[0] == '?' ? -1 : ParseInteger<int32_t>(text.substr(0, cross));
    if (!dim || type.shape.rank() == Shape::kMaxRank) return std::nullopt;
    type.shape.PushBack(*dim);
    text.remove_prefix(cross + 1);
  }
  const auto element = TypeByMlirName(text);
  if (!element) return std::nullopt;
  type.type = *element;
  return type;
}

std::string MlirTypeProblem(std::string_view text) {
  if (ReadMlirTensorType(text)) return {};
  text = TrimSpaces(text);
  if (!TakePrefix(text, "tensor<") || !text.ends_with('>')) return "is no tensor";
  text.remove_suffix(1);
  if (text.starts_with('*')) return "is unranked, which is not supported";
  if (text.find('!') == std::string_view::npos && text.find(',') == std::string_view::npos) {
    const std::string_view element = text.substr(text.rfind('x') + 1);
    if (!TypeByMlirName(element)) {
      return "has elements of " + std::string(element) + ", which is no type of TOSA 1.0";
    }
  }
  return "is no tensor of TOSA 1.0";
}

std::optional<Tensor> ReadMlirDense(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto type = ReadMlirTensorType(text.substr(colon + 1));
  text = TrimSpaces(text.substr(0, colon));
  const bool is_static =
      type && std::ranges::none_of(type->shape, [](int32_t dim) { return dim < 0; });
  if (!is_static || !TakePrefix(text, "dense<") || !text.ends_with('>')) return std::nullopt;
  text.remove_suffix(1);
  const int64_t count = type->shape.Elements();
  if (text.starts_with('"')) {
    std::vector<uint8_t> bytes;
    if (!HexBytes(text, bytes)) return std::nullopt;
    return OfStorage(*type, std::move(bytes));
  }
  std::vector<int64_t> elements;
  if (!Elements(text, type->type, elements)) return std::nullopt;
  if (elements.size() == 1) {
    return Tensor::Splat(type->type, type->shape, elements[0]);
  }
  if (static_cast<int64_t>(elements.size()) != count) return std::nullopt;
  return Tensor::FromIntegers(type->type, type->shape, elements);
}

std::optional<Tensor> ReadMlirScalar(std::string_view text) {
  if (text == "true" || text == "false") {
    return Tensor::Splat(DType::kBool, Shape{}, text == "true" ? 1 : 0);
  }
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto type = TypeByMlirName(TrimSpaces(text.substr(colon + 1)));
  if (!type) return std::nullopt;
  const auto element = Element(TrimSpaces(text.substr(0, colon)), *type);
  if (!element) return std::nullopt;
  return Tensor::Splat(*type, Shape{}, *element);
}

std::optional<std::vector<int32_t>> ReadMlirArray(std::string_view text) {
  if (!TakePrefix(text, "array<i") || !text.ends_with('>')) return std::nullopt;
  text.remove_suffix(1);
  const size_t colon = text.find(':');
  std::vector<int32_t> numbers;
  if (colon == std::string_view::npos) return numbers;
  for (const std::string& piece : SplitMlir(text.substr(colon + 1))) {
    const auto number = ParseInteger<int32_t>(piece);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "spirv_literals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "float_format.h"
#include "parse_number.h"

namespace assay::spirv {
namespace {

// Returns the float that a type stands for; nothing if TOSA lacks it.
std::optional<DType> FloatOf(const Instruction& type) {
  const ScalarType* row = type.opcode == Opcode::kTypeFloat ? ScalarTypeOf(type) : nullptr;
  return row == nullptr ? std::nullopt : std::optional(row->type);
}

// Reads "12" or "0x1f".
std::optional<uint64_t> Magnitude(std::string_view text) {
  uint64_t value = 0;
  if (!text.starts_with("0x") && !text.starts_with("0X")) {
    return ParseNumber(text, value) ? std::optional(value) : std::nullopt;
  }
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 2, end, value, 16);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::optional<std::vector<uint32_t>> IntegerWords(const Instruction& type, std::string_view text) {
  const uint32_t bits = type.operands[0];
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return std::nullopt;
  const bool is_negative = text.starts_with('-');
  const std::optional<uint64_t> magnitude = Magnitude(text.substr(is_negative ? 1 : 0));
  const uint64_t most = ~uint64_t{0} >> (64 - bits);
  if (!magnitude || *magnitude > (is_negative ? most / 2 + 1 : most)) return std::nullopt;
  uint64_t value = is_negative ? 0 - *magnitude : *magnitude;
  const bool is_signed = type.operands[1] != 0;
  const bool has_sign = (value >> (bits - 1) & 1) != 0;
  value = is_signed && has_sign ? value | ~most : value & most;
  std::vector<uint32_t> words = {static_cast<uint32_t>(value)};
  if (bits == 64) words.push_back(static_cast<uint32_t>(value >> 32));
  return words;
}

std::string IntegerText(const Instruction& type, std::span<const uint32_t> words) {
  if (type.operands[0] == 64 && words.size() == 2) {
    const uint64_t value = words[0] | uint64_t{words[1]} << 32;
    return type.operands[1] != 0 ? std::to_string(static_cast<int64_t>(value))
                                 : std::to_string(value);
  }
  return type.operands[1] != 0 ? std::to_string(static_cast<int32_t>(words[0]))
                               : std::to_string(words[0]);
}

// Returns what the fields of an infinity or a NaN say if they are read as those of a number.
std::string FieldsText(const FloatFormat& format, uint32_t bits) {
  const uint32_t fraction = bits & ((uint32_t{1} << format.fraction_bits) - 1);
  const bool is_negative = (bits >> (format.fraction_bits + format.exponent_bits) & 1) != 0;
  const double value =
      std::ldexp(1 + std::ldexp(static_cast<double>(fraction), -format.fraction_bits),
                 (1 << format.exponent_bits) - 1 - format.bias);
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
  return (is_negative ? "-0x" : "0x") + std::string(text.data(), end.ptr);
}

std::string FloatText(DType type, uint32_t bits) {
  const double value = DecodeFloat(type, bits);
  if (!std::isfinite(value)) return FieldsText(FormatOf(type), bits);
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(value));
  return {text.data(), end.ptr};
}

std::optional<std::vector<uint32_t>> FloatWords(DType type, std::string_view text) {
  const FloatFormat& format = FormatOf(type);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  if (text.empty() || text[0] == '-' || text[0] == 'i' || text[0] == 'n') return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value,
                                    is_hex ? std::chars_format::hex : std::chars_format::general);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  // A decimal number is rounded once, to the type.
  float nearest = 0;
  if (type == DType::kFp32 && !is_hex &&
      std::from_chars(text.data(), end, nearest).ec == std::errc()) {
    value = nearest;
  }
  const uint32_t sign =
      is_negative ? uint32_t{1} << (format.fraction_bits + format.exponent_bits) : 0;
  const uint32_t bits = EncodeFloat(type, value);
  if (std::isfinite(DecodeFloat(type, bits))) return std::vector<uint32_t>{bits | sign};
  // Only the fields of an infinity or a NaN.
  const int exponent = (1 << format.exponent_bits) - 1;
  if (!is_hex || std::ilogb(value) != exponent - format.bias) return std::nullopt;
  const double fraction =
      std::ldexp(std::ldexp(value, format.bias - exponent) - 1, format.fraction_bits);
  if (fraction != std::floor(fraction)) return std::nullopt;
  return std::vector<uint32_t>{sign | static_cast<uint32_t>(exponent) << format.fraction_bits |
                               static_cast<uint32_t>(fraction)};
}

}  // namespace

std::string LiteralText(const Instruction* type, std::span<const uint32_t> words) {
  std::string text;
  if (type != nullptr && type->opcode == Opcode::kTypeInt) text = IntegerText(*type, words);
  if (type != nullptr && words.size() == 1 && type->opcode == Opcode::kTypeFloat) {
    if (const std::optional<DType> element = FloatOf(*type)) text = FloatText(*element, words[0]);
  }
  const auto same = LiteralWords(type, text);
  if (same && std::ranges::equal(*same, words)) return text;
  text.clear();
  for (const uint32_t word : words) text += (text.empty() ? "!" : " !") + std::to_string(word);
  return text;
}

std::optional<std::vector<uint32_t>> LiteralWords(const Instruction* type, std::string_view text) {
  if (type == nullptr) return std::nullopt;
  if (type->opcode == Opcode::kTypeInt) return IntegerWords(*type, text);
  const std::optional<DType> element = FloatOf(*type);
  return element ? FloatWords(*element, text) : std::nullopt;
}

std::optional<uint32_t> WordNumber(std::string_view text) {
  if (text.starts_with('!')) text.remove_prefix(1);
  const std::optional<uint64_t> value = Magnitude(text);
  if (!value || *value > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*value);
}

}  // namespace assay::spirv

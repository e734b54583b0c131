// SPDX-License-Identifier: Apache-2.0
#include "mlir_literals.h"

#include <cstdio>

#include "mlir_types.h"

namespace assay {
namespace {

std::string Hex(uint64_t bits, int bytes) {
  char text[24];
  snprintf(text, sizeof text, "0x%0*llX", 2 * bytes, static_cast<unsigned long long>(bits));
  return text;
}

void AppendNested(const Tensor& tensor, int axis, int64_t& next, std::string& out) {
  if (axis == tensor.shape().rank()) {
    out += MlirElement(tensor, next++);
    return;
  }
  out += '[';
  for (int32_t i = 0; i < tensor.shape()[axis]; ++i) {
    if (i > 0) out += ", ";
    AppendNested(tensor, axis + 1, next, out);
  }
  out += ']';
}

}  // namespace

std::string MlirElement(const Tensor& tensor, int64_t index) {
  if (tensor.type() == DType::kBool) return tensor.Integer(index) != 0 ? "true" : "false";
  if (IsFloat(tensor.type())) return Hex(tensor.FloatBits(index), ElementBytes(tensor.type()));
  return std::to_string(tensor.Integer(index));
}

std::string MlirRankedType(const Shape& shape, DType type) {
  std::string out = "tensor<";
  for (const int32_t dim : shape.dims()) out += (dim == -1 ? "?" : std::to_string(dim)) + "x";
  out += MlirTypeName(type);
  return out + ">";
}

std::string MlirDense(const Tensor& tensor) {
  const DType type = tensor.type();
  std::string out = "dense<";
  const bool whole_bytes = type != DType::kBool && type != DType::kInt4 && type != DType::kInt48;
  if (tensor.elements() > kMlirElementsListMax && whole_bytes) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    out += "\"0x";
    for (const uint8_t byte : tensor.bytes()) {
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
    out += '"';
  } else if (tensor.elements() > 0) {
    int64_t next = 0;
    AppendNested(tensor, 0, next, out);
  }
  return out + "> : " + MlirRankedType(tensor.shape(), type);
}

std::string MlirAttribute(AttributeId id, const AttributeValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<int32_t>(&value)) {
    if (!EnumeratorNames(id).empty()) return MlirEnumerator(id, *number);
    if (id == AttributeId::kAccType || id == AttributeId::kType) {
      return std::string(MlirTypeName(static_cast<DType>(*number)));
    }
    return std::to_string(*number) + " : i32";
  }
  if (const auto* numbers = std::get_if<std::vector<int32_t>>(&value)) {
    return MlirArray(id == AttributeId::kPerms ? "i32" : "i64", *numbers);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return MlirQuoted(*text);
  const auto& tensor = std::get<Tensor>(value);
  if (!tensor.has_value()) return {};
  if (id == AttributeId::kMinVal || id == AttributeId::kMaxVal) {
    if (tensor.type() == DType::kBool) return {};  // "false : i1" is no MLIR
    return MlirElement(tensor, 0) + " : " + std::string(MlirTypeName(tensor.type()));
  }
  return MlirDense(tensor);
}

std::string MlirQuoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      out += c;
    } else {
      char escape[4];
      snprintf(escape, sizeof escape, "\\%02X", static_cast<unsigned>(static_cast<uint8_t>(c)));
      out += escape;
    }
  }
  return out + '"';
}

}  // namespace assay

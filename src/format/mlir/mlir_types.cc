// SPDX-License-Identifier: Apache-2.0
#include "mlir_types.h"

#include <utility>

namespace assay {
namespace {

constexpr std::pair<DType, std::string_view> kNames[] = {
    {DType::kBool, "i1"},          {DType::kInt4, "i4"},        {DType::kInt8, "i8"},
    {DType::kInt16, "i16"},        {DType::kInt32, "i32"},      {DType::kInt48, "i48"},
    {DType::kFp32, "f32"},         {DType::kFp16, "f16"},       {DType::kBf16, "bf16"},
    {DType::kFp8e4m3, "f8E4M3FN"}, {DType::kFp8e5m2, "f8E5M2"}, {DType::kShape, "index"}};

}  // namespace

std::string_view MlirTypeName(DType type) {
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return "none";
}

std::optional<DType> TypeByMlirName(std::string_view name) {
  for (const auto& [type, known] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::string MlirOperatorName(std::string_view operator_name) {
  std::string name = "tosa.";
  for (const char c : operator_name) {
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

}  // namespace assay

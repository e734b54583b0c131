// SPDX-License-Identifier: Apache-2.0
#include "types.h"

#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 13> kTypeNames = {
    "unknown", "bool", "i4",   "i8",    "i16",     "i32",    "i48",
    "fp32",    "fp16", "bf16", "shape", "fp8e4m3", "fp8e5m2"};

}  // namespace

std::string_view TypeName(DType type) {
  const auto index = static_cast<uint32_t>(type);
  return index < kTypeNames.size() ? kTypeNames[index] : kTypeNames[0];
}

std::optional<DType> TypeByName(std::string_view name) {
  for (DType type : kAllTypes) {
    if (TypeName(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "mlir_types.h"

#include <iterator>

#include "letter_case.h"

namespace assay {

std::string_view MlirTypeName(DType type) {
  constexpr std::string_view kNames[] = {
      "none", "i1",  "i4",   "i8",    "i16",      "i32",   "i48",
      "f32",  "f16", "bf16", "index", "f8E4M3FN", "f8E5M2"};  // in the order of DType
  const auto number = static_cast<size_t>(type);
  return kNames[number < std::size(kNames) ? number : 0];
}

std::optional<DType> TypeByMlirName(std::string_view name) {
  for (const DType type : kAllTypes) {
    if (MlirTypeName(type) == name) return type;
  }
  return std::nullopt;
}

std::string MlirOperatorName(std::string_view operator_name) {
  return "tosa." + LowerCase(operator_name);
}

std::string MlirEnumeratorName(AttributeId id, int32_t value) {
  if (id == AttributeId::kMode && value == 1) return "NEAREST_NEIGHBOR";
  const std::span<const std::string_view> names = EnumeratorNames(id);
  if (value < 1 || value > std::ssize(names)) return {};
  return std::string(names[static_cast<size_t>(value - 1)]);
}

std::string MlirEnumerator(AttributeId id, int32_t value) {
  const std::string name = MlirEnumeratorName(id, value);
  if (name.empty()) return {};
  const std::string_view type = id == AttributeId::kMode ? "resize_mode" : AttributeName(id);
  return "#tosa." + std::string(type) + "<" + name + ">";
}

}  // namespace assay

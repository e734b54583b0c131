// SPDX-License-Identifier: Apache-2.0
#include "mlir_attributes.h"

#include <utility>

#include "mlir_location.h"
#include "mlir_types.h"
#include "mlir_values.h"

namespace assay {
namespace {

std::optional<AttributeValue> Enumeration(const MlirEnumeration& enumeration,
                                          std::string_view text) {
  for (int32_t i = 1; i < 4; ++i) {
    const std::string_view name = enumeration.cases[i];
    if (name.empty()) continue;
    if (text == "#tosa." + std::string(enumeration.mnemonic) + "<" + std::string(name) + ">" ||
        text == name) {
      return i;
    }
  }
  return std::nullopt;
}

template <class Value>
std::optional<AttributeValue> Wrap(std::optional<Value> value) {
  if (!value) return std::nullopt;
  return AttributeValue(std::move(*value));
}

}  // namespace

std::optional<AttributeValue> ReadMlirAttribute(AttributeId id, std::string_view text) {
  switch (id) {
    case AttributeId::kNanMode:
      return Enumeration(kMlirNanMode, text);
    case AttributeId::kMode:
      return Enumeration(kMlirResizeMode, text);
    case AttributeId::kRoundingMode:
      return Enumeration(kMlirRoundingMode, text);
    case AttributeId::kAccType:
    case AttributeId::kType: {
      const auto type = TypeByMlirName(text);
      if (!type) return std::nullopt;
      return static_cast<int32_t>(*type);
    }
    case AttributeId::kAxis: {
      const auto scalar = ReadMlirScalar(text);
      if (!scalar || scalar->type() != DType::kInt32) return std::nullopt;
      return static_cast<int32_t>(scalar->Integer(0));
    }
    case AttributeId::kInputUnsigned:
    case AttributeId::kInverse:
    case AttributeId::kLocalBound:
    case AttributeId::kOutputUnsigned:
    case AttributeId::kPerChannel:
    case AttributeId::kRound:
    case AttributeId::kScale32:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case AttributeId::kDilation:
    case AttributeId::kKernel:
    case AttributeId::kOutPad:
    case AttributeId::kPad:
    case AttributeId::kPerms:
    case AttributeId::kStride:
      return Wrap(ReadMlirArray(text));
    case AttributeId::kMaxVal:
    case AttributeId::kMinVal:
      return Wrap(ReadMlirScalar(text));
    case AttributeId::kInitialValue:
    case AttributeId::kValues:
      return Wrap(ReadMlirDense(text));
    case AttributeId::kVarShape: {
      const auto shape = ReadMlirDense(text);
      if (!shape || shape->type() != DType::kShape) return std::nullopt;
      if (shape->elements() > Shape::kMaxRank) return std::nullopt;
      std::vector<int32_t> dims;
      for (int64_t i = 0; i < shape->elements(); ++i) {
        dims.push_back(static_cast<int32_t>(shape->Integer(i)));
      }
      return dims;
    }
    case AttributeId::kDomainName:
    case AttributeId::kImplementationAttrs:
    case AttributeId::kName:
    case AttributeId::kOperatorName:
      return UnquotedMlir(text);
    case AttributeId::kBodyGraph:
    case AttributeId::kCondGraph:
    case AttributeId::kElseGraph:
    case AttributeId::kThenGraph:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace assay

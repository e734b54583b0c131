// SPDX-License-Identifier: Apache-2.0
#include "mlir_attributes.h"

#include <utility>

#include "mlir_location.h"
#include "mlir_types.h"
#include "mlir_values.h"
#include "wire_fields.h"

namespace assay {
namespace {

std::optional<AttributeValue> ReadEnumerator(AttributeId id, std::string_view text) {
  for (int32_t i = 1; i <= std::ssize(EnumeratorNames(id)); ++i) {
    if (text == MlirEnumerator(id, i) || text == MlirEnumeratorName(id, i)) return i;
  }
  return std::nullopt;
}

std::optional<AttributeValue> ReadType(std::string_view text) {
  const auto type = TypeByMlirName(text);
  if (!type) return std::nullopt;
  return static_cast<int32_t>(*type);
}

template <class Value>
std::optional<AttributeValue> Wrap(std::optional<Value> value) {
  if (!value) return std::nullopt;
  return AttributeValue(std::move(*value));
}

}  // namespace

std::optional<AttributeValue> ReadMlirAttribute(AttributeId id, std::string_view text) {
  switch (WireKindOf(id)) {
    case WireKind::kNone:  // of a tensor or variable
      break;
    case WireKind::kFlag:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case WireKind::kInt: {
      const auto scalar = ReadMlirScalar(text);
      if (!scalar || scalar->type() != DType::kInt32) return std::nullopt;
      return static_cast<int32_t>(scalar->Integer(0));
    }
    case WireKind::kEnum:
      return id == AttributeId::kAccType ? ReadType(text) : ReadEnumerator(id, text);
    case WireKind::kInts:
      return Wrap(ReadMlirArray(text));
    case WireKind::kElement:
      return Wrap(ReadMlirScalar(text));
    case WireKind::kText:
    case WireKind::kBytes:
      if (NamesBlock(id)) return std::nullopt;
      return UnquotedMlir(text);
  }
  if (id == AttributeId::kType) return ReadType(text);
  if (id == AttributeId::kName) return UnquotedMlir(text);
  std::optional<Tensor> list = ReadMlirDense(text);  // of values, initial_value or var_shape
  if (id != AttributeId::kVarShape) return Wrap(std::move(list));
  if (!list || list->type() != DType::kShape) return std::nullopt;
  if (list->elements() > Shape::kMaxRank) return std::nullopt;
  std::vector<int32_t> dims;
  for (int64_t i = 0; i < list->elements(); ++i) {
    dims.push_back(static_cast<int32_t>(list->Integer(i)));
  }
  return dims;
}

}  // namespace assay

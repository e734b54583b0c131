// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "operator.h"

namespace assay {

// The form of an attribute in its table of tosa.fbs.
enum class WireKind : uint8_t {
  kNone,     // nowhere: it belongs to a tensor (CONST.values) or to a variable tensor
  kFlag,     // bool
  kInt,      // int32
  kEnum,     // uint32, from 0 (UNKNOWN) to WireEnumMax()
  kInts,     // [int32]
  kText,     // string
  kBytes,    // [ubyte], any bytes
  kElement,  // [ubyte], one element of the operator's first input
};

WireKind WireKindOf(AttributeId attribute);

// Returns the greatest enumerator that TOSA 1.0 has for an attribute of kind kEnum.
uint32_t WireEnumMax(AttributeId attribute);

// Returns the fields of the operator's attribute table by field id; empty if the table is empty.
// The union member has the number of the operator.
std::span<const AttributeId> WireFields(Op op);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "operator.h"
#include "types.h"

namespace assay {

// The names of types and operators in the MLIR text of the TOSA dialect.

// Convert between types and names: "i1", "i4", "f32", "bf16", "f8E4M3FN", ...; "index" for shape
// values.
std::string_view MlirTypeName(DType type);
std::optional<DType> TypeByMlirName(std::string_view name);

// Returns "tosa.conv2d" for CONV2D. Other names are those of the specification as well, in lower
// case.
std::string MlirOperatorName(std::string_view operator_name);

// Return the name of an enumerator of an attribute, and the enumerator as MLIR has it:
// "NEAREST_NEIGHBOR" and "#tosa.resize_mode<NEAREST_NEIGHBOR>". "" if there is none.
std::string MlirEnumeratorName(AttributeId id, int32_t value);
std::string MlirEnumerator(AttributeId id, int32_t value);

}  // namespace assay

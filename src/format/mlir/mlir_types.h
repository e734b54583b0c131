// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

// An enumeration attribute: its MLIR mnemonic and its cases by wire value; [0] is unused.
struct MlirEnumeration {
  std::string_view mnemonic;  // "#tosa.<mnemonic><CASE>"
  std::string_view cases[4];
};
inline constexpr MlirEnumeration kMlirNanMode = {"nan_mode", {"", "PROPAGATE", "IGNORE", ""}};
inline constexpr MlirEnumeration kMlirResizeMode = {"resize_mode",
                                                    {"", "NEAREST_NEIGHBOR", "BILINEAR", ""}};
inline constexpr MlirEnumeration kMlirRoundingMode = {
    "rounding_mode", {"", "SINGLE_ROUND", "INEXACT_ROUND", "DOUBLE_ROUND"}};

}  // namespace assay

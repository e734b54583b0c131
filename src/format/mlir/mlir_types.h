#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "types.h"

namespace assay {

// Names that the MLIR text of the TOSA dialect uses for ours.

// "i1", "i4", "f32", "bf16", "f8E4M3FN", ...; "index" for shape values.
std::string_view MlirTypeName(DType type);
std::optional<DType> TypeByMlirName(std::string_view name);

// "tosa.conv2d"; operators are otherwise named as in the specification, in lower case.
std::string MlirOperatorName(std::string_view operator_name);

// An enumeration attribute: its MLIR mnemonic and the cases by wire value, [0] unused.
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

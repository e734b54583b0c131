// SPDX-License-Identifier: Apache-2.0
#include "mlir_versions.h"

#include <algorithm>

namespace assay {
namespace {

constexpr std::string_view kOldOperators[] = {"div", "fully_connected", "identityn", "reduce_prod",
                                              "relun"};

// Most of these are operands since 1.0.
constexpr std::string_view kOldAttributes[] = {"a_zp",      "b_zp",         "border",
                                               "config",    "double_round", "identifier",
                                               "input1_zp", "input_zp",     "max_fp",
                                               "max_int",   "min_fp",       "min_int",
                                               "multiples", "multiplier",   "new_shape",
                                               "offset",    "offset_fp",    "out_shape",
                                               "output_zp", "padding",      "quantization_info",
                                               "scale",     "shift",        "size",
                                               "start",     "stride_fp",    "value",
                                               "weight_zp"};

// Operators of 1.1: on shapes, on blocks of elements with one scale, and on sizes that are known
// late.
bool IsNewOperator(std::string_view name) {
  return name == "dim" || name == "matmul_t" || name.ends_with("_shape") ||
         name.ends_with("_block_scaled") || name.ends_with("_adaptive");
}

}  // namespace

std::string UnknownMlirOperator(std::string_view operation) {
  const std::string_view name = operation.substr(operation.find('.') + 1);
  std::string message = "unknown operator " + std::string(operation);
  if (std::find(std::begin(kOldOperators), std::end(kOldOperators), name) !=
      std::end(kOldOperators)) {
    return message + ": the text is older than TOSA 1.0, which removed it";
  }
  if (IsNewOperator(name)) message += ": it is not in TOSA 1.0, but in 1.1";
  return message;
}

std::string UnknownMlirAttribute(std::string_view operation, std::string_view attribute) {
  std::string message =
      "unknown attribute " + std::string(attribute) + " of " + std::string(operation);
  if (IsOldMlirAttribute(attribute)) {
    message += ": the text is older than TOSA 1.0, which removed it";
  }
  return message;
}

bool IsOldMlirAttribute(std::string_view attribute) {
  return std::find(std::begin(kOldAttributes), std::end(kOldAttributes), attribute) !=
         std::end(kOldAttributes);
}

}  // namespace assay

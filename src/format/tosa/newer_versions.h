// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace assay {

// Returns the text for an operator that TOSA 1.0 does not have: "DIM (of TOSA 1.1)", "operator
// 200".
std::string NewerOperatorText(uint32_t op);
// Returns the same for a type: "INT64 (of TOSA 1.1)", "type 200".
std::string NewerTypeText(uint32_t type);

}  // namespace assay

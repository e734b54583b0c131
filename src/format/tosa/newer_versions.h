#pragma once

#include <cstdint>
#include <string>

namespace assay {

// "DIM (of TOSA 1.1)", "operator 200": an operator that TOSA 1.0 does not have, for a message.
std::string NewerOperatorText(uint32_t op);
// "INT64 (of TOSA 1.1)", "type 200".
std::string NewerTypeText(uint32_t type);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The TOSA dialect of MLIR changed until TOSA 1.0, and changes again with TOSA 1.1. These functions
// say which of the versions a text is of, where it is not of 1.0.

// Returns the message for an operation "tosa.x" that TOSA 1.0 does not have.
std::string UnknownMlirOperator(std::string_view operation);

// Returns the message for an attribute that its operation does not have.
std::string UnknownMlirAttribute(std::string_view operation, std::string_view attribute);

// Returns true if some operator had the attribute before TOSA 1.0, and none has it now. Such an
// attribute has a meaning, so it may not be ignored.
bool IsOldMlirAttribute(std::string_view attribute);

}  // namespace assay

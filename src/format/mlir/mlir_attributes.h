// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "attributes.h"

namespace assay {

// Returns the value of an attribute of an operator from its MLIR text. Returns nothing if the text
// is not of its kind.
std::optional<AttributeValue> ReadMlirAttribute(AttributeId id, std::string_view text);

}  // namespace assay

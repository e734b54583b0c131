// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "types.h"

namespace assay {

// Returns a version as text: "1.1.0-draft".
std::string VersionText(const SpecVersion& version);

// Returns the reason why files of a version are not read: "is of TOSA 0.80.0; this build reads
// ...". Returns nothing for 1.0.x and for 1.1, whose files may have the content of 1.0.
std::optional<std::string> RefusalOfVersion(const SpecVersion& version);

}  // namespace assay

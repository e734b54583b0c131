#pragma once

#include <optional>
#include <string>

#include "types.h"

namespace assay {

// "1.1.0-draft".
std::string VersionText(const SpecVersion& version);

// Why files of a version are not read, "is of TOSA 0.80.0; this build reads ..."; nothing if they
// are: those of 1.0.x, and those of 1.1, which may hold what 1.0 has.
std::optional<std::string> RefusalOfVersion(const SpecVersion& version);

}  // namespace assay

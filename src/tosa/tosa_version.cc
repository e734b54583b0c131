// SPDX-License-Identifier: Apache-2.0
#include "tosa_version.h"

namespace assay {

std::string VersionText(const SpecVersion& version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' +
         std::to_string(version.patch) + (version.draft ? "-draft" : "");
}

std::optional<std::string> RefusalOfVersion(const SpecVersion& version) {
  const bool known = version.minor == 0 || version.minor == 1;
  if (version.major == 1 && known && version.patch >= 0) return std::nullopt;
  return "is of TOSA " + VersionText(version) + "; this build reads 1.0, and what 1.1 has of it";
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay {

// Returns what `assay --version` prints: the version and the commit, the compiler, the
// specification, and the versions of all formats and protocols.
std::string VersionText();

}  // namespace assay

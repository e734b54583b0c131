// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "formats.h"
#include "result.h"
#include "target.h"

namespace assay {

// The version of the schema of target.json (README.md) that this build reads and writes.
inline constexpr int64_t kTargetVersion = formats::kTarget.version;

// Reads a target from the text of a file. Error kBadInput, one line, names the file and the place
// ("t.json: /operators/CONV2D/ranges/kernel/max: is not a whole number of 64 bits").
Result<Target> ReadTarget(std::string_view text, std::string_view file);
// Does the same for a file.
Result<Target> LoadTarget(const std::string& path);

// Returns the text of a target, in a fixed order. ReadTarget() gives the same target back.
std::string WriteTarget(const Target& target);

}  // namespace assay

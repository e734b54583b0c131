// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "target.h"

namespace assay {

// Returns "i8, fp32".
std::string TypesText(const std::vector<DType>& types);

// Returns a target for a person to read, with a line for each operator.
std::string TargetText(const Target& target);

// Returns "65 operators, 320 of 350 type rows; rank at most 4": what a target takes, on one line.
std::string TargetSummary(const Target& target);

}  // namespace assay

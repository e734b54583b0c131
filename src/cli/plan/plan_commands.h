// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "command.h"

namespace assay::cli::plan {

// Returns the commands below `assay plan`.
std::span<const Command* const> PlanCommands();

}  // namespace assay::cli::plan

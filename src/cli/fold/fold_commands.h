// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "command.h"

namespace assay::cli::fold {

// Returns the commands below `assay fold`.
std::span<const Command* const> FoldCommands();

}  // namespace assay::cli::fold

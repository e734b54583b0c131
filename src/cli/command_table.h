// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "command.h"

namespace assay {

std::span<const Command* const> AllCommands();

}  // namespace assay

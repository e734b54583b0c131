// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "memory_plan.h"
#include "result.h"

namespace assay {

// The help of `--pool`.
inline constexpr char kPoolOptionHelp[] =
    "memory pool: NAME:rw for a workspace, NAME:ro for constants, e.g. "
    "dtcm:rw:target=c:size=1000. It may add :target=T[,T...] (default: all targets "
    "reach it), :size=BYTES (default: unlimited), :align=BYTES for its base, "
    ":offset=BYTES for the first usable byte. Earlier pools are preferred; later "
    "pools take what does not fit. Replaces the pools of FILE";

// Reads one `--pool`. Error kUsage, which names the option.
Result<PoolInfo> ParsePool(std::string_view text);

// Replaces the pools of a problem by these. Workspaces become the candidates of its buffers. Pools
// for constants become the candidates of its constants; if there are none, all pools do.
Result<Done> ReplacePools(const std::vector<std::string>& texts, MemoryProblem& problem);

}  // namespace assay

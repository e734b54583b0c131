#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "memory_plan.h"
#include "result.h"

namespace assay {

// The help of `--pool`.
inline constexpr char kPoolOptionHelp[] =
    "a pool, NAME:rw for a workspace or NAME:ro for constants, then any of :target=T[,T...] "
    "(otherwise every target reaches it), :size=BYTES (otherwise unlimited), :align=BYTES of its "
    "base, :offset=BYTES of the first that may be used; e.g. dtcm:rw:target=c:size=1000. The first "
    "is preferred, the next is for what has no room. In place of the pools of FILE";

// Reads one `--pool`. Error kUsage, which names the option.
Result<PoolInfo> ParsePool(std::string_view text);

// Replaces the pools of a problem by these. Workspaces become the candidates of its buffers. Pools
// for constants become the candidates of its constants; if there are none, all pools do.
Result<Done> ReplacePools(const std::vector<std::string>& texts, MemoryProblem& problem);

}  // namespace assay

#pragma once

#include <string>
#include <string_view>

#include "memory_plan.h"
#include "read_limits.h"
#include "result.h"

namespace assay {

// Tables of other planners: valid problems, with the plan if the table says where things go.
// README.md describes each. An Error is one line, `NAME: line 3, column 7: what is wrong` (columns
// count bytes from 1), or kResource with the limit's name.

// MiniMalloc's CSV. Its offsets become the plan; all buffers lie in one pool, `memory`, of which
// the file does not say how large it is.
Result<PlannedProblem> ReadMiniMalloc(std::string_view text, std::string_view name,
                                      const ReadLimits& limits = {});

}  // namespace assay

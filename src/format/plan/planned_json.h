#pragma once

#include <string>
#include <string_view>

#include "memory_plan.h"
#include "result.h"

namespace assay {

// Memory problems and plans as JSON, version 1; README.md has the fields.

// The most texts, numbers, objects and lists of a document that is read.
inline constexpr size_t kPlanValuesMax = size_t{1} << 28;

// The document that `text`, called `name`, says. An Error is one line, `NAME: line 3, column 7:
// ...` for what is no JSON, `NAME: /buffers/3/size_bytes: ...` (a JSON pointer) for what is no
// plan, or what ValidateProblem() says: unknown and repeated fields, names that nothing has,
// numbers that are no integers or out of range are refused. kUnsupported for other versions,
// kResource for documents beyond kPlanValuesMax. Whether the plan is right is
// not asked: rows that place what is not there, or twice, are strays.
Result<PlannedProblem> ParsePlanJson(std::string_view text, std::string_view name);

// The text of a valid problem, whose plan (if any) is for its buffers.
// Error kBadInput if a name is not UTF-8.
Result<std::string> PlanJson(const PlannedProblem& planned);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "memory_plan.h"
#include "result.h"

namespace assay {

// Memory problems and plans as JSON, version 1. README.md describes the fields.

// The largest number of texts, numbers, objects and lists in a document.
inline constexpr size_t kPlanValuesMax = size_t{1} << 28;

// Parses the document `text`, called `name`. Unknown and repeated fields, names that do not exist,
// and numbers that are no integers or out of range are refused. An Error is one line: `NAME: line
// 3, column 7: ...` if the text is not JSON; `NAME: /buffers/3/size_bytes: ...` (a JSON pointer) if
// it is not a plan; or that of ValidateProblem(). It is kUnsupported for other versions, kResource
// for documents beyond kPlanValuesMax. The plan itself is not checked: rows that place unknown
// buffers, or a buffer twice, are strays.
Result<PlannedProblem> ParsePlanJson(std::string_view text, std::string_view name);

// Returns the text of a valid problem, whose plan (if any) is for its buffers. Error kBadInput if a
// name is not UTF-8.
Result<std::string> PlanJson(const PlannedProblem& planned);

}  // namespace assay

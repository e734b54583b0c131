// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "memory_plan.h"
#include "read_limits.h"
#include "result.h"

namespace assay {

// Tables of memory planners. Each gives a valid problem, and a plan if the table has one. README.md
// describes each table. An Error is one line, `NAME: line 3, column 7: what is wrong` (columns
// count bytes from 1) or `NAME: /buffers/3/size: what is wrong`, or kResource with the limit's
// name.

enum class PlanFormat : uint8_t {
  kAssay,       // planned_json.h
  kMiniMalloc,  // CSV
  kTvm,         // JSON: buffers with conflicts
  kExecuTorch,  // JSON or CSV: tensors with lifetimes, both ends included
  kTflite,      // the same, in TensorFlow Lite's words
};
std::optional<PlanFormat> PlanFormatNamed(std::string_view name);  // "assay", "minimalloc", ...

// Reads a table in the given format, or else in the format that it looks like.
Result<PlannedProblem> ReadPlan(std::string_view text, std::string_view name,
                                std::optional<PlanFormat> format = std::nullopt,
                                const ReadLimits& limits = {});

// Reads CSV, MiniMalloc's or with other column names.
Result<PlannedProblem> ReadMiniMalloc(std::string_view text, std::string_view name,
                                      const ReadLimits& limits = {});

}  // namespace assay

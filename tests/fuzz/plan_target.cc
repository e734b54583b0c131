// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of tables of memory planners, in the format that it detects.
#include <string_view>

#include "fuzz_target.h"
#include "planned_json.h"
#include "planner_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const assay::Result<assay::PlannedProblem> planned = assay::ReadPlan(text, "input");
  if (!planned) return 0;
  const assay::Result<std::string> written = assay::PlanJson(*planned);
  if (!written) return 0;  // a name that is not UTF-8
  const assay::Result<assay::PlannedProblem> again = assay::ParsePlanJson(*written, "written");
  assay::fuzz::Demand(again && *assay::PlanJson(*again) == *written, "a problem survives");
  return 0;
}

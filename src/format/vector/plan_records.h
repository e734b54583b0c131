// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "read_budget.h"
#include "result.h"
#include "test_vector.h"
#include "test_vector_generated.h"

namespace assay {

// Memory plans in the form of `.tvec` files.

flatbuffers::Offset<wire::PlanRecord> PutPlanRecord(flatbuffers::FlatBufferBuilder& builder,
                                                    const PlanRecord& record);

// Reads a plan record of a verified table, in a vector with `graphs` graphs. The result is a valid
// problem, and a plan with one row for each buffer. The plan itself is not checked. Error
// kUnsupported for content that this build does not know, else kBadInput.
Result<PlanRecord> GetPlanRecord(const wire::PlanRecord& from, size_t graphs, ReadBudget& budget);

}  // namespace assay

#pragma once

#include <cstddef>

#include "read_budget.h"
#include "result.h"
#include "test_vector.h"
#include "test_vector_generated.h"

namespace assay {

// Memory plans as `.tvec` files have them.

flatbuffers::Offset<wire::PlanRecord> PutPlanRecord(flatbuffers::FlatBufferBuilder& builder,
                                                    const PlanRecord& record);

// Of a verified table, in a vector of so many graphs: a valid problem, and a plan with one row for
// each buffer; whether it is right is not asked. Error kUnsupported for what this build does not
// know, else kBadInput.
Result<PlanRecord> GetPlanRecord(const wire::PlanRecord& from, size_t graphs, ReadBudget& budget);

}  // namespace assay

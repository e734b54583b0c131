// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"
#include "buffer_orders.h"

namespace assay::algorithm {

// The algorithm `greedy_by_conflicts` of TVM's unified static memory planning.
extern const Algorithm greedy_by_conflicts_algorithm = {
    .name = "greedy_by_conflicts",
    .summary = "most conflicts first, each buffer above all that it conflicts with",
    .plan = PlanBy<ByConflicts, PlacementRule::kAbove>,
};

}  // namespace assay::algorithm

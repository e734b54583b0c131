// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"
#include "buffer_orders.h"

namespace assay::algorithm {

// The default of unified static memory planning in TVM.
extern const Algorithm greedy_by_size_algorithm = {
    .name = "greedy_by_size",
    .summary = "largest buffer first, each above all that it conflicts with",
    .plan = PlanBy<BySize, PlacementRule::kAbove>,
};

}  // namespace assay::algorithm

// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"
#include "buffer_orders.h"

namespace assay::algorithm {

// The algorithm of TensorFlow Lite's arena and of XLA's heap.
extern const Algorithm best_fit_decreasing_algorithm = {
    .name = "best_fit_decreasing",
    .summary = "largest buffer first, each in the gap that it fills best",
    .plan = PlanBy<BySize, PlacementRule::kBest>,
};

}  // namespace assay::algorithm

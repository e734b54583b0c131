// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"
#include "buffer_orders.h"

namespace assay::algorithm {

// Buffers that live long lie low, which leaves one free space above them.
extern const Algorithm first_fit_by_lifetime_algorithm = {
    .name = "first_fit_by_lifetime",
    .summary = "longest live range first, each buffer at its lowest free offset",
    .plan = PlanBy<ByLifetime, PlacementRule::kFirst>,
};

}  // namespace assay::algorithm

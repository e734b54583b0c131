// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "checked_plan.h"

namespace assay {

// Sets bound, bound_tick and clique of each pool. They come from the ticks at which most is live,
// from the largest buffer, or from cliques of the listed conflicts. These cliques are found
// greedily, so they need not be the largest.
void SetBounds(const MemoryProblem& problem, const MemoryPlan& plan,
               std::span<const PlanCertificate::MaxLive> max_live, CheckedPlan& checked);

}  // namespace assay

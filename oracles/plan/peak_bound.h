#pragma once

#include <span>

#include "checked_plan.h"

namespace assay {

// Sets bound, bound_tick and clique of each pool: from the ticks at which most is live, from the
// largest buffer, and from cliques of the listed conflicts (found greedily, so not the largest).
void SetBounds(const MemoryProblem& problem, const MemoryPlan& plan,
               std::span<const PlanCertificate::MaxLive> max_live, CheckedPlan& checked);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checked_plan.h"
#include "overlap_proof.h"
#include "smallest_peak.h"

namespace assay {

// The complete judgement of a plan.
struct PlanVerdict {
  CheckedPlan checked;
  // The opinions on overlap: the sweep, then the check of its certificate or the replay of its
  // witnesses; with `prove` also those of overlap_proof.h.
  std::vector<PlanOpinion> opinions;
  // With `prove`, one entry for each pool. `smallest` tells how small the pool of a sound plan
  // could be. `fits` tells whether any plan stays within the pools, if this one does not.
  std::vector<std::optional<SmallestPeak>> smallest;
  std::vector<PoolFit> fits;
  // A defect of this program: two decided opinions differ, or a certificate or a witness does not
  // hold. "" if there is none.
  std::string disagreement;

  bool IsSound() const { return checked.breaches.empty(); }
};

// Judges a plan for a problem that ValidateProblem() has found valid.
PlanVerdict JudgePlan(const MemoryProblem& problem, const MemoryPlan& plan, bool prove);

// Returns "sound", "collides" or "undecided".
std::string_view PlanOpinionName(PlanOpinionKind kind);

}  // namespace assay

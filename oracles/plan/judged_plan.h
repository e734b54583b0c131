#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checked_plan.h"
#include "overlap_proof.h"
#include "smallest_peak.h"

namespace assay {

// All that we say of a plan.
struct PlanVerdict {
  CheckedPlan checked;
  // On overlap: the sweep, whoever checked its certificate or replayed its witnesses, and with
  // `prove` those of overlap_proof.h.
  std::vector<PlanOpinion> opinions;
  // With `prove`, of each pool: of a sound plan, how small it could be; of one that goes beyond its
  // pools, whether any plan would not.
  std::vector<std::optional<SmallestPeak>> smallest;
  std::vector<PoolFit> fits;
  // A defect of ours: two opinions that are decided differ, or a certificate or a witness does not
  // hold. "" if there is none.
  std::string disagreement;

  bool IsSound() const { return checked.breaches.empty(); }
};

// Judges a plan for a problem that ValidateProblem() has found valid.
PlanVerdict JudgePlan(const MemoryProblem& problem, const MemoryPlan& plan, bool prove);

// "sound", "collides", "undecided".
std::string_view PlanOpinionName(PlanOpinionKind kind);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "memory_plan.h"
#include "random.h"
#include "test_vector.h"

namespace assay {

// Memory plans that test a checker: sound plans, and plans that are broken in exactly one way.

struct PlanCase {
  PlanRecord record;  // `fault` is PlanFault::name; the optimum may be known by construction
  std::string_view shape = "";  // of the problem: "network", "rectangle", "adversarial"
};

// Returns a sound plan for a problem of about `buffers` buffers:
// - network: operators in a chain with branches, inputs and outputs of the caller, scratch,
//   weights;
// - rectangle: a full rectangle of time and address cut into pieces, so that the smallest peak is
//   its height;
// - adversarial: everything live at once, nested and touching lifetimes, bytes and gigabytes.
PlanCase MakeSoundPlan(Random& random, int64_t buffers);

class Planter;  // puts buffers on top of a sound plan

// A way in which planners have gone wrong.
struct PlanFault {
  std::string_view name;
  std::string_view rule;  // the broken rule, in the words of `assay plan check`
  std::string_view what;
  // Adds some buffers to a sound plan. The last of them breaks the rule; nothing else is broken.
  void (*plant)(Planter& at);
};
std::span<const PlanFault> AllPlanFaults();
void Plant(const PlanFault& fault, Random& random, PlannedProblem& planned);

// Returns case `index` of a campaign: in turn a sound plan and a plan with each of the faults.
PlanCase MakePlanCase(uint64_t seed, uint64_t index);

}  // namespace assay

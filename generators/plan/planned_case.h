#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "memory_plan.h"
#include "random.h"
#include "test_vector.h"

namespace assay {

// Memory plans to try a checker with: sound ones, and ones that are broken in exactly one way.

struct PlanCase {
  PlannedProblem planned;
  std::string_view shape;          // of the problem: "network", "rectangle", "adversarial"
  std::string_view fault = "";     // PlanFault::name, or "": the plan is sound
  std::string_view rule = "";      // that is broken: "overlap", "bounds", ...
  std::optional<int64_t> optimum;  // the smallest peak of the one pool, if known by construction
};

// A sound plan for a problem of about `buffers` buffers:
// - network: operators in a chain with branches, inputs and outputs of the caller, scratch,
// weights;
// - rectangle: a full rectangle of time and address cut into pieces, so that the smallest peak is
//   its height;
// - adversarial: everything live at once, nested and touching lifetimes, bytes and gigabytes.
PlanCase MakeSoundPlan(Random& random, int64_t buffers);

// A way in which planners have gone wrong.
struct PlanFault {
  std::string_view name;
  std::string_view rule;  // that it breaks, in the words of `assay plan check`
  std::string_view what;
  // Adds to a sound plan some buffers, the last of which breaks the rule, and nothing else does.
  void (*plant)(Random& random, PlannedProblem& planned);
};
std::span<const PlanFault> AllPlanFaults();

// Case `index` of a campaign: by turns a sound plan and one with each of the faults.
PlanCase MakePlanCase(uint64_t seed, uint64_t index);

// The case at rest.
PlanRecord RecordOf(const PlanCase& made);

}  // namespace assay

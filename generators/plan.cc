// SPDX-License-Identifier: Apache-2.0
// Memory problems with plans that are sound or broken in exactly one way. A checker of plans has to
// tell them apart.
#include "planned_case.h"
#include "vector_facts.h"

namespace assay::generators {

extern const Generator plan_generator;

namespace {

// Returns the number of plan faults, plus one for a sound plan.
int64_t Targets(const GeneratorOptions&) {
  return static_cast<int64_t>(AllPlanFaults().size()) + 1;
}

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  const PlanCase made = MakePlanCase(options.seed, index);
  TestVector vector;
  vector.plans = {made.record};
  const std::string fault = made.record.fault.empty() ? "" : "-" + made.record.fault;
  Describe(vector, options, plan_generator, index, std::string(made.shape) + fault);
  return vector;
}

}  // namespace

const Generator plan_generator = {
    .kind = "plan",
    .help = "memory plans without a graph: sound plans, and plans with exactly one planner mistake",
    .version = 1,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators

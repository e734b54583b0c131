// SPDX-License-Identifier: Apache-2.0
#include "memory_vector.h"

#include <optional>
#include <string>
#include <utility>

#include "check.h"
#include "planned_case.h"
#include "planner.h"
#include "pools.h"
#include "random.h"
#include "random_problem.h"

namespace assay {
namespace {

std::optional<MemoryPlan> PlanOf(const MemoryProblem& problem) {
  for (const char* name : {"best_fit_decreasing", "auto"}) {
    Result<PlanningResult> found =
        PlanMemory(problem, *AlgorithmByName(name), kPlanningStepsDefault);
    if (found) return std::move(found->plan);
  }
  return std::nullopt;
}

// Returns a problem of all features. If it has no plan, its limits and fixed places are taken away.
PlannedProblem RandomPlanned(Random& random) {
  PlannedProblem planned;
  planned.problem = RandomProblem(random, 1 + random.Below(14), random.OneIn(2));
  planned.plan = PlanOf(planned.problem);
  if (planned.plan) return planned;
  planned.problem.pools.back().size_bytes.reset();
  for (BufferInfo& buffer : planned.problem.buffers) buffer.fixed_offset.reset();
  planned.plan = PlanOf(planned.problem);
  Check(planned.plan.has_value(), "an unlimited pool has room for everything");
  return planned;
}

// Lists the pools of buffers that may lie in every pool: those that are written, for buffers that
// are.
void ListPools(MemoryProblem& problem) {
  for (BufferInfo& buffer : problem.buffers) {
    if (!buffer.pool_candidates.empty()) continue;
    buffer.pool_candidates = CandidatesFor(problem.pools, {}, buffer.kind);
  }
}

}  // namespace

TestVector MemoryVector(uint64_t seed) {
  Random random = Random::For(seed, 0, "memory", 1);
  PlanRecord record;
  if (random.OneIn(2)) {
    record.planned = RandomPlanned(random);
  } else {
    record = MakeSoundPlan(random, random.Between(1, 40)).record;
    ListPools(record.planned.problem);
  }
  TestVector vector;
  vector.name = "memory-" + std::to_string(seed);
  vector.plans = {std::move(record)};
  vector.provenance.campaign = seed;
  vector.provenance.kind = "plan";
  return vector;
}

bool IsMemoryVector(const TestVector& vector) {
  if (vector.plans.size() != 1 || !vector.graphs.empty() || !vector.steps.empty()) return false;
  const PlanRecord& record = vector.plans[0];
  if (!record.broken.empty() || !record.planned.plan || !record.planned.plan->strays.empty()) {
    return false;
  }
  for (const auto& place : record.planned.plan->allocations) {
    if (!place) return false;
  }
  return true;
}

TestVector WithProblem(const TestVector& vector, PlannedProblem planned) {
  std::optional<MemoryPlan> plan = PlanOf(planned.problem);
  if (plan) planned.plan = std::move(plan);
  TestVector changed = vector;
  changed.plans[0].planned = std::move(planned);
  changed.plans[0].optimum.reset();
  return changed;
}

}  // namespace assay

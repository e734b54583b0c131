// SPDX-License-Identifier: Apache-2.0
// Tests generated plans. Each is sound, or breaks exactly the one rule that it names.
#include "planned_case.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "judged_plan.h"
#include "planned_json.h"
#include "random.h"

namespace assay::planned_case_test {
namespace {

std::string Breaches(const PlanVerdict& verdict) {
  std::string text;
  for (const PlanBreach& breach : verdict.checked.breaches) text += breach.text + "\n";
  return text;
}

TEST(PlanCases, AreBrokenInTheOneWayThatTheySay) {
  const auto turns = static_cast<uint64_t>(AllPlanFaults().size() + 1);
  std::map<std::string, int> killed;
  for (uint64_t index = 0; index < 5 * turns; ++index) {
    const PlanCase made = MakePlanCase(1, index);
    const auto where =
        std::to_string(index) + " " + std::string(made.shape) + " " + made.record.fault;
    const Result<Done> valid = ValidateProblem(made.record.planned.problem);
    ASSERT_TRUE(valid) << where << ": " << valid.error().message;
    const PlanVerdict verdict =
        JudgePlan(made.record.planned.problem, *made.record.planned.plan, /*prove=*/index < turns);
    EXPECT_EQ(verdict.disagreement, "") << where;
    const auto& breaches = verdict.checked.breaches;
    ASSERT_EQ(breaches.size(), made.record.fault.empty() ? 0u : 1u) << where << "\n"
                                                                    << Breaches(verdict);
    if (made.record.fault.empty()) continue;
    EXPECT_EQ(PlanRuleName(breaches[0].rule), made.record.broken)
        << where << ": " << breaches[0].text;
    ++killed[made.record.fault];
  }
  EXPECT_EQ(killed.size(), AllPlanFaults().size());
  EXPECT_GE(killed.size(), 30u);
}

TEST(PlanCases, StayTheSameAsJson) {
  for (uint64_t index = 0; index < 100; ++index) {
    const PlanCase made = MakePlanCase(2, index);
    const Result<std::string> text = PlanJson(made.record.planned);
    ASSERT_TRUE(text) << text.error().message;
    const Result<PlannedProblem> read = ParsePlanJson(*text, "case");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(CheckPlan(read->problem, *read->plan).breaches.size() ==
                (made.record.fault.empty() ? 0u : 1u))
        << index << " " << made.record.fault;
  }
}

TEST(PlanCases, ArePureFunctions) {
  for (uint64_t index = 0; index < 40; ++index) {
    EXPECT_EQ(MakePlanCase(3, index).record.planned, MakePlanCase(3, index).record.planned);
  }
  EXPECT_NE(MakePlanCase(3, 0).record.planned, MakePlanCase(4, 0).record.planned);
}

TEST(PlanCases, RectanglesHaveTheOptimumTheySay) {
  int rectangles = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const PlanCase made = MakeSoundPlan(random, 30);
    if (!made.record.optimum) continue;
    ++rectangles;
    const PoolUse use = CheckPlan(made.record.planned.problem, *made.record.planned.plan).pools[0];
    EXPECT_EQ(use.bound, *made.record.optimum);
    EXPECT_EQ(use.peak, *made.record.optimum);
  }
  EXPECT_GT(rectangles, 10);
}

}  // namespace
}  // namespace assay::planned_case_test

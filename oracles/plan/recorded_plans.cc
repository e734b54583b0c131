// SPDX-License-Identifier: Apache-2.0
#include "recorded_plans.h"

#include <algorithm>
#include <string>
#include <utility>

#include "judged_plan.h"

namespace assay {
namespace {

// Returns "sound", or the rules that are broken, each once.
std::string VerdictOn(const CheckedPlan& checked) {
  std::string rules;
  for (const PlanBreach& breach : checked.breaches) {
    const std::string rule(PlanRuleName(breach.rule));
    if (rules.find(rule) == std::string::npos) rules += (rules.empty() ? "" : ", ") + rule;
  }
  return rules.empty() ? "sound" : rules;
}

// Returns what contradicts a record that has a plan; "" if nothing does.
std::string Contradiction(const PlanRecord& record, const std::string& expected,
                          const std::string& got, const PlanVerdict& verdict) {
  if (!verdict.disagreement.empty()) return "our own opinions differ: " + verdict.disagreement;
  if (got != expected) {
    return verdict.IsSound() ? "no rule is broken" : verdict.checked.breaches[0].text;
  }
  if (!record.optimum || verdict.checked.pools.size() != 1 || !verdict.IsSound()) return "";
  const PoolUse& use = verdict.checked.pools[0];
  if (use.bound <= *record.optimum && *record.optimum <= use.peak) return "";
  return "the optimum of " + std::to_string(*record.optimum) + " bytes is not between " +
         std::to_string(use.bound) + ", which are needed, and the peak of " +
         std::to_string(use.peak);
}

}  // namespace

Verdict JudgePlanRecords(const TestVector& vector) {
  Verdict all;
  all.reason = "no memory plan";
  for (size_t i = 0; i < vector.plans.size(); ++i) {
    const PlanRecord& record = vector.plans[i];
    if (!record.planned.plan) continue;
    const PlanVerdict verdict = JudgePlan(record.planned.problem, *record.planned.plan, false);
    Finding finding;
    finding.oracle = "plan";
    finding.violation = Violation::kPlan;
    finding.expected = record.broken.empty() ? "sound" : record.broken;
    finding.got = VerdictOn(verdict.checked);
    finding.message = Contradiction(record, finding.expected, finding.got, verdict);
    if (finding.message.empty()) {
      if (all.kind == VerdictKind::kUndecided) all.kind = VerdictKind::kAgrees;
      all.reason.clear();
      continue;
    }
    finding.rule = record.broken;
    finding.tensor = "plan " + std::to_string(i);
    all.kind = VerdictKind::kDisagrees;
    all.reason.clear();
    all.findings.push_back(std::move(finding));
  }
  return all;
}

}  // namespace assay

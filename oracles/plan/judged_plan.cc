// SPDX-License-Identifier: Apache-2.0
#include "judged_plan.h"

#include <algorithm>
#include <utility>

#include "enum_names.h"

namespace assay {
namespace {

// Returns true if the buffer has all of the bytes at the tick of the breach, by its own numbers. If
// the breach has no tick, any time counts.
bool Holds(const BufferInfo& buffer, const PoolAllocation& at, const PlanBreach& breach) {
  if (!breach.tick) {
    return at.offset <= breach.begin && breach.end - at.offset <= buffer.size_bytes;
  }
  return std::any_of(buffer.live.begin(), buffer.live.end(), [&](const LiveRange& live) {
    const int64_t window_upper = live.window_upper.value_or(buffer.size_bytes);
    return live.lower <= *breach.tick && *breach.tick < live.upper &&
           at.offset + live.window_lower <= breach.begin && breach.end <= at.offset + window_upper;
  });
}

bool Conflicts(const MemoryProblem& problem, int32_t a, int32_t b) {
  const auto lists = [&](int32_t who, int32_t whom) {
    const auto& conflicts = problem.buffers[static_cast<size_t>(who)].conflicts;
    return std::find(conflicts.begin(), conflicts.end(), whom) != conflicts.end();
  };
  return lists(a, b) || lists(b, a);
}

// Returns true if the problem and the plan alone confirm an overlap.
bool Replays(const PlanBreach& breach, const MemoryProblem& problem, const MemoryPlan& plan) {
  if (breach.buffer == breach.other || breach.begin >= breach.end) return false;
  if (!breach.tick && !Conflicts(problem, *breach.buffer, *breach.other)) return false;
  for (const int32_t index : {*breach.buffer, *breach.other}) {
    const auto i = static_cast<size_t>(index);
    const auto& at = plan.allocations[i];
    if (!at || at->pool != breach.pool || !Holds(problem.buffers[i], *at, breach)) return false;
  }
  return true;
}

class Judge {
 public:
  Judge(const MemoryProblem& problem, const MemoryPlan& plan) : problem_(problem), plan_(plan) {}

  PlanVerdict Run(bool prove) {
    verdict_.checked = CheckPlan(problem_, plan_);
    AddSweep();
    if (prove) {
      const CheckedPlan& checked = verdict_.checked;
      if (checked.certificate && !Collides()) {
        verdict_.opinions.push_back(OpinionOnFacts(problem_, plan_, *checked.certificate));
      }
      verdict_.opinions.push_back(OpinionOnPoint(problem_, plan_));
      verdict_.opinions.push_back(OpinionOnPairs(problem_, plan_));
    }
    Compare();
    if (prove) AskOfPools();
    return std::move(verdict_);
  }

 private:
  bool Collides() const {
    const auto& breaches = verdict_.checked.breaches;
    return std::any_of(breaches.begin(), breaches.end(),
                       [](const PlanBreach& breach) { return breach.rule == PlanRule::kOverlap; });
  }

  void AddSweep() {
    const PlanOpinionKind kind = Collides() ? PlanOpinionKind::kCollides : PlanOpinionKind::kSound;
    verdict_.opinions.push_back({"sweep", kind, std::nullopt});
    if (const auto& certificate = verdict_.checked.certificate) {
      const std::string flaw = FlawOf(*certificate, problem_, plan_);
      if (!flaw.empty()) Disagree("the certificate has " + flaw);
      if (kind == PlanOpinionKind::kSound) {
        verdict_.opinions.push_back({"certificate checker", kind, std::nullopt});
      }
    }
    for (const PlanBreach& breach : verdict_.checked.breaches) {
      if (breach.rule != PlanRule::kOverlap) continue;
      if (!Replays(breach, problem_, plan_)) Disagree("no collision: " + breach.text);
    }
    if (kind == PlanOpinionKind::kCollides) {
      verdict_.opinions.push_back({"replay", kind, std::nullopt});
    }
  }

  void Compare() {
    const PlanOpinion& first = verdict_.opinions[0];
    for (const PlanOpinion& opinion : verdict_.opinions) {
      if (opinion.kind == PlanOpinionKind::kUndecided || opinion.kind == first.kind) continue;
      Disagree(std::string(first.by) + ": " + std::string(PlanOpinionName(first.kind)) + ", but " +
               std::string(opinion.by) + ": " + std::string(PlanOpinionName(opinion.kind)));
    }
  }

  void AskOfPools() {
    const std::vector<PoolUse>& pools = verdict_.checked.pools;
    const auto& breaches = verdict_.checked.breaches;
    const bool beyond = std::any_of(breaches.begin(), breaches.end(), [](const PlanBreach& breach) {
      return breach.rule == PlanRule::kBounds;
    });
    for (size_t i = 0; i < pools.size(); ++i) {
      if (verdict_.IsSound()) {
        verdict_.smallest.push_back(FindSmallestPeak(problem_, plan_, i, pools[i]));
        CheckBetterPlan(i);
      } else if (beyond) {
        verdict_.fits.push_back(FitsInto(problem_, plan_, i, pools[i]));
      }
    }
  }

  // Checks the plan that Z3 found like any other plan.
  void CheckBetterPlan(size_t pool) {
    const std::optional<SmallestPeak>& best = verdict_.smallest[pool];
    if (!best) return;
    const CheckedPlan checked = CheckPlan(problem_, best->plan);
    if (!checked.breaches.empty()) Disagree("Z3's plan: " + checked.breaches[0].text);
    if (checked.pools[pool].peak != best->peak) Disagree("Z3's plan has another peak");
  }

  void Disagree(const std::string& what) {
    if (verdict_.disagreement.empty()) verdict_.disagreement = what;
  }

  const MemoryProblem& problem_;
  const MemoryPlan& plan_;
  PlanVerdict verdict_;
};

}  // namespace

PlanVerdict JudgePlan(const MemoryProblem& problem, const MemoryPlan& plan, bool prove) {
  return Judge(problem, plan).Run(prove);
}

std::string_view PlanOpinionName(PlanOpinionKind kind) {
  constexpr std::string_view kNames[] = {"sound", "collides", "undecided"};
  return EntryOf(kNames, kind);
}

}  // namespace assay

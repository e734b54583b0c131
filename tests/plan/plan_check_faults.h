// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checked_plan.h"
#include "overlap_proof.h"

namespace assay {

// A mistake of a checker of memory plans, made from outside: in what the checker is given, in its
// answer, or in the flaw of a certificate that it does not report.
struct PlanCheckFault {
  std::string name;
  std::function<void(PlannedProblem&)> given = nullptr;
  std::function<void(CheckedPlan&, const PlannedProblem&)> answer = nullptr;
  std::string flaw = {};
};

inline int64_t& WindowUpper(const BufferInfo& buffer, LiveRange& live) {
  if (!live.window_upper) live.window_upper = buffer.size_bytes;
  return *live.window_upper;
}

// Returns a change of each live range that has ticks and bytes.
template <class Change>
std::function<void(PlannedProblem&)> EachRange(Change change) {
  return [change](PlannedProblem& all) {
    for (BufferInfo& buffer : all.problem.buffers) {
      for (LiveRange& live : buffer.live) {
        const bool occupies = live.window_lower < WindowUpper(buffer, live);
        if (occupies && live.lower < live.upper) change(live);
      }
    }
  };
}

template <class Change>
std::function<void(PlannedProblem&)> EachBuffer(Change change) {
  return [change](PlannedProblem& all) {
    for (BufferInfo& buffer : all.problem.buffers) change(buffer);
  };
}

template <class Change>
std::function<void(PlannedProblem&)> EachPool(Change change) {
  return [change](PlannedProblem& all) {
    for (PoolInfo& pool : all.problem.pools) change(pool);
  };
}

// Returns an answer without the breaches that `is_overlooked`.
template <class IsOverlooked>
std::function<void(CheckedPlan&, const PlannedProblem&)> Without(IsOverlooked is_overlooked) {
  return [is_overlooked](CheckedPlan& checked, const PlannedProblem& all) {
    std::erase_if(checked.breaches,
                  [&](const PlanBreach& breach) { return is_overlooked(breach, all); });
    if (checked.breaches.empty()) checked.more_breaches = 0;
  };
}

// Returns the tick at which the live range of a buffer begins that has tick `tick`.
inline int64_t BeginOf(const PlannedProblem& all, int32_t buffer, int64_t tick) {
  for (const LiveRange& live : all.problem.buffers[static_cast<size_t>(buffer)].live) {
    if (live.lower <= tick && tick < live.upper) return live.lower;
  }
  return tick;
}

// Returns true if the overlap is one of a buffer that begins with a buffer `below` it, or above.
inline bool IsWithNeighbour(const PlanBreach& breach, const PlannedProblem& all, bool below) {
  if (breach.rule != PlanRule::kOverlap || !breach.tick) return false;
  int32_t earlier = *breach.buffer, later = *breach.other;
  if (BeginOf(all, earlier, *breach.tick) > BeginOf(all, later, *breach.tick)) {
    std::swap(earlier, later);
  }
  const auto offset = [&](int32_t buffer) {
    return all.plan->allocations[static_cast<size_t>(buffer)]->offset;
  };
  return below ? offset(earlier) <= offset(later) : offset(earlier) > offset(later);
}

// Faults of the kinds that were seen in checkers, and each rule and each flaw that a checker could
// leave out.
inline std::vector<PlanCheckFault> AllPlanCheckFaults() {
  std::vector<PlanCheckFault> faults = {
      {"touching-bytes", EachRange([](LiveRange& live) { ++*live.window_upper; })},
      {"last-byte", EachRange([](LiveRange& live) { --*live.window_upper; })},
      {"first-byte", EachRange([](LiveRange& live) { ++live.window_lower; })},
      {"touching-ticks", EachRange([](LiveRange& live) { ++live.upper; })},
      {"last-tick", EachRange([](LiveRange& live) { --live.upper; })},
      {"first-tick", EachRange([](LiveRange& live) { ++live.lower; })},
      {"never-ends", EachRange([](LiveRange& live) { live.upper = 1 << 30; })},
      {"gaps", EachBuffer([](BufferInfo& buffer) {
         if (buffer.live.size() < 2) return;
         buffer.live = {{buffer.live.front().lower, buffer.live.back().upper}};
       })},
      {"windows", EachBuffer([](BufferInfo& buffer) {
         for (LiveRange& live : buffer.live) live = {live.lower, live.upper};
       })},
      {"empty-buffers", EachBuffer([](BufferInfo& buffer) {
         buffer.size_bytes = std::max<int64_t>(buffer.size_bytes, 1);
       })},
      {"listed-conflicts", EachBuffer([](BufferInfo& buffer) { buffer.conflicts.clear(); })},
      {"half-of-alignment", EachBuffer([](BufferInfo& buffer) {
         buffer.alignment = std::max<int64_t>(buffer.alignment / 2, 1);
       })},
      {"alignment-of-base", EachPool([](PoolInfo& pool) { pool.alignment = 0; })},
      {"pool-ends-later", EachPool([](PoolInfo& pool) {
         if (pool.size_bytes) ++*pool.size_bytes;
       })},
      {"pool-ends-earlier", EachPool([](PoolInfo& pool) {
         if (pool.size_bytes > 0) --*pool.size_bytes;
       })},
      {"pool-begins-at-zero", EachPool([](PoolInfo& pool) {
         if (pool.size_bytes) *pool.size_bytes += pool.offset;
         pool.offset = 0;
       })},
      {"pools-are-one",
       [](PlannedProblem& all) {
         for (auto& place : all.plan->allocations) {
           if (place && place->pool > 0) place->pool = 0;
         }
       }},
      {"neighbour-below", nullptr, Without([](const PlanBreach& breach, const PlannedProblem& all) {
         return IsWithNeighbour(breach, all, true);
       })},
      {"neighbour-above", nullptr, Without([](const PlanBreach& breach, const PlannedProblem& all) {
         return IsWithNeighbour(breach, all, false);
       })},
      {"last-breach-first", nullptr,
       [](CheckedPlan& checked, const PlannedProblem&) {
         std::reverse(checked.breaches.begin(), checked.breaches.end());
       }},
      {"bound-too-low", nullptr,
       [](CheckedPlan& checked, const PlannedProblem&) {
         for (PoolUse& pool : checked.pools) --pool.bound;
       }},
      {"peak-too-low", nullptr,
       [](CheckedPlan& checked, const PlannedProblem&) {
         for (PoolUse& pool : checked.pools) --pool.peak;
       }},
      {"live-bytes-in-certificate", nullptr,
       [](CheckedPlan& checked, const PlannedProblem&) {
         if (checked.certificate) --checked.certificate->max_live[0].bytes;
       }},
      {"order-in-certificate", nullptr,
       [](CheckedPlan& checked, const PlannedProblem&) {
         if (!checked.certificate || checked.certificate->events.empty()) return;
         std::swap(checked.certificate->events.front(), checked.certificate->events.back());
       }},
  };
  for (const PlanRule rule : {PlanRule::kOverlap, PlanRule::kBounds, PlanRule::kAlignment,
                              PlanRule::kPool, PlanRule::kAccess, PlanRule::kFixedOffset,
                              PlanRule::kMissing, PlanRule::kUnknown, PlanRule::kTwice}) {
    faults.push_back({"rule-" + std::string(PlanRuleName(rule)), nullptr,
                      Without([rule](const PlanBreach& breach, const PlannedProblem&) {
                        return breach.rule == rule;
                      })});
  }
  for (const char* flaw :
       {"an event of no live range", "a range out of turn",
        "events that are not in the order of time", "a neighbour that is not live in the pool",
        "a range that reaches into the next", "a range that does not begin and end",
        "not one most-live tick for each pool", "live bytes that are not there"}) {
    faults.push_back({"flaw-" + std::to_string(faults.size()), nullptr, nullptr, flaw});
  }
  return faults;
}

// Returns the fault that ASSAY_PLAN_CHECK_FAULT names; an empty one if there is none.
inline const PlanCheckFault& FaultInForce() {
  static const PlanCheckFault fault = [] {
    const char* const name = std::getenv("ASSAY_PLAN_CHECK_FAULT");
    for (const PlanCheckFault& row : AllPlanCheckFaults()) {
      if (name != nullptr && row.name == name) return row;
    }
    return PlanCheckFault{};
  }();
  return fault;
}

}  // namespace assay

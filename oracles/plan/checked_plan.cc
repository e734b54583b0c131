// SPDX-License-Identifier: Apache-2.0
#include "checked_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "check.h"
#include "enum_names.h"
#include "peak_bound.h"
#include "quoted.h"

namespace assay {
namespace {

constexpr int64_t kLastByte = std::numeric_limits<int64_t>::max();

bool IsIndexOf(int32_t index, size_t size) {
  return index >= 0 && static_cast<size_t>(index) < size;
}

class Checker {
 public:
  Checker(const MemoryProblem& problem, const MemoryPlan& plan) : problem_(problem), plan_(plan) {
    checked_.pools.resize(problem.pools.size());
    checked_.occupancies.reserve(problem.buffers.size());
  }

  CheckedPlan Run() {
    CheckBuffers();
    CheckStrays();
    SweepResult swept = Sweep(checked_.occupancies, problem_.pools.size());
    for (const Collision& collision : swept.collisions) AddCollision(collision);
    CheckConflicts();
    SetBounds(problem_, plan_, swept.certificate.max_live, checked_);
    if (swept.collisions.empty()) checked_.certificate = std::move(swept.certificate);
    return std::move(checked_);
  }

 private:
  // Checks all buffers. Live ranges lie anywhere in memory, so those of the next buffers are
  // prefetched.
  void CheckBuffers() {
    constexpr size_t kAhead = 16;
    const std::vector<BufferInfo>& buffers = problem_.buffers;
    checked_.occupancies.reserve(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (i + kAhead < buffers.size()) __builtin_prefetch(buffers[i + kAhead].live.data());
      CheckBuffer(i);
    }
  }

  void Add(PlanBreach breach) {
    if (checked_.breaches.size() < CheckedPlan::kBreachesMax) {
      checked_.breaches.push_back(std::move(breach));
    } else {
      ++checked_.more_breaches;
    }
  }

  void Add(PlanRule rule, size_t buffer, std::string text) {
    const std::optional<PoolAllocation>& at = plan_.allocations[buffer];
    PlanBreach breach{.rule = rule, .buffer = static_cast<int32_t>(buffer)};
    if (at) {
      if (IsIndexOf(at->pool, problem_.pools.size())) breach.pool = at->pool;
      breach.begin = at->offset;
      if (__builtin_add_overflow(at->offset, Size(buffer), &breach.end)) breach.end = kLastByte;
    }
    breach.text = Name(buffer) + " " + text;
    Add(std::move(breach));
  }

  std::string Name(size_t buffer) const { return Quoted(problem_.buffers[buffer].name_hint); }
  int64_t Size(size_t buffer) const { return problem_.buffers[buffer].size_bytes; }
  std::string PoolName(int32_t pool) const {
    return "pool " + Quoted(problem_.pools[static_cast<size_t>(pool)].name);
  }

  // Records the rectangles of the buffer; later checks use only these.
  void CheckBuffer(size_t i) {
    const BufferInfo& buffer = problem_.buffers[i];
    const auto first_range = next_range_;
    next_range_ += static_cast<int32_t>(buffer.live.size());
    if (i >= plan_.allocations.size() || !plan_.allocations[i]) {
      Add({.rule = PlanRule::kMissing,
           .buffer = static_cast<int32_t>(i),
           .text = Name(i) + " is not placed"});
      return;
    }
    const PoolAllocation at = *plan_.allocations[i];
    if (!IsIndexOf(at.pool, problem_.pools.size())) {
      return Add(PlanRule::kPool, i, "lies in a pool that is not there");
    }
    CheckPool(i, at);
    CheckAddress(i, at);
    int64_t end = 0;
    const PoolInfo& pool = problem_.pools[static_cast<size_t>(at.pool)];
    if (at.offset < pool.offset || __builtin_add_overflow(at.offset, buffer.size_bytes, &end) ||
        (pool.size_bytes && end > pool.offset + *pool.size_bytes)) {
      AddOutside(i, at);
      if (__builtin_add_overflow(at.offset, buffer.size_bytes, &end)) return;
    }
    Occupy(i, at, first_range);
  }

  void AddOutside(size_t i, const PoolAllocation& at) {
    const PoolInfo& pool = problem_.pools[static_cast<size_t>(at.pool)];
    const std::string limit =
        "from " + std::to_string(pool.offset) +
        (pool.size_bytes ? " to " + std::to_string(pool.offset + *pool.size_bytes) : " on");
    Add(PlanRule::kBounds, i,
        "lies at " + std::to_string(at.offset) + " with " + std::to_string(Size(i)) +
            " bytes, not in " + PoolName(at.pool) + ", which goes " + limit);
  }

  void CheckPool(size_t i, const PoolAllocation& at) {
    const BufferInfo& buffer = problem_.buffers[i];
    const auto& candidates = buffer.pool_candidates;
    if (!candidates.empty() &&
        std::find(candidates.begin(), candidates.end(), at.pool) == candidates.end()) {
      Add(PlanRule::kPool, i, "lies in " + PoolName(at.pool) + ", none of its candidates");
    }
    const auto& targets = problem_.pools[static_cast<size_t>(at.pool)].targets;
    const bool read_only =
        !targets.empty() && std::all_of(targets.begin(), targets.end(), [](const TargetAccess& t) {
          return t.access == PoolAccess::kReadOnly;
        });
    if (read_only && buffer.kind != BufferKind::kConstant) {
      Add(PlanRule::kAccess, i, "lies in " + PoolName(at.pool) + ", which no target can write to");
    }
  }

  void CheckAddress(size_t i, const PoolAllocation& at) {
    const BufferInfo& buffer = problem_.buffers[i];
    const PoolInfo& pool = problem_.pools[static_cast<size_t>(at.pool)];
    if (at.offset % buffer.alignment != 0) {
      Add(PlanRule::kAlignment, i,
          "lies at " + std::to_string(at.offset) + ", which is no multiple of its alignment " +
              std::to_string(buffer.alignment));
    } else if (pool.alignment != 0 && pool.alignment % buffer.alignment != 0) {
      Add(PlanRule::kAlignment, i,
          "is aligned to " + std::to_string(buffer.alignment) + ", but the base of " +
              PoolName(at.pool) + " only to " + std::to_string(pool.alignment));
    }
    if (buffer.fixed_offset && at.offset != *buffer.fixed_offset) {
      Add(PlanRule::kFixedOffset, i,
          "lies at " + std::to_string(at.offset) + ", but must at " +
              std::to_string(*buffer.fixed_offset));
    }
  }

  void Occupy(size_t i, const PoolAllocation& at, int32_t range) {
    const BufferInfo& buffer = problem_.buffers[i];
    PoolUse& use = checked_.pools[static_cast<size_t>(at.pool)];
    ++use.buffers;
    use.total_bytes += buffer.size_bytes;
    if (buffer.size_bytes == 0) return;
    // An offset below the pool's is a breach, and the difference may even overflow.
    int64_t peak = 0;
    if (!__builtin_sub_overflow(at.offset + buffer.size_bytes,
                                problem_.pools[static_cast<size_t>(at.pool)].offset, &peak)) {
      use.peak = std::max(use.peak, peak);
    }
    for (const LiveRange& live : buffer.live) {
      const int64_t upper = live.window_upper.value_or(buffer.size_bytes);
      if (live.lower < live.upper && live.window_lower < upper) {
        checked_.occupancies.push_back({live.lower, live.upper, at.offset + live.window_lower,
                                        at.offset + upper, static_cast<int32_t>(i), at.pool,
                                        range});
      }
      ++range;
    }
  }

  void CheckStrays() {
    if (plan_.strays.empty()) return;
    std::map<std::string_view, int32_t> buffers;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      buffers.emplace(problem_.buffers[i].name_hint, static_cast<int32_t>(i));
    }
    for (const StrayAllocation& stray : plan_.strays) {
      const auto same = buffers.find(stray.buffer);
      const bool twice = same != buffers.end();
      Add({.rule = twice ? PlanRule::kTwice : PlanRule::kUnknown,
           .buffer = twice ? std::optional(same->second) : std::nullopt,
           .begin = stray.offset,
           .end = stray.offset,
           .text = Quoted(stray.buffer) +
                   (twice ? " is placed a second time" : " is placed, but not in the problem") +
                   ", in pool " + Quoted(stray.pool) + " at " + std::to_string(stray.offset)});
    }
  }

  void AddOverlap(int32_t first, int32_t second, int32_t pool, std::optional<int64_t> tick,
                  int64_t begin, int64_t end) {
    const auto [low, high] = std::minmax(first, second);
    if (!overlaps_.emplace(low, high).second) return;
    Add({PlanRule::kOverlap, first, second, pool, tick, begin, end,
         Name(static_cast<size_t>(first)) + " and " + Name(static_cast<size_t>(second)) +
             " share bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
             PoolName(pool) +
             (tick ? " at tick " + std::to_string(*tick) : ", though they conflict")});
  }

  void AddCollision(const Collision& collision) {
    const Occupancy& a = checked_.occupancies[collision.first];
    const Occupancy& b = checked_.occupancies[collision.second];
    AddOverlap(a.buffer, b.buffer, a.pool, collision.tick, std::max(a.begin, b.begin),
               std::min(a.end, b.end));
  }

  void CheckConflicts() {
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      for (int32_t other : problem_.buffers[i].conflicts) {
        const auto j = static_cast<size_t>(other);
        if (i == j || !IsPlaced(i) || !IsPlaced(j)) continue;
        const PoolAllocation& a = *plan_.allocations[i];
        const PoolAllocation& b = *plan_.allocations[j];
        const int64_t begin = std::max(a.offset, b.offset);
        const int64_t end = std::min(a.offset + Size(i), b.offset + Size(j));
        if (a.pool != b.pool || begin >= end || Size(i) == 0 || Size(j) == 0) continue;
        AddOverlap(static_cast<int32_t>(i), other, a.pool, std::nullopt, begin, end);
      }
    }
  }

  // Returns true if the plan places the buffer in an existing pool, with an end within 64 bits.
  bool IsPlaced(size_t i) const {
    if (i >= plan_.allocations.size() || !plan_.allocations[i]) return false;
    int64_t end = 0;
    return IsIndexOf(plan_.allocations[i]->pool, problem_.pools.size()) &&
           !__builtin_add_overflow(plan_.allocations[i]->offset, Size(i), &end);
  }

  const MemoryProblem& problem_;
  const MemoryPlan& plan_;
  int32_t next_range_ = 0;
  std::set<std::pair<int32_t, int32_t>> overlaps_;
  CheckedPlan checked_;
};

}  // namespace

std::string_view PlanRuleName(PlanRule rule) {
  constexpr std::string_view kNames[] = {"overlap",      "bounds",  "alignment", "pool", "access",
                                         "fixed-offset", "missing", "unknown",   "twice"};
  return EntryOf(kNames, rule);
}

CheckedPlan CheckPlan(const MemoryProblem& problem, const MemoryPlan& plan) {
  Check(plan.allocations.size() <= problem.buffers.size(), "a plan has an allocation per buffer");
  return Checker(problem, plan).Run();
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "peak_bound.h"

#include <algorithm>

namespace assay {
namespace {

using Neighbours = std::vector<std::vector<int32_t>>;

// Returns the listed conflicts among buffers of one pool, in both directions, in order.
Neighbours ListedConflicts(const MemoryProblem& problem, const MemoryPlan& plan) {
  Neighbours all(problem.buffers.size());
  const auto pool = [&](size_t i) {
    const bool placed = i < plan.allocations.size() && plan.allocations[i];
    return placed ? plan.allocations[i]->pool : -1;
  };
  for (size_t i = 0; i < all.size(); ++i) {
    for (int32_t other : problem.buffers[i].conflicts) {
      const auto j = static_cast<size_t>(other);
      if (i == j || pool(i) != pool(j) || pool(i) < 0) continue;
      all[i].push_back(other);
      all[j].push_back(static_cast<int32_t>(i));
    }
  }
  for (std::vector<int32_t>& row : all) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return all;
}

class CliqueFinder {
 public:
  CliqueFinder(const MemoryProblem& problem, const MemoryPlan& plan)
      : problem_(problem), conflicts_(ListedConflicts(problem, plan)) {}

  // Returns the buffers that promise the largest cliques, by the bytes of themselves and their
  // neighbours.
  std::vector<int32_t> Seeds() const {
    constexpr size_t kSeedsMax = 64;
    std::vector<std::pair<double, int32_t>> seeds;
    for (size_t i = 0; i < conflicts_.size(); ++i) {
      if (conflicts_[i].empty()) continue;
      double bytes = static_cast<double>(Size(static_cast<int32_t>(i)));
      for (int32_t other : conflicts_[i]) bytes += static_cast<double>(Size(other));
      seeds.emplace_back(-bytes, static_cast<int32_t>(i));
    }
    std::sort(seeds.begin(), seeds.end());
    seeds.resize(std::min(seeds.size(), kSeedsMax));
    std::vector<int32_t> buffers;
    for (const auto& [bytes, buffer] : seeds) buffers.push_back(buffer);
    return buffers;
  }

  // Returns a clique: the seed, and greedily the largest of its neighbours that conflict with all
  // members so far.
  std::vector<int32_t> Grow(int32_t seed) const {
    std::vector<int32_t> candidates = conflicts_[static_cast<size_t>(seed)];
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](int32_t a, int32_t b) { return Size(a) > Size(b); });
    std::vector<int32_t> clique = {seed};
    for (int32_t candidate : candidates) {
      const auto& row = conflicts_[static_cast<size_t>(candidate)];
      const bool fits = std::all_of(clique.begin(), clique.end(), [&](int32_t member) {
        return std::binary_search(row.begin(), row.end(), member);
      });
      if (fits) clique.push_back(candidate);
    }
    std::sort(clique.begin(), clique.end());
    return clique;
  }

  int64_t BytesOf(const std::vector<int32_t>& clique) const {
    int64_t bytes = 0;
    for (int32_t member : clique) bytes += Size(member);
    return bytes;
  }

 private:
  int64_t Size(int32_t buffer) const {
    return problem_.buffers[static_cast<size_t>(buffer)].size_bytes;
  }

  const MemoryProblem& problem_;
  const Neighbours conflicts_;
};

void Raise(PoolUse& use, int64_t bound, std::optional<int64_t> tick, std::vector<int32_t> clique) {
  if (bound <= use.bound) return;
  use.bound = bound;
  use.bound_tick = tick;
  use.clique = std::move(clique);
}

void RaiseToMaxLive(const MemoryProblem& problem,
                    std::span<const PlanCertificate::MaxLive> max_live, CheckedPlan& checked) {
  const size_t pools = checked.pools.size();
  std::vector<std::vector<int32_t>> live(pools);
  std::vector<int64_t> top(pools);
  for (const Occupancy& one : checked.occupancies) {
    const auto pool = static_cast<size_t>(one.pool);
    const int64_t tick = max_live[pool].tick;
    if (tick < one.lower || one.upper <= tick) continue;
    live[pool].push_back(one.buffer);
    top[pool] = std::max(top[pool], one.end);
  }
  for (size_t pool = 0; pool < pools; ++pool) {
    const auto [bytes, tick] = max_live[pool];
    const int64_t height = top[pool] - problem.pools[pool].offset;
    checked.pools[pool].fragmentation = std::max<int64_t>(0, height - bytes);
    Raise(checked.pools[pool], bytes, tick, std::move(live[pool]));
  }
}

void RaiseToLargest(const MemoryProblem& problem, const MemoryPlan& plan, CheckedPlan& checked) {
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    if (!plan.allocations[i] || plan.allocations[i]->pool < 0) continue;
    const auto pool = static_cast<size_t>(plan.allocations[i]->pool);
    const int64_t size = problem.buffers[i].size_bytes;
    if (pool >= checked.pools.size() || size <= checked.pools[pool].bound) continue;
    Raise(checked.pools[pool], size, std::nullopt, {static_cast<int32_t>(i)});
  }
}

bool HasListedConflicts(const MemoryProblem& problem) {
  return std::any_of(problem.buffers.begin(), problem.buffers.end(),
                     [](const BufferInfo& buffer) { return !buffer.conflicts.empty(); });
}

}  // namespace

void SetBounds(const MemoryProblem& problem, const MemoryPlan& plan,
               std::span<const PlanCertificate::MaxLive> max_live, CheckedPlan& checked) {
  RaiseToMaxLive(problem, max_live, checked);
  RaiseToLargest(problem, plan, checked);
  if (!HasListedConflicts(problem)) return;
  const CliqueFinder finder(problem, plan);
  for (int32_t seed : finder.Seeds()) {
    const size_t pool = static_cast<size_t>(plan.allocations[static_cast<size_t>(seed)]->pool);
    if (pool >= checked.pools.size()) continue;
    std::vector<int32_t> clique = finder.Grow(seed);
    const int64_t bytes = finder.BytesOf(clique);
    Raise(checked.pools[pool], bytes, std::nullopt, std::move(clique));
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "pools.h"

namespace assay {
Placement::Placement(const MemoryProblem& problem, const Conflicts& conflicts)
    : problem_(problem), conflicts_(conflicts) {
  Clear();
}

void Placement::Clear() {
  plan_.allocations.assign(problem_.buffers.size(), std::nullopt);
  tops_.assign(problem_.pools.size(), 0);
}

bool Placement::Place(int32_t buffer, PlacementRule fit) {
  const auto place = [&](PlacementRule how) {
    bool placed = false;
    ForEachCandidate(problem_, problem_.buffers[static_cast<size_t>(buffer)],
                     [&](int32_t pool) { placed = placed || PlaceIn(pool, buffer, how); });
    return placed;
  };
  return place(fit) || (fit == PlacementRule::kAbove && place(PlacementRule::kFirst));
}

std::optional<int32_t> Placement::PlaceAll(std::span<const int32_t> order, PlacementRule fit) {
  const auto is_fixed = [&](int32_t buffer) {
    return problem_.buffers[static_cast<size_t>(buffer)].fixed_offset.has_value();
  };
  for (const int32_t buffer : order) {
    if (is_fixed(buffer) && !Place(buffer, fit)) return buffer;
  }
  for (const int32_t buffer : order) {
    if (!is_fixed(buffer) && !Place(buffer, fit)) return buffer;
  }
  return std::nullopt;
}

bool Placement::PlaceIn(int32_t pool, int32_t buffer, PlacementRule fit) {
  const PoolInfo& where = problem_.pools[static_cast<size_t>(pool)];
  const BufferInfo& what = problem_.buffers[static_cast<size_t>(buffer)];
  const int64_t highest = HighestOffset(where, what);
  const int64_t lowest = AlignUp(where.offset, what.alignment);
  if (lowest > highest) return false;
  Collect(buffer, pool);
  const int64_t fixed = what.fixed_offset.value_or(-1);
  const int64_t offset = what.fixed_offset
                             ? (fixed >= lowest && IsFree(fixed) ? fixed : highest + 1)
                             : Find(what, lowest, highest, fit);
  if (offset > highest) return false;
  plan_.allocations[static_cast<size_t>(buffer)] = {pool, offset};
  int64_t& top = tops_[static_cast<size_t>(pool)];
  top = std::max(top, offset + what.size_bytes - where.offset);
  return true;
}

void Placement::Collect(int32_t buffer, int32_t pool) {
  forbidden_.clear();
  conflicts_.ForEach(buffer, [&](const Conflict& conflict) {
    ++steps_;
    const auto& place = plan_.allocations[static_cast<size_t>(conflict.buffer)];
    if (!place || place->pool != pool) return;
    forbidden_.push_back({place->offset - conflict.below + 1, place->offset + conflict.above - 1});
  });
  ++steps_;
}

bool Placement::IsFree(int64_t offset) const {
  return std::none_of(forbidden_.begin(), forbidden_.end(), [&](const Forbidden& range) {
    return range.first <= offset && offset <= range.last;
  });
}

// Returns the offset, or one above `highest` if nothing is free.
int64_t Placement::Find(const BufferInfo& buffer, int64_t lowest, int64_t highest,
                        PlacementRule fit) {
  if (fit == PlacementRule::kAbove) {
    int64_t above = lowest;
    for (const Forbidden& range : forbidden_) above = std::max(above, range.last + 1);
    return AlignUp(above, buffer.alignment);
  }

  std::sort(forbidden_.begin(), forbidden_.end(),
            [](const Forbidden& a, const Forbidden& b) { return a.first < b.first; });
  std::optional<int64_t> best;
  int64_t offset = lowest, least = std::numeric_limits<int64_t>::max();
  for (const Forbidden& range : forbidden_) {
    if (offset < range.first && offset <= highest) {
      if (fit == PlacementRule::kFirst) return offset;
      const int64_t left = range.first - 1 - offset;
      if (left < least) {
        least = left;
        best = offset;
      }
    }
    offset = std::max(offset, AlignUp(range.last + 1, buffer.alignment));
  }
  return best.value_or(offset);
}

int64_t Placement::total_bytes() const {
  return std::accumulate(tops_.begin(), tops_.end(), int64_t{0});
}

int64_t TotalBytes(const MemoryProblem& problem, const MemoryPlan& plan) {
  std::vector<int64_t> tops(problem.pools.size(), 0);
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    const PoolAllocation& place = *plan.allocations[i];
    const auto pool = static_cast<size_t>(place.pool);
    tops[pool] = std::max(
        tops[pool], place.offset + problem.buffers[i].size_bytes - problem.pools[pool].offset);
  }
  return std::accumulate(tops.begin(), tops.end(), int64_t{0});
}

}  // namespace assay

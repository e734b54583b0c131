// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "buffer_orders.h"
#include "pools.h"

namespace assay::algorithm {
namespace {

// The free bytes of a pool: the gaps between the bytes in use, and everything above them.
class FreeBytes {
 public:
  explicit FreeBytes(int64_t start) : end_(start) {}

  // Takes bytes from the smallest of a few gaps that are large enough, or from above.
  int64_t Take(int64_t size, int64_t alignment) {
    constexpr int kTries = 8;
    auto gap = by_size_.lower_bound({size, 0});
    for (int i = 0; i < kTries && gap != by_size_.end(); ++i, ++gap) {
      const auto [gap_size, begin] = *gap;
      const int64_t offset = AlignUp(begin, alignment);
      if (offset + size > begin + gap_size) continue;
      Remove(begin);
      Add(begin, offset);
      Add(offset + size, begin + gap_size);
      return offset;
    }
    const int64_t offset = AlignUp(end_, alignment);
    Add(end_, offset);
    end_ = offset + size;
    return offset;
  }

  // Gives bytes back and joins them with the free bytes around them.
  void Give(int64_t begin, int64_t end) {
    const auto above = by_begin_.find(end);
    if (above != by_begin_.end()) {
      end = above->second;
      Remove(above->first);
    }
    const auto below = by_begin_.lower_bound(begin);
    if (below != by_begin_.begin() && std::prev(below)->second == begin) {
      begin = std::prev(below)->first;
      Remove(begin);
    }
    if (end == end_) {
      end_ = begin;
    } else {
      Add(begin, end);
    }
  }

 private:
  void Add(int64_t begin, int64_t end) {
    if (begin == end) return;
    by_begin_[begin] = end;
    by_size_.insert({end - begin, begin});
  }
  void Remove(int64_t begin) {
    const auto gap = by_begin_.find(begin);
    by_size_.erase({gap->second - begin, begin});
    by_begin_.erase(gap);
  }

  int64_t end_;
  std::map<int64_t, int64_t> by_begin_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
};

// Returns the only pool that a buffer may go to; nothing if there are several.
std::optional<int32_t> OnlyPoolOf(const MemoryProblem& problem, const BufferInfo& buffer) {
  std::optional<int32_t> only;
  int32_t count = 0;
  ForEachCandidate(problem, buffer, [&](int32_t pool) {
    only = pool;
    ++count;
  });
  return count == 1 ? only : std::nullopt;
}

// Tells whether live ranges alone determine the conflicts, and each buffer has only one possible
// pool.
bool IsPlain(const MemoryProblem& problem) {
  return std::ranges::all_of(problem.buffers, [&problem](const BufferInfo& buffer) {
    return buffer.conflicts.empty() && !buffer.fixed_offset && buffer.live.size() == 1 &&
           !buffer.live[0].window_upper && OnlyPoolOf(problem, buffer);
  });
}

// Places the buffers in `order` in O(n log n), however many of them conflict.
Result<PlanningResult> Sweep(const PlanningTask& task, const std::vector<int32_t>& order) {
  std::vector<FreeBytes> bytes;
  for (const PoolInfo& pool : task.problem.pools) bytes.emplace_back(pool.offset);
  std::vector<int64_t> tops(bytes.size(), 0);
  using End = std::pair<int64_t, int32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> live;
  PlanningResult result{{}, 0, task.clique.bytes};
  result.plan.allocations.resize(task.problem.buffers.size());
  for (const int32_t i : order) {
    const BufferInfo& buffer = task.problem.buffers[static_cast<size_t>(i)];
    while (!live.empty() && live.top().first <= buffer.live[0].lower) {
      const auto at = static_cast<size_t>(live.top().second);
      const auto [pool, begin] = *result.plan.allocations[at];
      bytes[static_cast<size_t>(pool)].Give(begin, begin + task.problem.buffers[at].size_bytes);
      live.pop();
    }
    const int32_t only = *OnlyPoolOf(task.problem, buffer);
    const auto at = static_cast<size_t>(only);
    const PoolInfo& pool = task.problem.pools[at];
    const int64_t offset = bytes[at].Take(buffer.size_bytes, buffer.alignment);
    if (offset > HighestOffset(pool, buffer)) return NoRoomFor(task.problem, i);
    result.plan.allocations[static_cast<size_t>(i)] = {only, offset};
    tops[at] = std::max(tops[at], offset + buffer.size_bytes - pool.offset);
    if (buffer.size_bytes > 0) live.emplace(buffer.live[0].upper, i);
  }
  result.total_bytes = std::accumulate(tops.begin(), tops.end(), int64_t{0});
  return result;
}

Result<PlanningResult> Plan(const PlanningTask& task, StepBudget& budget) {
  const std::vector<int32_t> order = ByStart(task);
  // With few conflicts and several pools, PlanInOrder() makes the better choice.
  const bool sweeps = task.problem.pools.size() == 1 || !task.conflicts.listed();
  if (!sweeps || !IsPlain(task.problem))
    return PlanInOrder(task, order, PlacementRule::kBest, budget);
  budget.Spend(static_cast<int64_t>(order.size()));
  return Sweep(task, order);
}

}  // namespace

// Works like an allocator at run time.
extern const Algorithm best_fit_by_start_algorithm = {
    .name = "best_fit_by_start",
    .summary = "in order of start time, each buffer in the gap that it fills best",
    .plan = Plan,
};

}  // namespace assay::algorithm

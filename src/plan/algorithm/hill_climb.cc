// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "buffer_orders.h"
#include "random.h"

namespace assay::algorithm {
namespace {

constexpr int kRounds = 500;

// An order of buffers, changed by swaps and rated by the plan that first fit makes of it.
class Climber {
 public:
  Climber(const PlanningTask& task, StepBudget& budget)
      : task_(task),
        budget_(budget),
        placement_(task.problem, task.conflicts),
        order_(BySize(task)),
        rank_(order_.size()) {
    for (size_t i = 0; i < order_.size(); ++i) rank_[Index(order_[i])] = i;
  }

  Result<PlanningResult> Climb() {
    std::optional<int32_t> left_over = Rate();
    if (left_over) return NoRoomFor(task_.problem, *left_over);
    int64_t current = placement_.total_bytes();
    Keep();
    PlanningResult best{plan_, current, task_.clique.bytes};
    for (int round = 1; round < kRounds && best.total_bytes > best.bound_bytes; ++round) {
      if (budget_.left() == 0) break;
      const auto [a, b] = ChooseSwap();
      Swap(a, b);
      left_over = Rate();
      const int64_t total = placement_.total_bytes();
      if (!left_over && (total <= current || Worsens(total, current, round))) {
        current = total;
        Keep();
      } else {
        Swap(a, b);
      }
      if (!left_over && total < best.total_bytes) {
        best.total_bytes = total;
        best.plan = plan_;
      }
    }
    return best;
  }

 private:
  static size_t Index(int32_t buffer) { return static_cast<size_t>(buffer); }

  std::optional<int32_t> Rate() {
    const int64_t before = placement_.steps();
    placement_.Clear();
    const auto left_over = placement_.PlaceAll(order_, PlacementRule::kFirst);
    budget_.Spend(placement_.steps() - before);
    return left_over;
  }

  // Keeps the plan that was rated last, to go on from it.
  void Keep() {
    plan_ = placement_.plan();
    tops_.assign(placement_.tops().begin(), placement_.tops().end());
  }

  // Tells whether to go on from a worse order. This becomes rarer with each round.
  bool Worsens(int64_t total, int64_t current, int round) {
    const auto percent = static_cast<uint64_t>(50 * ((total - current) * 100 / total) / round);
    return random_.Below(10000) < percent;
  }

  void Swap(int32_t a, int32_t b) {
    std::swap(order_[rank_[Index(a)]], order_[rank_[Index(b)]]);
    std::swap(rank_[Index(a)], rank_[Index(b)]);
  }

  // Returns a buffer that ends at the top of its pool.
  int32_t ChooseTop() {
    std::vector<int32_t> highest;
    for (const int32_t buffer : order_) {
      const PoolAllocation& place = *plan_.allocations[Index(buffer)];
      const PoolInfo& pool = task_.problem.pools[Index(place.pool)];
      const int64_t end = place.offset + task_.problem.buffers[Index(buffer)].size_bytes;
      if (end - pool.offset == tops_[Index(place.pool)]) highest.push_back(buffer);
    }
    return random_.Pick(highest);
  }

  // Adds to `found` the buffers that conflict with `buffer` and were placed before it.
  void AddEarlier(int32_t buffer, std::vector<int32_t>& found) const {
    task_.conflicts.ForEach(buffer, [&](const Conflict& conflict) {
      if (rank_[Index(conflict.buffer)] < rank_[Index(buffer)]) found.push_back(conflict.buffer);
    });
  }

  // Chooses two buffers to swap: a buffer that pushed the top one up, and either the top one or a
  // buffer that pushed the first one up.
  std::pair<int32_t, int32_t> ChooseSwap() {
    const int32_t top = ChooseTop();
    std::vector<int32_t> first, second;
    AddEarlier(top, first);
    if (first.empty()) return {top, order_.front()};
    for (const int32_t buffer : first) AddEarlier(buffer, second);
    const int32_t pushed = random_.Pick(first);
    if (second.empty() || random_.OneIn(4)) return {top, pushed};
    return {pushed, random_.Pick(second)};
  }

  const PlanningTask& task_;
  StepBudget& budget_;
  Placement placement_;
  std::vector<int32_t> order_;
  std::vector<size_t> rank_;   // of each buffer in the order
  MemoryPlan plan_;            // what the order makes
  std::vector<int64_t> tops_;  // of its pools
  Random random_{0};
};

Result<PlanningResult> Plan(const PlanningTask& task, StepBudget& budget) {
  return Climber(task, budget).Climb();
}

}  // namespace

// TVM's algorithm, except that it returns the best plan that it has seen, not the last one.
extern const Algorithm hill_climb_algorithm = {
    .name = "hill_climb",
    .summary = "first fit; improves its order by swapping buffers below the highest one",
    .plan = Plan,
};

}  // namespace assay::algorithm

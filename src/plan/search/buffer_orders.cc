// SPDX-License-Identifier: Apache-2.0
#include "buffer_orders.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "quoted.h"

namespace assay {
namespace {

template <class Less>
std::vector<int32_t> Sorted(const PlanningTask& task, Less less) {
  std::vector<int32_t> order(task.problem.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), less);
  return order;
}

const BufferInfo& At(const PlanningTask& task, int32_t buffer) {
  return task.problem.buffers[static_cast<size_t>(buffer)];
}

std::vector<int64_t> Degrees(const PlanningTask& task) {
  std::vector<int64_t> degrees(task.problem.buffers.size());
  for (size_t i = 0; i < degrees.size(); ++i) {
    degrees[i] = task.conflicts.Degree(static_cast<int32_t>(i));
  }
  return degrees;
}

int64_t StartOf(const BufferInfo& buffer) {
  return buffer.live.empty() ? std::numeric_limits<int64_t>::min() : buffer.live.front().lower;
}

// Returns the ticks from the first to the last. As an unsigned number, they cannot overflow.
uint64_t LifetimeOf(const BufferInfo& buffer) {
  if (buffer.live.empty()) return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(buffer.live.back().upper) -
         static_cast<uint64_t>(buffer.live.front().lower);
}

}  // namespace

std::vector<int32_t> BySize(const PlanningTask& task) {
  const std::vector<int64_t> degrees = Degrees(task);
  const auto key = [&](int32_t i) {
    const BufferInfo& buffer = At(task, i);
    return std::tuple(buffer.size_bytes, degrees[static_cast<size_t>(i)],
                      std::string_view(buffer.name_hint));
  };
  return Sorted(task, [&](int32_t a, int32_t b) { return key(a) > key(b); });
}

std::vector<int32_t> ByConflicts(const PlanningTask& task) {
  const std::vector<int64_t> degrees = Degrees(task);
  const auto key = [&](int32_t i) {
    const BufferInfo& buffer = At(task, i);
    return std::tuple(degrees[static_cast<size_t>(i)], buffer.size_bytes,
                      std::string_view(buffer.name_hint));
  };
  return Sorted(task, [&](int32_t a, int32_t b) { return key(a) > key(b); });
}

std::vector<int32_t> ByStart(const PlanningTask& task) {
  const auto key = [&](int32_t i) {
    const BufferInfo& buffer = At(task, i);
    return std::tuple(StartOf(buffer), -buffer.size_bytes, i);
  };
  return Sorted(task, [&](int32_t a, int32_t b) { return key(a) < key(b); });
}

std::vector<int32_t> ByLifetime(const PlanningTask& task) {
  const auto key = [&](int32_t i) {
    const BufferInfo& buffer = At(task, i);
    return std::tuple(LifetimeOf(buffer), buffer.size_bytes, -i);
  };
  return Sorted(task, [&](int32_t a, int32_t b) { return key(a) > key(b); });
}

Result<PlanningResult> PlanInOrder(const PlanningTask& task, const std::vector<int32_t>& order,
                                   PlacementRule fit, StepBudget& budget) {
  Placement placement(task.problem, task.conflicts);
  const std::optional<int32_t> left_over = placement.PlaceAll(order, fit);
  budget.Spend(placement.steps());
  if (left_over) return NoRoomFor(task.problem, *left_over);
  const int64_t total = placement.total_bytes();
  return PlanningResult{placement.TakePlan(), total, task.clique.bytes};
}

Error NoRoomFor(const MemoryProblem& problem, int32_t buffer) {
  const BufferInfo& what = problem.buffers[static_cast<size_t>(buffer)];
  return {Error::Kind::kResource, "no plan found: no pool has room left for " +
                                      Quoted(what.name_hint) + " of " +
                                      std::to_string(what.size_bytes) + " bytes"};
}

}  // namespace assay

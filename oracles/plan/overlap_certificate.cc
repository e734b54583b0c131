// SPDX-License-Identifier: Apache-2.0
#include "overlap_certificate.h"

#include <limits>

namespace assay {
namespace {

struct Rectangle {
  int64_t lower, upper, begin, end;
  size_t pool;
  enum { kToCome, kLive, kOver } state;
};

bool IsPlaced(const MemoryProblem& problem, const MemoryPlan& plan, size_t i) {
  if (i >= plan.allocations.size() || !plan.allocations[i]) return false;
  const PoolAllocation& at = *plan.allocations[i];
  return at.pool >= 0 && static_cast<size_t>(at.pool) < problem.pools.size() &&
         at.offset <= std::numeric_limits<int64_t>::max() - problem.buffers[i].size_bytes;
}

std::vector<Rectangle> RectanglesOf(const MemoryProblem& problem, const MemoryPlan& plan) {
  std::vector<Rectangle> all;
  all.reserve(problem.buffers.size());
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    for (const LiveRange& live : problem.buffers[i].live) {
      const int64_t size = live.window_upper.value_or(problem.buffers[i].size_bytes);
      Rectangle& r = all.emplace_back(Rectangle{live.lower, live.upper, 0, 0, 0, Rectangle::kOver});
      if (!IsPlaced(problem, plan, i)) continue;
      r.begin = plan.allocations[i]->offset + live.window_lower;
      r.end = plan.allocations[i]->offset + size;
      r.pool = static_cast<size_t>(plan.allocations[i]->pool);
      if (r.lower < r.upper && r.begin < r.end) r.state = Rectangle::kToCome;
    }
  }
  return all;
}

// The live ranges, as a ring for each pool in the order of addresses. Ring element `count + pool`
// starts the ring of a pool.
struct Rings {
  Rings(size_t count, size_t pools) : above(count + pools), below(count + pools) {
    for (size_t i = count; i < count + pools; ++i) above[i] = below[i] = i;
  }
  std::vector<size_t> above, below;
};

std::string FlawOfOrder(const PlanCertificate& certificate, std::vector<Rectangle>& all,
                        size_t pools) {
  const size_t count = all.size();
  Rings ring(count, pools);
  int64_t now = std::numeric_limits<int64_t>::min();
  for (const PlanCertificate::Event& event : certificate.events) {
    const auto at = static_cast<size_t>(event.range);
    if (event.range < 0 || at >= count) return "an event of no live range";
    Rectangle& r = all[at];
    const bool ends = event.below == PlanCertificate::kEnds;
    if (r.state != (ends ? Rectangle::kLive : Rectangle::kToCome)) return "a range out of turn";
    const int64_t tick = ends ? r.upper : r.lower;
    if (tick < now) return "events that are not in the order of time";
    now = tick;
    r.state = ends ? Rectangle::kOver : Rectangle::kLive;
    if (ends) {
      ring.above[ring.below[at]] = ring.above[at];
      ring.below[ring.above[at]] = ring.below[at];
      continue;
    }
    const size_t bottom = count + r.pool;
    const size_t below = event.below < 0 ? bottom : static_cast<size_t>(event.below);
    if (below != bottom && (below >= count || all[below].state != Rectangle::kLive ||
                            all[below].pool != r.pool || below == at)) {
      return "a neighbour that is not live in the pool";
    }
    const size_t above = ring.above[below];
    if (below != bottom && all[below].end > r.begin) return "a range that reaches into the next";
    if (above != bottom && r.end > all[above].begin) return "a range that reaches into the next";
    ring.below[at] = below;
    ring.above[at] = above;
    ring.above[below] = ring.below[above] = at;
  }
  for (const Rectangle& r : all) {
    if (r.state != Rectangle::kOver) return "a range that does not begin and end";
  }
  return "";
}

}  // namespace

std::string FlawOf(const PlanCertificate& certificate, const MemoryProblem& problem,
                   const MemoryPlan& plan) {
  const size_t pools = problem.pools.size();
  std::vector<Rectangle> all = RectanglesOf(problem, plan);
  const std::string flaw = FlawOfOrder(certificate, all, pools);
  if (!flaw.empty()) return flaw;
  if (certificate.max_live.size() != pools) return "not one most-live tick for each pool";
  std::vector<int64_t> live(pools);
  for (const Rectangle& r : all) {
    const int64_t tick = certificate.max_live[r.pool].tick;
    if (r.lower <= tick && tick < r.upper) live[r.pool] += r.end - r.begin;
  }
  for (size_t pool = 0; pool < pools; ++pool) {
    if (live[pool] != certificate.max_live[pool].bytes) return "live bytes that are not there";
  }
  return "";
}

}  // namespace assay

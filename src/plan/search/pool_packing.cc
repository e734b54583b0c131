// SPDX-License-Identifier: Apache-2.0
#include "pool_packing.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace assay {
namespace {

// Returns half of the lifetime in ticks, because 64 bits may not hold all of it.
int64_t HalfLifetimeOf(const BufferInfo& buffer) {
  uint64_t ticks = 0;
  for (const LiveRange& range : buffer.live) {
    ticks += static_cast<uint64_t>(range.upper) - static_cast<uint64_t>(range.lower);
  }
  return static_cast<int64_t>(ticks / 2);
}

// The number of buffers to look at to find cliques. More would only take time.
constexpr size_t kLookedAtMax = 2'000'000;

class Packer {
 public:
  Packer(const PlanningTask& task, const std::vector<int32_t>& which, int32_t pool)
      : task_(task), pool_(task.problem.pools[static_cast<size_t>(pool)]) {
    packing_.buffers = which;
    local_.assign(task.problem.buffers.size(), -1);
    for (size_t i = 0; i < which.size(); ++i) {
      local_[static_cast<size_t>(which[i])] = static_cast<int32_t>(i);
    }
  }

  Packing Pack() {
    FindUnit();
    for (size_t i = 0; i < packing_.buffers.size(); ++i) AddBuffer(i);
    AddNeighbours();
    AddSections();
    return std::move(packing_);
  }

 private:
  const BufferInfo& At(size_t i) const {
    return task_.problem.buffers[static_cast<size_t>(packing_.buffers[i])];
  }
  bool IsFixed(int32_t i) const { return packing_.fixed[static_cast<size_t>(i)] >= 0; }

  void FindUnit() {
    int64_t unit = pool_.offset;
    for (size_t i = 0; i < packing_.buffers.size(); ++i) {
      const BufferInfo& buffer = At(i);
      unit = std::gcd(unit, buffer.size_bytes);
      unit = std::gcd(unit, buffer.fixed_offset.value_or(0));
    }
    // An alignment must be a whole number of units. It may also be a divisor of the unit: then any
    // number of units keeps it.
    unit = std::max<int64_t>(unit, 1);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < packing_.buffers.size(); ++i) {
        const int64_t alignment = At(i).alignment;
        if (unit % alignment == 0 || alignment % unit == 0) continue;
        unit = std::gcd(unit, alignment);
        changed = true;
      }
    }
    packing_.unit_bytes = unit;
    packing_.start = pool_.offset / unit;
  }

  void AddBuffer(size_t i) {
    const BufferInfo& buffer = At(i);
    const int64_t unit = packing_.unit_bytes;
    packing_.sizes.push_back(buffer.size_bytes / unit);
    packing_.alignments.push_back(std::max<int64_t>(buffer.alignment / unit, 1));
    packing_.fixed.push_back(buffer.fixed_offset ? *buffer.fixed_offset / unit : -1);
    packing_.lifetimes.push_back(HalfLifetimeOf(buffer));
    packing_.live.push_back(buffer.live);
  }

  void AddNeighbours() {
    std::vector<int32_t> neighbours, obstacles;
    for (const int32_t buffer : packing_.buffers) {
      neighbours.clear();
      obstacles.clear();
      task_.conflicts.ForEach(buffer, [&](const Conflict& conflict) {
        const int32_t other = local_[static_cast<size_t>(conflict.buffer)];
        if (other >= 0) neighbours.push_back(other);
      });
      std::sort(neighbours.begin(), neighbours.end());
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      std::copy_if(neighbours.begin(), neighbours.end(), std::back_inserter(obstacles),
                   [&](int32_t i) { return IsFixed(i); });
      std::sort(obstacles.begin(), obstacles.end(), [&](int32_t a, int32_t b) {
        return packing_.fixed[static_cast<size_t>(a)] < packing_.fixed[static_cast<size_t>(b)];
      });
      packing_.neighbours.Add(neighbours);
      packing_.obstacles.Add(obstacles);
    }
  }

  // Adds sections of time and, for conflicts that the problem states, cliques. In each section of
  // time, the set of live buffers is maximal.
  void AddSections() {
    std::vector<std::vector<int32_t>> sections_of(packing_.buffers.size());
    std::vector<std::vector<int32_t>> sections = SectionsOfTime();
    packing_.by_time = packing_.complete = true;
    for (size_t i = 0; i < packing_.buffers.size(); ++i) {
      for (const LiveRange& range : At(i).live) {
        if (range.window_upper) packing_.complete = false;
      }
      if (At(i).conflicts.empty()) continue;
      packing_.by_time = false;
      if (looked_at_ < kLookedAtMax) sections.push_back(GrowClique(static_cast<int32_t>(i)));
    }
    for (size_t s = 0; s < sections.size(); ++s) {
      for (const int32_t i : sections[s]) {
        sections_of[static_cast<size_t>(i)].push_back(static_cast<int32_t>(s));
      }
      packing_.sections.Add(sections[s]);
    }
    for (const auto& own : sections_of) packing_.sections_of.Add(own);
  }

  struct Event {
    int64_t tick = 0;
    bool starts = false;
    int32_t buffer = 0;
  };

  std::vector<std::vector<int32_t>> SectionsOfTime() const {
    std::vector<Event> events;
    for (size_t i = 0; i < packing_.buffers.size(); ++i) {
      const auto self = static_cast<int32_t>(i);
      if (IsFixed(self) || packing_.sizes[i] == 0) continue;
      for (const LiveRange& range : At(i).live) {
        if (range.lower == range.upper) continue;
        events.push_back({range.lower, true, self});
        events.push_back({range.upper, false, self});
      }
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return std::tie(a.tick, a.starts, a.buffer) < std::tie(b.tick, b.starts, b.buffer);
    });
    std::vector<std::vector<int32_t>> sections;
    std::vector<int32_t> live;
    bool grew = false;
    for (const Event& event : events) {
      if (event.starts) {
        live.push_back(event.buffer);
      } else {
        if (grew) sections.push_back(live);
        std::erase(live, event.buffer);
      }
      grew = event.starts;
    }
    return sections;
  }

  std::vector<int32_t> GrowClique(int32_t start) {
    std::vector<int32_t> clique = {start}, rest;
    if (IsFixed(start)) return {};
    const auto own = packing_.neighbours[start];
    std::copy_if(own.begin(), own.end(), std::back_inserter(rest),
                 [&](int32_t i) { return !IsFixed(i); });
    std::stable_sort(rest.begin(), rest.end(), [&](int32_t a, int32_t b) {
      return packing_.sizes[static_cast<size_t>(a)] > packing_.sizes[static_cast<size_t>(b)];
    });
    while (!rest.empty()) {
      const int32_t next = rest.front();
      clique.push_back(next);
      looked_at_ += rest.size();
      const auto allowed = packing_.neighbours[next];
      std::erase_if(
          rest, [&](int32_t i) { return !std::binary_search(allowed.begin(), allowed.end(), i); });
    }
    return clique;
  }

  const PlanningTask& task_;
  const PoolInfo& pool_;
  std::vector<int32_t> local_;  // the place in the packing of each buffer of the problem
  Packing packing_;
  size_t looked_at_ = 0;  // for cliques
};

}  // namespace

int64_t Packing::HeightOf(std::span<const int64_t> offsets) const {
  int64_t height = start;
  for (size_t i = 0; i < offsets.size(); ++i) height = std::max(height, offsets[i] + sizes[i]);
  return height;
}

int64_t LeastHeight(const Packing& packing) {
  int64_t height = packing.start;
  for (int32_t s = 0; s < packing.sections.size(); ++s) {
    int64_t bytes = packing.start;
    for (const int32_t i : packing.sections[s]) bytes += packing.sizes[static_cast<size_t>(i)];
    height = std::max(height, bytes);
  }
  for (size_t i = 0; i < packing.sizes.size(); ++i) {
    height = std::max(height, std::max(packing.fixed[i], packing.start) + packing.sizes[i]);
  }
  return height;
}

Packing PackingOf(const PlanningTask& task, const std::vector<int32_t>& which, int32_t pool) {
  return Packer(task, which, pool).Pack();
}

}  // namespace assay

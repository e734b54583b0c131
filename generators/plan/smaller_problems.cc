// SPDX-License-Identifier: Apache-2.0
#include "smaller_problems.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace assay {
namespace {

// Returns the problem without buffers [first, first + count).
PlannedProblem WithoutBuffers(PlannedProblem planned, size_t first, size_t count) {
  auto& buffers = planned.problem.buffers;
  const auto cut = [&](auto& list) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    list.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  cut(buffers);
  cut(planned.plan->allocations);
  const auto begin = static_cast<int32_t>(first), end = static_cast<int32_t>(first + count);
  for (BufferInfo& buffer : buffers) {
    std::erase_if(buffer.conflicts, [&](int32_t other) { return other >= begin && other < end; });
    for (int32_t& other : buffer.conflicts) other -= other >= end ? end - begin : 0;
  }
  return planned;
}

// Removes a pool in which nothing is placed.
PlannedProblem WithoutPool(PlannedProblem planned, int32_t pool) {
  planned.problem.pools.erase(planned.problem.pools.begin() + pool);
  for (BufferInfo& buffer : planned.problem.buffers) {
    std::erase(buffer.pool_candidates, pool);
    for (int32_t& candidate : buffer.pool_candidates) candidate -= candidate > pool ? 1 : 0;
  }
  for (auto& place : planned.plan->allocations) place->pool -= place->pool > pool ? 1 : 0;
  return planned;
}

void CutWindows(BufferInfo& buffer) {
  for (LiveRange& range : buffer.live) {
    if (!range.window_upper) continue;
    range.window_upper = std::min(*range.window_upper, buffer.size_bytes);
    range.window_lower = std::min(range.window_lower, *range.window_upper);
  }
}

// Numbers the ticks at which anything begins or ends from 0.
void NumberTicks(MemoryProblem& problem) {
  std::map<int64_t, int64_t> numbers;
  for (const BufferInfo& buffer : problem.buffers) {
    for (const LiveRange& range : buffer.live) numbers[range.lower] = numbers[range.upper] = 0;
  }
  int64_t next = 0;
  for (auto& [tick, number] : numbers) number = next++;
  for (BufferInfo& buffer : problem.buffers) {
    for (LiveRange& range : buffer.live) {
      range.lower = numbers[range.lower];
      range.upper = numbers[range.upper];
    }
  }
}

void NumberNames(MemoryProblem& problem) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    problem.buffers[i].name_hint = "b" + std::to_string(i);
  }
}

// Makes a buffer simpler; does nothing where it is simple already.
using BufferMove = void (*)(BufferInfo& buffer);
constexpr BufferMove kBufferMoves[] = {
    [](BufferInfo& buffer) { buffer.live.clear(); },
    [](BufferInfo& buffer) { buffer.conflicts.clear(); },
    [](BufferInfo& buffer) {
      if (!buffer.conflicts.empty()) buffer.conflicts.pop_back();
    },
    [](BufferInfo& buffer) {
      if (buffer.live.size() > 1) buffer.live.resize(1);
    },
    [](BufferInfo& buffer) {
      if (buffer.live.size() > 1) buffer.live.erase(buffer.live.begin());
    },
    [](BufferInfo& buffer) {
      if (buffer.live.size() > 1) buffer.live.pop_back();
    },
    [](BufferInfo& buffer) {
      for (LiveRange& range : buffer.live) range.upper = std::min(range.upper, range.lower + 1);
    },
    [](BufferInfo& buffer) {
      for (LiveRange& range : buffer.live) range.lower = std::max(range.lower, range.upper - 1);
    },
    [](BufferInfo& buffer) { buffer.fixed_offset.reset(); },
    [](BufferInfo& buffer) { buffer.alignment = 1; },
    [](BufferInfo& buffer) { buffer.alignment /= buffer.alignment % 2 == 0 ? 2 : 1; },
    [](BufferInfo& buffer) { buffer.size_bytes = std::min<int64_t>(buffer.size_bytes, 1); },
    [](BufferInfo& buffer) { buffer.size_bytes = std::min<int64_t>(buffer.size_bytes, 16); },
    [](BufferInfo& buffer) { buffer.size_bytes /= 2; },
    [](BufferInfo& buffer) { buffer.size_bytes -= buffer.size_bytes > 0 ? 1 : 0; },
};

class Mover {
 public:
  explicit Mover(const PlannedProblem& planned) : planned_(planned) {}

  std::vector<PlannedProblem> Run() {
    DropBuffers();
    DropPools();
    for (const BufferMove move : kBufferMoves) {
      ForAll(move);
      for (size_t i = buffers().size(); i-- > 0;) Add([&](PlannedProblem& p) { Move(p, i, move); });
    }
    for (size_t i = 0; i < planned_.problem.pools.size(); ++i) {
      Add([i](PlannedProblem& p) { p.problem.pools[i].size_bytes.reset(); });
      Add([i](PlannedProblem& p) {
        PoolInfo& pool = p.problem.pools[i];
        if (pool.size_bytes) *pool.size_bytes += pool.offset;
        pool.offset = 0;
      });
    }
    Add([](PlannedProblem& p) { NumberTicks(p.problem); });
    Add([](PlannedProblem& p) { NumberNames(p.problem); });
    return std::move(smaller_);
  }

 private:
  const std::vector<BufferInfo>& buffers() const { return planned_.problem.buffers; }

  static void Move(PlannedProblem& planned, size_t buffer, BufferMove move) {
    move(planned.problem.buffers[buffer]);
    CutWindows(planned.problem.buffers[buffer]);
  }

  // Adds the result of an edit if it changes anything.
  void Add(const std::function<void(PlannedProblem&)>& edit) {
    PlannedProblem edited = planned_;
    edit(edited);
    if (!(edited == planned_)) smaller_.push_back(std::move(edited));
  }

  void ForAll(BufferMove move) {
    Add([&](PlannedProblem& p) {
      for (size_t i = 0; i < p.problem.buffers.size(); ++i) Move(p, i, move);
    });
  }

  // Drops chunks, from the back to the front, and halves the chunks.
  void DropBuffers() {
    const size_t size = buffers().size();
    for (size_t length = size / 2; length > 0; length /= 2) {
      for (size_t end = size; end > 0; end -= std::min(length, end)) {
        const size_t first = end > length ? end - length : 0;
        smaller_.push_back(WithoutBuffers(planned_, first, end - first));
      }
    }
  }

  void DropPools() {
    for (size_t i = planned_.problem.pools.size(); i-- > 0;) {
      const auto is_here = [i](const auto& place) { return std::cmp_equal(place->pool, i); };
      if (std::ranges::any_of(planned_.plan->allocations, is_here)) continue;
      smaller_.push_back(WithoutPool(planned_, static_cast<int32_t>(i)));
    }
  }

  const PlannedProblem& planned_;
  std::vector<PlannedProblem> smaller_;
};

}  // namespace

std::vector<PlannedProblem> SmallerProblems(const PlannedProblem& planned) {
  return Mover(planned).Run();
}

}  // namespace assay

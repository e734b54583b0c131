// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "memory_plan.h"

namespace assay {

// The definition of a valid plan in its simplest form: it looks at every pair of buffers.

inline bool ListsConflict(const BufferInfo& buffer, size_t other) {
  return std::find(buffer.conflicts.begin(), buffer.conflicts.end(), static_cast<int32_t>(other)) !=
         buffer.conflicts.end();
}

// Returns true if [a, a + bytes) and [b, b + more) share a byte.
inline bool ShareAByte(int64_t a, int64_t bytes, int64_t b, int64_t more) {
  return std::max(a, b) < std::min(a + bytes, b + more);
}

// Returns true if two buffers at offsets `x` and `y` of one pool corrupt each other.
inline bool Collide(const MemoryProblem& problem, size_t i, int64_t x, size_t j, int64_t y) {
  const BufferInfo& a = problem.buffers[i];
  const BufferInfo& b = problem.buffers[j];
  if ((ListsConflict(a, j) || ListsConflict(b, i)) &&
      ShareAByte(x, a.size_bytes, y, b.size_bytes)) {
    return true;
  }
  const auto bytes = [](const BufferInfo& buffer, const LiveRange& range) {
    return range.window_upper.value_or(buffer.size_bytes) - range.window_lower;
  };
  for (const LiveRange& own : a.live) {
    for (const LiveRange& other : b.live) {
      if (std::max(own.lower, other.lower) < std::min(own.upper, other.upper) &&
          ShareAByte(x + own.window_lower, bytes(a, own), y + other.window_lower,
                     bytes(b, other))) {
        return true;
      }
    }
  }
  return false;
}

inline bool MayLieIn(const BufferInfo& buffer, int32_t pool) {
  return buffer.pool_candidates.empty() ||
         std::find(buffer.pool_candidates.begin(), buffer.pool_candidates.end(), pool) !=
             buffer.pool_candidates.end();
}

// Returns the first mistake of a plan in words, or "".
inline std::string WrongInPlan(const MemoryProblem& problem, const MemoryPlan& plan) {
  if (plan.allocations.size() != problem.buffers.size()) return "not one place a buffer";
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    const std::string name = buffer.name_hint + ": ";
    const auto& place = plan.allocations[i];
    if (!place) return name + "has no place";
    if (!MayLieIn(buffer, place->pool)) return name + "lies in a pool that is no candidate";
    const PoolInfo& pool = problem.pools.at(static_cast<size_t>(place->pool));
    if (place->offset % buffer.alignment != 0) return name + "is misaligned";
    if (pool.alignment % buffer.alignment != 0) return name + "has a misaligned base";
    if (place->offset < pool.offset) return name + "lies before what may be used";
    if (pool.size_bytes && place->offset + buffer.size_bytes > pool.offset + *pool.size_bytes) {
      return name + "ends behind its pool";
    }
    if (buffer.fixed_offset && *buffer.fixed_offset != place->offset) return name + "was moved";
    for (size_t j = 0; j < i; ++j) {
      const auto& other = plan.allocations[j];
      if (other->pool == place->pool && Collide(problem, i, place->offset, j, other->offset)) {
        return name + "shares bytes with " + problem.buffers[j].name_hint;
      }
    }
  }
  return "";
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory_plan.h"
#include "overlap_certificate.h"
#include "overlap_sweep.h"

namespace assay {

// The rules that a plan may break. A plan that breaks none may be used.
enum class PlanRule : uint8_t {
  kOverlap,      // two buffers that conflict share a byte
  kBounds,       // a byte of a buffer is not in its pool
  kAlignment,    // the address is no multiple of the buffer's alignment, or not known to be one
  kPool,         // the pool is none of the problem's, or none of the buffer's candidates
  kAccess,       // no target can write to the pool, and the buffer is written
  kFixedOffset,  // the buffer is not where it must be
  kMissing,      // the plan does not place the buffer
  kUnknown,      // the plan places a buffer that the problem does not have
  kTwice,        // the plan places the buffer a second time
};
std::string_view PlanRuleName(PlanRule rule);  // "overlap", "fixed-offset"

// A broken rule. Buffers and pools are indices of the problem.
struct PlanBreach {
  PlanRule rule = PlanRule::kOverlap;
  std::optional<int32_t> buffer = {};  // nothing for kUnknown
  std::optional<int32_t> other = {};   // of an overlap
  std::optional<int32_t> pool = {};    // nothing if the problem has none
  std::optional<int64_t> tick = {};    // of an overlap of live ranges, the first
  int64_t begin = 0, end = 0;          // the bytes in question, from the pool's base: [begin, end)
  std::string text = {};               // one line for people
};

// The use of a pool.
struct PoolUse {
  int64_t buffers = 0;      // the number of buffers placed in it
  int64_t total_bytes = 0;  // the sum of their sizes
  int64_t peak = 0;         // bytes from the first usable one to the end of the last used one
  // No plan that puts the same buffers here has a lower peak. The bound is the largest buffer, or
  // the most bytes that must be live at once; `clique` has these buffers.
  int64_t bound = 0;
  std::optional<int64_t> bound_tick;  // when; none if `clique` conflicts only by the lists
  std::vector<int32_t> clique;
  // The bytes that are free at that tick below the last live byte.
  int64_t fragmentation = 0;
};

struct CheckedPlan {
  std::vector<PlanBreach> breaches;  // at most kBreachesMax
  int64_t more_breaches = 0;
  std::vector<PoolUse> pools;
  std::vector<Occupancy> occupancies;          // the input of the sweep
  std::optional<PlanCertificate> certificate;  // if no live ranges overlap

  static constexpr size_t kBreachesMax = 1000;
};

// Checks a plan against a problem that ValidateProblem() has found valid. O(n log n) in buffers,
// live ranges and listed conflicts.
CheckedPlan CheckPlan(const MemoryProblem& problem, const MemoryPlan& plan);

}  // namespace assay

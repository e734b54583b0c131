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

// What a plan may break. A plan that breaks none may be used.
enum class PlanRule : uint8_t {
  kOverlap,      // two buffers that conflict share a byte
  kBounds,       // a byte of a buffer is not in its pool
  kAlignment,    // the address is no multiple of the buffer's alignment, or not known to be one
  kPool,         // the pool is none of the problem's, or none of the buffer's candidates
  kAccess,       // no target can write to the pool, and the buffer is written
  kFixedOffset,  // the buffer is not where it must be
  kMissing,      // the plan does not place the buffer
  kUnknown,      // the plan places what the problem does not have
  kTwice,        // the plan places the buffer a second time
};
std::string_view PlanRuleName(PlanRule rule);  // "overlap", "fixed-offset"

// A broken rule. Buffers are indices of the problem, -1 where there is none (kUnknown).
struct PlanBreach {
  PlanRule rule = PlanRule::kOverlap;
  int32_t buffer = -1;
  int32_t other = -1;                // of an overlap
  int32_t pool = -1;                 // -1: none that the problem has
  std::optional<int64_t> tick = {};  // of an overlap of live ranges, the first
  int64_t begin = 0, end = 0;        // the bytes in question, from the pool's base: [begin, end)
  std::string text = {};             // one line for people
};

// How a pool is used.
struct PoolUse {
  int64_t buffers = 0;      // placed in it
  int64_t total_bytes = 0;  // of theirs
  int64_t peak = 0;         // from the first byte that may be used to behind the last that is
  // No plan that puts the same buffers here has a lower peak: the largest buffer, or the most that
  // has to be live at once, which are `clique`.
  int64_t bound = 0;
  std::optional<int64_t> bound_tick;  // when; nothing if `clique` conflicts by the lists alone
  std::vector<int32_t> clique;
  // At that tick, the bytes that are free below the last that is live.
  int64_t fragmentation = 0;
};

struct CheckedPlan {
  std::vector<PlanBreach> breaches;  // at most kBreachesMax
  int64_t more_breaches = 0;
  std::vector<PoolUse> pools;
  std::vector<Occupancy> occupancies;          // what was swept
  std::optional<PlanCertificate> certificate;  // if live ranges do not overlap

  static constexpr size_t kBreachesMax = 1000;
};

// Holds a plan against a problem that ValidateProblem() has found valid. O(n log n) in buffers,
// live ranges and listed conflicts.
CheckedPlan CheckPlan(const MemoryProblem& problem, const MemoryPlan& plan);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conflicts.h"
#include "memory_plan.h"
#include "result.h"

namespace assay {

// The rule by which a place is chosen among the free places of a pool.
enum class PlacementRule {
  kFirst,  // the lowest
  kBest,   // the gap that is left smallest; above everything if there is none
  kAbove,  // above all buffers that it conflicts with
};

// Places the buffers of a problem one after the other, without ever moving one. Pools are tried in
// the order of the buffer's candidates. The problem and the conflicts must outlive it.
class Placement {
 public:
  Placement(const MemoryProblem& problem, const Conflicts& conflicts);

  // Forgets all places.
  void Clear();

  // Finds a place for `buffer`, which has none. With kAbove, if nothing is free above, it takes a
  // free place below. Returns false if no candidate has room.
  bool Place(int32_t buffer, PlacementRule fit);

  // Places the buffers of fixed offset first, then the others, in the given order. Returns the
  // first buffer that has no room, or nothing.
  std::optional<int32_t> PlaceAll(std::span<const int32_t> order, PlacementRule fit);

  const MemoryPlan& plan() const { return plan_; }
  MemoryPlan TakePlan() { return std::move(plan_); }

  // The end of the highest buffer of each pool, from its first usable byte; and the sum of all
  // pools.
  std::span<const int64_t> tops() const { return tops_; }
  int64_t total_bytes() const;

  // Returns how many conflicts were looked at since the beginning.
  int64_t steps() const { return steps_; }

 private:
  // A range of offsets, first to last, that a buffer must not have.
  struct Forbidden {
    int64_t first = 0, last = 0;
  };

  bool PlaceIn(int32_t pool, int32_t buffer, PlacementRule fit);
  void Collect(int32_t buffer, int32_t pool);
  int64_t Find(const BufferInfo& buffer, int64_t lowest, int64_t highest, PlacementRule fit);
  bool IsFree(int64_t offset) const;

  const MemoryProblem& problem_;
  const Conflicts& conflicts_;
  MemoryPlan plan_;
  std::vector<int64_t> tops_;
  std::vector<Forbidden> forbidden_;
  int64_t steps_ = 0;
};

// Returns the bytes of pools that a plan takes, as Placement counts them. Every buffer must have a
// place.
int64_t TotalBytes(const MemoryProblem& problem, const MemoryPlan& plan);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// The data types of static memory planning: what is to be placed, where it may go, and where it
// went. The vocabulary is that of the unified static memory planner (BufferInfo, PoolInfo,
// PoolAllocation). All sizes, offsets and alignments are in bytes. Indices are positions in
// MemoryProblem.

// A live range: the ticks [lower, upper) in which a buffer is live. The buffer is never live if
// they are equal. Only the bytes [window_lower, window_upper) of the buffer are live. This is the
// whole buffer unless a planner's table says otherwise.
struct LiveRange {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t window_lower = 0;
  std::optional<int64_t> window_upper = {};  // none: the buffer's size, and window_lower is 0
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

// Returns the least multiple of `alignment` that is not below `offset`.
constexpr int64_t AlignUp(int64_t offset, int64_t alignment) {
  if (alignment == 1) return offset;
  return (offset + alignment - 1) / alignment * alignment;
}

enum class BufferKind { kIntermediate, kScratch, kInput, kOutput, kConstant, kVariable };

// A buffer to be placed. Two buffers that conflict must not share a byte. They conflict if one
// lists the other in `conflicts`, or if both have live ranges that overlap (in those windows). The
// relation is symmetric and not transitive. A buffer of size 0 conflicts with nothing.
struct BufferInfo {
  std::string name_hint;  // unique in its problem
  int64_t size_bytes = 0;
  int64_t alignment = 1;                // 1 or more; of the address
  std::vector<LiveRange> live = {};     // ordered and disjoint; empty: `conflicts` says it all
  std::vector<int32_t> conflicts = {};  // beyond those of the live ranges
  std::vector<int32_t> pool_candidates = {};  // in the order of preference; empty: every pool
  std::optional<int64_t> fixed_offset = {};   // where it must lie in its pool
  BufferKind kind = BufferKind::kIntermediate;
  friend bool operator==(const BufferInfo&, const BufferInfo&) = default;
};

enum class PoolAccess { kReadWrite, kReadOnly };

// The access of a target to a pool.
struct TargetAccess {
  std::string target;  // "*": every one that is not named
  PoolAccess access = PoolAccess::kReadWrite;
  friend bool operator==(const TargetAccess&, const TargetAccess&) = default;
};

// A memory pool. A buffer's alignment divides its offset in the pool and, if it is known, the
// alignment of the base.
struct PoolInfo {
  std::string name;                        // unique in its problem
  std::optional<int64_t> size_bytes = {};  // of what may be used, [offset, offset + size)
  int64_t alignment = 0;                   // of its base; 0: of whatever its buffers need
  int64_t offset = 0;                      // of its first byte that may be used, from the base
  std::vector<TargetAccess> targets = {};  // empty: every target, read and write
  friend bool operator==(const PoolInfo&, const PoolInfo&) = default;
};

struct MemoryProblem {
  // Not inline: copies are made all over the code.
  MemoryProblem();
  MemoryProblem(const MemoryProblem& other);
  MemoryProblem& operator=(const MemoryProblem& other);
  MemoryProblem(MemoryProblem&& other) noexcept;
  MemoryProblem& operator=(MemoryProblem&& other) noexcept;
  ~MemoryProblem();

  std::vector<BufferInfo> buffers;
  std::vector<PoolInfo> pools;
  friend bool operator==(const MemoryProblem&, const MemoryProblem&) = default;
};

// The limit for the sum of all sizes, alignments and fixed offsets of buffers and all offsets of
// pools, and for the size of each pool. Everything is below the limit, so that no sum of a planner
// overflows.
inline constexpr int64_t kPlannedBytesMax = int64_t{1} << 62;

// Checks that a problem follows the rules above. An Error names the first buffer or pool that does
// not, by its place and its name.
Result<Done> ValidateProblem(const MemoryProblem& problem);

// The place of a buffer. `offset` counts from the pool's base.
struct PoolAllocation {
  int32_t pool = 0;
  int64_t offset = 0;
  friend bool operator==(const PoolAllocation&, const PoolAllocation&) = default;
};

// A row of a table that places a buffer which the problem does not have, or places one a second
// time.
struct StrayAllocation {
  std::string buffer;
  std::string pool;
  int64_t offset = 0;
  friend bool operator==(const StrayAllocation&, const StrayAllocation&) = default;
};

// One allocation per buffer of the problem, in its order. It is nothing if a table left the buffer
// out.
struct MemoryPlan {
  std::vector<std::optional<PoolAllocation>> allocations;
  std::vector<StrayAllocation> strays = {};
  friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

// The content of a planner's file: a problem, with or without a plan.
struct PlannedProblem {
  MemoryProblem problem;
  std::optional<MemoryPlan> plan;
  friend bool operator==(const PlannedProblem&, const PlannedProblem&) = default;
};

// Returns "intermediate", "scratch", "input", "output", "constant" or "variable".
std::string_view NameOf(BufferKind kind);
std::optional<BufferKind> BufferKindNamed(std::string_view name);
// Returns "rw" or "ro".
std::string_view NameOf(PoolAccess access);
std::optional<PoolAccess> PoolAccessNamed(std::string_view name);

}  // namespace assay

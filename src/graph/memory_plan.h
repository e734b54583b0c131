#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// The nouns of static memory planning: what is to be placed, where it may go, where it went. Source
// of the vocabulary: the unified static memory planner (BufferInfo, PoolInfo, PoolAllocation).
// All sizes, offsets and alignments are in bytes. Indices are positions in MemoryProblem.

// A stretch of time [lower, upper) in ticks, in which a buffer is live: never, where they are
// equal. Of its bytes, only those of [window_lower, window_upper) are; the whole buffer unless a
// planner's table says otherwise.
struct LiveRange {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t window_lower = 0;
  int64_t window_upper = -1;  // -1: the buffer's size, and then window_lower is 0
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

// The least multiple of `alignment` that is not below `offset`.
constexpr int64_t AlignUp(int64_t offset, int64_t alignment) {
  if (alignment == 1) return offset;
  return (offset + alignment - 1) / alignment * alignment;
}

enum class BufferKind { kIntermediate, kScratch, kInput, kOutput, kConstant, kVariable };

// A buffer to be placed. Two buffers conflict, which means that they must not share a byte, if one
// lists the other in `conflicts`, or if both have live ranges that overlap (in those windows).
// The relation is symmetric and not transitive. A buffer of size 0 conflicts with nothing.
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

// How a target reaches a pool.
struct TargetAccess {
  std::string target;  // "*": every one that is not named
  PoolAccess access = PoolAccess::kReadWrite;
  friend bool operator==(const TargetAccess&, const TargetAccess&) = default;
};

// A buffer's alignment divides its offset in the pool and, where it is known, that of the base.
struct PoolInfo {
  std::string name;         // unique in its problem
  int64_t size_bytes = -1;  // of what may be used, [offset, offset + size); -1: unlimited
  int64_t alignment = 0;    // of its base; 0: of whatever its buffers need
  int64_t offset = 0;       // of its first byte that may be used, from the base
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

// What the sizes, alignments and fixed offsets of buffers and the offsets of pools, all added up,
// stay below, and the size of each pool: so that no sum of a planner overflows.
inline constexpr int64_t kPlannedBytesMax = int64_t{1} << 62;

// Whether a problem keeps what is said above. An Error names the first buffer or pool that does
// not, by its place and its name.
Result<Done> ValidateProblem(const MemoryProblem& problem);

// Where a buffer went: `offset` counts from the pool's base.
struct PoolAllocation {
  int32_t pool = 0;
  int64_t offset = 0;
  friend bool operator==(const PoolAllocation&, const PoolAllocation&) = default;
};

// A row of a table that places a buffer which the problem does not have, or one a second time.
struct StrayAllocation {
  std::string buffer;
  std::string pool;
  int64_t offset = 0;
  friend bool operator==(const StrayAllocation&, const StrayAllocation&) = default;
};

// One allocation per buffer of the problem, in its order; nothing where a table left a buffer out.
struct MemoryPlan {
  std::vector<std::optional<PoolAllocation>> allocations;
  std::vector<StrayAllocation> strays = {};
  friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

// What a file of a planner holds: a problem, with a plan or still without.
struct PlannedProblem {
  MemoryProblem problem;
  std::optional<MemoryPlan> plan;
  friend bool operator==(const PlannedProblem&, const PlannedProblem&) = default;
};

// "intermediate", "scratch", "input", "output", "constant", "variable".
std::string_view NameOf(BufferKind kind);
std::optional<BufferKind> BufferKindNamed(std::string_view name);
// "rw", "ro".
std::string_view NameOf(PoolAccess access);
std::optional<PoolAccess> PoolAccessNamed(std::string_view name);

}  // namespace assay

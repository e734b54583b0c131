// SPDX-License-Identifier: Apache-2.0
#include "memory_plan.h"

#include <array>
#include <unordered_set>

#include "enum_names.h"
#include "quoted.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 6> kKinds = {"intermediate", "scratch",  "input",
                                                    "output",       "constant", "variable"};
constexpr std::array<std::string_view, 2> kAccesses = {"rw", "ro"};

// Adds numbers that are not negative, until the sum is too large.
class Sum {
 public:
  bool Add(int64_t number) {
    if (number >= kPlannedBytesMax - sum_) return false;
    sum_ += number;
    return true;
  }

 private:
  int64_t sum_ = 0;
};

std::string Figure(std::string_view what, int64_t number) {
  return std::string(what) + " " + std::to_string(number) + " ";
}

// Returns what is wrong, or "".
std::string WrongLiveRanges(const BufferInfo& buffer) {
  const LiveRange* before = nullptr;
  for (const LiveRange& range : buffer.live) {
    const std::string text =
        "live range [" + std::to_string(range.lower) + ", " + std::to_string(range.upper) + ") ";
    if (range.lower > range.upper) return text + "ends before it starts";
    if (before != nullptr && range.lower < before->upper) {
      return text + "starts before the one ahead of it ends";
    }
    const int64_t window_upper = range.window_upper.value_or(0);
    if (range.window_lower < 0 || range.window_lower > window_upper ||
        window_upper > buffer.size_bytes) {
      return text + "has a window that is not in the buffer";
    }
    before = &range;
  }
  return "";
}

std::string WrongIndices(const MemoryProblem& problem, const BufferInfo& buffer, size_t self) {
  for (const int32_t conflict : buffer.conflicts) {
    if (conflict < 0 || static_cast<size_t>(conflict) >= problem.buffers.size()) {
      return Figure("conflict", conflict) + "is no buffer";
    }
    if (static_cast<size_t>(conflict) == self) return "conflicts with itself";
  }
  for (const int32_t pool : buffer.pool_candidates) {
    if (pool < 0 || static_cast<size_t>(pool) >= problem.pools.size()) {
      return Figure("pool candidate", pool) + "is no pool";
    }
  }
  return "";
}

std::string WrongBuffer(const BufferInfo& buffer, Sum& sum) {
  if (buffer.size_bytes < 0) return Figure("size_bytes", buffer.size_bytes) + "is negative";
  if (buffer.alignment < 1) return Figure("alignment", buffer.alignment) + "is not positive";
  const int64_t fixed = buffer.fixed_offset.value_or(0);
  if (fixed < 0) return Figure("fixed_offset", fixed) + "is negative";
  if (fixed % buffer.alignment != 0) {
    return Figure("fixed_offset", fixed) + "is no multiple of the alignment " +
           std::to_string(buffer.alignment);
  }
  if (!sum.Add(buffer.size_bytes) || !sum.Add(buffer.alignment) || !sum.Add(fixed)) {
    return Figure("size_bytes", buffer.size_bytes) + "makes more bytes than can be planned";
  }
  return WrongLiveRanges(buffer);
}

std::string WrongPool(const PoolInfo& pool, Sum& sum) {
  const int64_t size = pool.size_bytes.value_or(0);
  if (size < 0) return Figure("size_bytes", size) + "is negative";
  if (pool.alignment < 0) return Figure("alignment", pool.alignment) + "is negative";
  if (pool.offset < 0) return Figure("offset", pool.offset) + "is negative";
  if (size >= kPlannedBytesMax) {
    return Figure("size_bytes", size) + "makes more bytes than can be planned";
  }
  if (!sum.Add(pool.offset)) {
    return Figure("offset", pool.offset) + "makes more bytes than can be planned";
  }
  return "";
}

template <class Row>
Error Wrong(std::string_view list, size_t index, const Row& name, const std::string& what) {
  return BadInput(std::string(list) + " " + std::to_string(index) + " " + Quoted(name) + ": " +
                  what);
}

}  // namespace

MemoryProblem::MemoryProblem() = default;
MemoryProblem::MemoryProblem(const MemoryProblem& other) = default;
MemoryProblem& MemoryProblem::operator=(const MemoryProblem& other) = default;
MemoryProblem::MemoryProblem(MemoryProblem&& other) noexcept = default;
MemoryProblem& MemoryProblem::operator=(MemoryProblem&& other) noexcept = default;
MemoryProblem::~MemoryProblem() = default;

Result<Done> ValidateProblem(const MemoryProblem& problem) {
  Sum sum;
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < problem.pools.size(); ++i) {
    const PoolInfo& pool = problem.pools[i];
    std::string wrong = WrongPool(pool, sum);
    if (wrong.empty() && !names.insert(pool.name).second) wrong = "is there twice";
    if (!wrong.empty()) return Wrong("pool", i, pool.name, wrong);
  }
  names.clear();
  names.reserve(problem.buffers.size());
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    std::string wrong = WrongBuffer(buffer, sum);
    if (wrong.empty()) wrong = WrongIndices(problem, buffer, i);
    if (wrong.empty() && !names.insert(buffer.name_hint).second) wrong = "is there twice";
    if (!wrong.empty()) return Wrong("buffer", i, buffer.name_hint, wrong);
  }
  return Done{};
}

std::string_view NameOf(BufferKind kind) { return EntryOf(kKinds, kind); }
std::optional<BufferKind> BufferKindNamed(std::string_view name) {
  return EnumNamed<BufferKind>(kKinds, name);
}

std::string_view NameOf(PoolAccess access) { return EntryOf(kAccesses, access); }
std::optional<PoolAccess> PoolAccessNamed(std::string_view name) {
  return EnumNamed<PoolAccess>(kAccesses, name);
}

}  // namespace assay

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "memory_plan.h"

namespace assay {

// Where a buffer may go.

// Calls f(pool) for each candidate of a buffer, the preferred one first, but for those whose base
// has too small an alignment.
template <class Function>
void ForEachCandidate(const MemoryProblem& problem, const BufferInfo& buffer, Function f) {
  const auto call = [&](int32_t pool) {
    const int64_t base = problem.pools[static_cast<size_t>(pool)].alignment;
    if (base % buffer.alignment == 0) f(pool);
  };
  for (const int32_t pool : buffer.pool_candidates) call(pool);
  if (!buffer.pool_candidates.empty()) return;
  for (size_t i = 0; i < problem.pools.size(); ++i) call(static_cast<int32_t>(i));
}

// The largest offset at which `buffer` still ends in `pool`; negative if there is none.
int64_t HighestOffset(const PoolInfo& pool, const BufferInfo& buffer);

// Whether any target writes it: a workspace, and not for constants alone.
bool IsWritten(const PoolInfo& pool);

// The candidates for a buffer that operators on `targets` touch (none: it is not known which), in
// the order of the pools: those that all of them read and write. Of a constant: those that all of
// them read, and of these only the ones that nobody writes, if there are any.
std::vector<int32_t> CandidatesFor(const std::vector<PoolInfo>& pools,
                                   const std::vector<std::string>& targets, BufferKind kind);

}  // namespace assay

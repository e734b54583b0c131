// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "memory_plan.h"

namespace assay {

// The pools that a buffer may go to.

// Calls f(pool) for each candidate of a buffer, the preferred one first. Leaves out pools whose
// base has too small an alignment.
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

// Returns the largest offset at which `buffer` still ends in `pool`; negative if there is none.
int64_t HighestOffset(const PoolInfo& pool, const BufferInfo& buffer);

// Returns true if any target writes the pool: then it is a workspace, and not for constants alone.
bool IsWritten(const PoolInfo& pool);

// Returns the candidates for a buffer that operators on `targets` touch, in the order of the pools.
// No targets means that they are not known. For a constant, these are the pools that all targets
// read; if nobody writes some of these, only those. For other buffers, these are the pools that all
// targets read and write.
std::vector<int32_t> CandidatesFor(const std::vector<PoolInfo>& pools,
                                   const std::vector<std::string>& targets, BufferKind kind);

}  // namespace assay

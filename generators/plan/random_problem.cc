// SPDX-License-Identifier: Apache-2.0
#include "random_problem.h"

#include <string>
#include <vector>

namespace assay {
namespace {

std::vector<LiveRange> RandomRanges(Random& random, int64_t size) {
  std::vector<LiveRange> ranges;
  int64_t tick = random.Between(0, 12);
  for (uint64_t left = 1 + (random.OneIn(4) ? random.Below(3) : 0); left > 0; --left) {
    LiveRange range{tick, tick + random.Between(random.OneIn(8) ? 0 : 1, 6)};
    if (size > 1 && random.OneIn(6)) {
      range.window_lower = random.Between(0, size - 1);
      range.window_upper = random.Between(range.window_lower, size);
    }
    tick = range.upper + random.Between(0, 3);
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

BufferInfo RandomBuffer(Random& random, size_t index) {
  const int64_t alignments[] = {1, 1, 4, 16, 3};
  BufferInfo buffer;
  buffer.name_hint = "b" + std::to_string(index);
  buffer.size_bytes = random.OneIn(12) ? 0 : random.Between(1, random.OneIn(3) ? 400 : 40);
  buffer.alignment = random.Pick(alignments);
  if (!random.OneIn(5)) buffer.live = RandomRanges(random, buffer.size_bytes);
  for (uint64_t left = random.OneIn(3) ? random.Below(4) : 0; left > 0 && index > 0; --left) {
    buffer.conflicts.push_back(static_cast<int32_t>(random.Below(index)));
  }
  return buffer;
}

MemoryProblem RandomProblem(Random& random, size_t buffers, bool tight) {
  MemoryProblem problem;
  for (size_t i = random.Below(3); i > 0; --i) {
    problem.pools.push_back(
        {"small" + std::to_string(i), random.Between(0, 800), 0, random.Between(0, 30), {}});
  }
  problem.pools.push_back({"last",
                           tight ? std::optional(random.Between(200, 1500)) : std::nullopt,
                           random.OneIn(3) ? 48 : 0,
                           random.Between(0, 30),
                           {}});
  for (size_t i = 0; i < buffers; ++i) {
    BufferInfo& buffer = problem.buffers.emplace_back(RandomBuffer(random, i));
    for (size_t pool = 0; pool < problem.pools.size(); ++pool) {
      const bool last = pool + 1 == problem.pools.size();
      if (last || random.OneIn(2)) buffer.pool_candidates.push_back(static_cast<int32_t>(pool));
    }
    if (tight && random.OneIn(10)) buffer.fixed_offset = random.Between(3, 12) * 48;
  }
  return problem;
}

}  // namespace assay

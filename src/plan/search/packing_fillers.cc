// SPDX-License-Identifier: Apache-2.0
#include "packing_fillers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "filler_split.h"

namespace assay {
namespace {

constexpr size_t kBuffersMax = 4000;

// The buffers that begin and end at a tick.
struct Moment {
  int64_t begins = 0, ends = 0;  // units
  int64_t ranges = 0;            // by how many live ranges more are live from now on
};

// Returns the steps of the free space, or an empty list if none is free or too much is used. Where
// nothing is live, nothing counts as free.
std::vector<FreeStep> FreeSteps(const Packing& packing, int64_t height) {
  std::map<int64_t, Moment> moments;
  for (size_t i = 0; i < packing.sizes.size(); ++i) {
    if (packing.sizes[i] == 0) continue;
    for (const LiveRange& range : packing.live[i]) {
      if (range.lower == range.upper) continue;
      Moment& begin = moments[range.lower];
      begin.begins += packing.sizes[i];
      ++begin.ranges;
      Moment& end = moments[range.upper];
      end.ends += packing.sizes[i];
      --end.ranges;
    }
  }
  std::vector<FreeStep> steps;
  int64_t used = 0, live = 0, free = 0;
  for (const auto& [tick, moment] : moments) {
    used += moment.begins - moment.ends;
    live += moment.ranges;
    const int64_t before = free;
    free = live == 0 ? 0 : height - packing.start - used;
    if (free < 0) return {};
    if (free == before) continue;
    steps.push_back({tick, free - before, moment.begins > 0 && moment.ends > 0});
  }
  return steps;
}

// Returns the packing of all buffers and the fillers, unless that is too large.
std::optional<Packing> Filled(const Packing& packing, const std::vector<Filler>& fillers,
                              int64_t height) {
  MemoryProblem problem;
  for (size_t i = 0; i < packing.sizes.size(); ++i) {
    BufferInfo& buffer = problem.buffers.emplace_back();
    buffer.size_bytes = packing.sizes[i];
    for (const LiveRange& range : packing.live[i]) {
      buffer.live.push_back({range.lower, range.upper});
    }
  }
  for (const Filler& filler : fillers) {
    BufferInfo& buffer = problem.buffers.emplace_back();
    buffer.size_bytes = filler.size;
    buffer.live = {{filler.from, filler.to}};
  }
  problem.pools.push_back(
      {.name = {}, .size_bytes = height - packing.start, .offset = packing.start});
  const Conflicts conflicts(problem);
  if (!conflicts.listed()) return std::nullopt;
  std::vector<int32_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), 0);
  Packing filled = PackingOf({problem, conflicts, Clique{}}, all, 0);
  filled.live.clear();
  return filled;
}

}  // namespace

std::optional<Packing> WithFillers(const Packing& packing, int64_t height, uint64_t attempt) {
  const auto& alignments = packing.alignments;
  if (packing.sizes.size() > kBuffersMax || !packing.by_time || packing.HasFixed() ||
      std::any_of(alignments.begin(), alignments.end(), [](int64_t i) { return i > 1; })) {
    return std::nullopt;
  }
  const std::vector<Filler> fillers = SplitIntoFillers(FreeSteps(packing, height), attempt);
  if (fillers.empty() || fillers.size() > packing.sizes.size()) return std::nullopt;
  return Filled(packing, fillers, height);
}

}  // namespace assay

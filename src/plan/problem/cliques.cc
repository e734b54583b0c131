// SPDX-License-Identifier: Apache-2.0
#include "cliques.h"

#include <algorithm>
#include <map>
#include <utility>

#include "counted.h"
#include "joined.h"
#include "pools.h"
#include "quoted.h"

namespace assay {
namespace {

// The number of conflicts to look at to find cliques. More would only take time.
constexpr int64_t kLookedAtMax = 2'000'000;

struct Event {
  int64_t tick = 0;
  int64_t bytes = 0;  // the change; negative at an end
};

int64_t WindowBytes(const BufferInfo& buffer, const LiveRange& range) {
  return range.window_upper.value_or(buffer.size_bytes) - range.window_lower;
}

template <class Function>
void ForEachRange(const MemoryProblem& problem, const std::vector<bool>& counts, Function f) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (!counts[i]) continue;
    for (const LiveRange& range : problem.buffers[i].live) {
      const int64_t bytes = WindowBytes(problem.buffers[i], range);
      if (range.lower < range.upper && bytes > 0) f(static_cast<int32_t>(i), range, bytes);
    }
  }
}

// The neighbours of one buffer at a time.
class Neighbours {
 public:
  explicit Neighbours(const Conflicts& conflicts, size_t count)
      : conflicts_(conflicts), mark_(count, -1) {}

  int64_t looked_at() const { return looked_at_; }

  // Returns the buffers that conflict with `buffer`, each once.
  std::vector<int32_t> Of(int32_t buffer) {
    std::vector<int32_t> found;
    ++calls_;
    looked_at_ += conflicts_.Degree(buffer) + 1;
    conflicts_.ForEach(buffer, [&](const Conflict& conflict) {
      int32_t& mark = mark_[static_cast<size_t>(conflict.buffer)];
      if (mark == calls_) return;
      mark = calls_;
      found.push_back(conflict.buffer);
    });
    return found;
  }

 private:
  const Conflicts& conflicts_;
  std::vector<int32_t> mark_;  // of each buffer, the call that found it last
  int32_t calls_ = 0;
  int64_t looked_at_ = 0;
};

bool HasWindows(const MemoryProblem& problem) {
  for (const BufferInfo& buffer : problem.buffers) {
    for (const LiveRange& range : buffer.live) {
      if (range.window_upper) return true;
    }
  }
  return false;
}

// Returns the clique that grows from `start`, heaviest neighbour first.
Clique GrowClique(const MemoryProblem& problem, Neighbours& neighbours,
                  const std::vector<bool>& counts, int32_t start) {
  const auto size = [&](int32_t i) { return problem.buffers[static_cast<size_t>(i)].size_bytes; };
  Clique clique{size(start), {start}};
  std::vector<int32_t> rest = neighbours.Of(start);
  std::erase_if(rest, [&](int32_t i) { return !counts[static_cast<size_t>(i)]; });
  std::sort(rest.begin(), rest.end(),
            [&](int32_t a, int32_t b) { return std::pair(-size(a), a) < std::pair(-size(b), b); });
  while (!rest.empty()) {
    const int32_t next = rest.front();
    clique.bytes += size(next);
    clique.buffers.push_back(next);
    std::vector<int32_t> allowed = neighbours.Of(next);
    std::sort(allowed.begin(), allowed.end());
    std::erase_if(
        rest, [&](int32_t i) { return !std::binary_search(allowed.begin(), allowed.end(), i); });
  }
  std::sort(clique.buffers.begin(), clique.buffers.end());
  return clique;
}

std::vector<int32_t> CandidatesOf(const MemoryProblem& problem, const BufferInfo& buffer) {
  std::vector<int32_t> pools;
  ForEachCandidate(problem, buffer, [&](int32_t pool) { pools.push_back(pool); });
  std::sort(pools.begin(), pools.end());
  return pools;
}

// Returns the bytes of the pools together; nothing if one of them is unlimited.
std::optional<int64_t> SizeOf(const MemoryProblem& problem, const std::vector<int32_t>& pools) {
  int64_t bytes = 0;
  for (const int32_t pool : pools) {
    const std::optional<int64_t> size = problem.pools[static_cast<size_t>(pool)].size_bytes;
    if (!size || *size >= kPlannedBytesMax - bytes) return std::nullopt;
    bytes += *size;
  }
  return bytes;
}

std::string NamesOf(const MemoryProblem& problem, const std::vector<int32_t>& pools) {
  return Joined(pools, ", ", [&](int32_t pool) {
    return Quoted(problem.pools[static_cast<size_t>(pool)].name);
  });
}

// Returns the largest buffers as text: "a" (4), "b" (8) and 3 more.
std::string Listed(const MemoryProblem& problem, std::vector<int32_t> buffers) {
  constexpr size_t kShown = 8;
  std::stable_sort(buffers.begin(), buffers.end(), [&](int32_t a, int32_t b) {
    return problem.buffers[static_cast<size_t>(a)].size_bytes >
           problem.buffers[static_cast<size_t>(b)].size_bytes;
  });
  std::string text;
  for (size_t i = 0; i < std::min(buffers.size(), kShown); ++i) {
    const BufferInfo& buffer = problem.buffers[static_cast<size_t>(buffers[i])];
    text += i == 0 ? "" : ", ";
    text += Quoted(buffer.name_hint) + " (" + std::to_string(buffer.size_bytes) + ")";
  }
  if (buffers.size() > kShown) {
    text += " and " + std::to_string(buffers.size() - kShown) + " more";
  }
  return text;
}

Error DoesNotFit(const MemoryProblem& problem, const std::vector<int32_t>& pools,
                 const Clique& clique) {
  const std::string when = clique.at_tick ? "are live at once, at " + std::to_string(clique.tick)
                                          : "conflict with each other";
  return BadInput("does not fit: " + NamesOf(problem, pools) + " has " +
                  std::to_string(*SizeOf(problem, pools)) + " bytes, but " +
                  Counted(std::ssize(clique.buffers), "buffer") + " of " +
                  std::to_string(clique.bytes) + " bytes that can go nowhere else " + when + ": " +
                  Listed(problem, clique.buffers));
}

}  // namespace

Clique LargestLiveSet(const MemoryProblem& problem, const std::vector<bool>& counts) {
  std::vector<Event> events;
  ForEachRange(problem, counts, [&](int32_t, const LiveRange& range, int64_t bytes) {
    events.push_back({range.lower, bytes});
    events.push_back({range.upper, -bytes});
  });
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::pair(a.tick, a.bytes) < std::pair(b.tick, b.bytes);
  });
  Clique clique;
  int64_t live = 0;
  for (const Event& event : events) {
    live += event.bytes;
    if (live > clique.bytes) {
      clique.bytes = live;
      clique.tick = event.tick;
      clique.at_tick = true;
    }
  }
  ForEachRange(problem, counts, [&](int32_t buffer, const LiveRange& range, int64_t) {
    if (range.lower <= clique.tick && clique.tick < range.upper) clique.buffers.push_back(buffer);
  });
  return clique;
}

Clique HeavyClique(const MemoryProblem& problem, const Conflicts& conflicts,
                   const std::vector<bool>& counts) {
  Clique best = LargestLiveSet(problem, counts);
  const bool said = std::any_of(problem.buffers.begin(), problem.buffers.end(),
                                [](const BufferInfo& buffer) { return !buffer.conflicts.empty(); });
  if (!conflicts.listed() || HasWindows(problem)) return best;
  Neighbours neighbours(conflicts, problem.buffers.size());
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    // The buffer is tried alone; it also grows a clique if live ranges do not give all conflicts.
    if (!counts[i] || (!said && buffer.size_bytes <= best.bytes)) continue;
    if (neighbours.looked_at() > kLookedAtMax) break;
    Clique clique = GrowClique(problem, neighbours, counts, static_cast<int32_t>(i));
    if (clique.bytes > best.bytes) best = std::move(clique);
  }
  return best;
}

namespace {

// Checks each set of limited pools that some buffers have to lie in. The heaviest clique of these
// buffers, found by `clique_of`, must not have more bytes than the pools.
template <class Function>
Result<Done> CheckEachSet(const MemoryProblem& problem, Function clique_of) {
  constexpr size_t kSetsMax = 64;  // more would take longer than they tell
  std::map<std::vector<int32_t>, std::vector<bool>> sets;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    std::vector<int32_t> pools = CandidatesOf(problem, buffer);
    if (pools.empty()) {
      return BadInput(Quoted(buffer.name_hint) + " of alignment " +
                      std::to_string(buffer.alignment) + ": no pool may hold it");
    }
    const bool is_limited = SizeOf(problem, pools).has_value();
    if (!is_limited || (sets.size() == kSetsMax && !sets.contains(pools))) continue;
    sets.try_emplace(std::move(pools), problem.buffers.size(), false);
  }
  for (auto& [pools, counts] : sets) {
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const std::vector<int32_t> own = CandidatesOf(problem, problem.buffers[i]);
      counts[i] = std::includes(pools.begin(), pools.end(), own.begin(), own.end());
    }
    const Clique clique = clique_of(counts);
    if (clique.bytes > *SizeOf(problem, pools)) return DoesNotFit(problem, pools, clique);
  }
  return Done{};
}

}  // namespace

Result<Done> CheckLiveSetsFit(const MemoryProblem& problem) {
  return CheckEachSet(
      problem, [&](const std::vector<bool>& counts) { return LargestLiveSet(problem, counts); });
}

Result<Done> CheckFits(const MemoryProblem& problem, const Conflicts& conflicts) {
  return CheckEachSet(problem, [&](const std::vector<bool>& counts) {
    return HeavyClique(problem, conflicts, counts);
  });
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "smoke_cover.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace assay {
namespace {

// The rank of a candidate: what it adds, then small vectors, then early cases.
using Rank = std::tuple<int64_t, int64_t, int64_t>;  // gain, -bytes, -position

// An item that one candidate reaches counts this much.
constexpr int64_t kOnlyOne = int64_t{1} << 32;

}  // namespace

std::vector<int64_t> SmokeCover(const std::vector<SmokeCandidate>& candidates) {
  int32_t last = -1;
  for (const SmokeCandidate& candidate : candidates) {
    for (const int32_t item : candidate.items) last = std::max(last, item);
  }
  const auto item_count = static_cast<size_t>(last) + 1;
  std::vector<int64_t> reached(item_count, 0);  // by how many candidates
  for (const SmokeCandidate& candidate : candidates) {
    for (const int32_t item : candidate.items) ++reached[static_cast<size_t>(item)];
  }
  std::vector<int32_t> covered(item_count, 0);  // by how many chosen ones
  const auto gain = [&](const SmokeCandidate& candidate) {
    int64_t sum = 0;
    for (const int32_t item : candidate.items) {
      const auto i = static_cast<size_t>(item);
      if (covered[i] == 0) sum += kOnlyOne / reached[i];
    }
    return sum;
  };
  // A candidate never adds more than it did before. So one whose rank was looked up again is the
  // best if it stays in front.
  std::priority_queue<Rank> ranks;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const SmokeCandidate& candidate = candidates[i];
    ranks.emplace(gain(candidate), -candidate.bytes, -static_cast<int64_t>(i));
  }
  std::vector<size_t> chosen;
  while (!ranks.empty()) {
    const auto [told, bytes, position] = ranks.top();
    ranks.pop();
    const auto i = static_cast<size_t>(-position);
    const int64_t now = gain(candidates[i]);
    if (now == 0) continue;
    if (now < told) {
      ranks.emplace(now, bytes, position);
      continue;
    }
    chosen.push_back(i);
    for (const int32_t item : candidates[i].items) ++covered[static_cast<size_t>(item)];
  }
  std::vector<int64_t> numbers;
  for (const size_t i : chosen) {
    const auto& items = candidates[i].items;
    const bool is_needed = std::ranges::any_of(
        items, [&](int32_t item) { return covered[static_cast<size_t>(item)] == 1; });
    if (is_needed) {
      numbers.push_back(candidates[i].number);
    } else {
      for (const int32_t item : items) --covered[static_cast<size_t>(item)];
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace assay

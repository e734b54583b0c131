// SPDX-License-Identifier: Apache-2.0
#include "new_items_first.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace assay {
namespace {

constexpr size_t kInOrder = 4;  // every so many steps take the first candidate that is left

}  // namespace

std::vector<size_t> NewItemsFirst(const std::vector<std::vector<int32_t>>& candidates, size_t count,
                                  std::set<int32_t>& reached) {
  // Pairs of the number of items that a candidate adds and the number of candidates behind it. A
  // candidate never adds more than it did before. So one whose gain was looked up again is the best
  // if it stays in front.
  std::priority_queue<std::pair<int64_t, size_t>> ranks;
  const size_t all = candidates.size();
  for (size_t i = 0; i < all; ++i) ranks.emplace(std::ssize(candidates[i]), all - i);
  std::vector<bool> is_chosen(all, false);
  std::vector<size_t> chosen;
  const auto choose = [&](size_t i) {
    is_chosen[i] = true;
    chosen.push_back(i);
    reached.insert(candidates[i].begin(), candidates[i].end());
  };
  size_t first = 0;  // that is left
  while (chosen.size() < std::min(count, all)) {
    while (is_chosen[first]) ++first;
    if (chosen.size() % kInOrder == kInOrder - 1) {
      choose(first);
      continue;
    }
    const auto [told, behind] = ranks.top();
    ranks.pop();
    const size_t i = all - behind;
    if (is_chosen[i]) continue;
    const int64_t gain =
        std::ranges::count_if(candidates[i], [&](int32_t item) { return !reached.contains(item); });
    if (gain < told) {
      ranks.emplace(gain, behind);
    } else {
      choose(i);
    }
  }
  return chosen;
}

}  // namespace assay

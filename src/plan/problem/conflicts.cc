// SPDX-License-Identifier: Apache-2.0
#include "conflicts.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace assay {
namespace {

// The largest number of conflicts that are listed. Each takes 24 bytes.
constexpr int64_t kListedMax = int64_t{1} << 20;

// Turns counts at [i + 1] into the starts of ranges.
void Accumulate(std::vector<size_t>& counts) {
  for (size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

}  // namespace

Conflicts::Conflicts(const MemoryProblem& problem) : problem_(problem) {
  AddRanges();
  AddSaid();
  ListAll();
}

void Conflicts::AddRanges() {
  entries_of_.assign(problem_.buffers.size() + 1, 0);
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    const BufferInfo& buffer = problem_.buffers[i];
    for (const LiveRange& range : buffer.live) {
      const int64_t upper = range.window_upper.value_or(buffer.size_bytes);
      if (range.lower == range.upper || range.window_lower == upper) continue;
      entries_.push_back(
          {range.lower, range.upper, range.window_lower, upper, static_cast<int32_t>(i)});
      ++entries_of_[i + 1];
    }
  }
  Accumulate(entries_of_);
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.lower < b.lower; });
  order_.resize(entries_.size());
  std::vector<size_t> next(entries_of_.begin(), entries_of_.end() - 1);
  for (size_t i = 0; i < entries_.size(); ++i) {
    order_[next[static_cast<size_t>(entries_[i].buffer)]++] = i;
  }
  while (leaves_ < entries_.size()) leaves_ *= 2;
  largest_upper_.assign(2 * leaves_, std::numeric_limits<int64_t>::min());
  for (size_t i = 0; i < entries_.size(); ++i) largest_upper_[leaves_ + i] = entries_[i].upper;
  for (const Entry& entry : entries_) uppers_.push_back(entry.upper);
  std::sort(uppers_.begin(), uppers_.end());
  for (size_t i = leaves_ - 1; i > 0; --i) {
    largest_upper_[i] = std::max(largest_upper_[2 * i], largest_upper_[2 * i + 1]);
  }
}

// Collects the conflicts that the problem states. A conflict that both sides list, as most tables
// do, counts once from each.
void Conflicts::AddSaid() {
  std::vector<std::pair<int32_t, int32_t>> pairs, reversed;
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    const auto self = static_cast<int32_t>(i);
    for (const int32_t other : problem_.buffers[i].conflicts) {
      if (Size(self) == 0 || Size(other) == 0) continue;
      pairs.emplace_back(self, other);
      reversed.emplace_back(other, self);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::sort(reversed.begin(), reversed.end());
  std::vector<std::pair<int32_t, int32_t>> both;
  std::set_union(pairs.begin(), pairs.end(), reversed.begin(), reversed.end(),
                 std::back_inserter(both));
  said_of_.assign(problem_.buffers.size() + 1, 0);
  for (const auto& [self, other] : both) {
    ++said_of_[static_cast<size_t>(self) + 1];
    said_.push_back(other);
  }
  Accumulate(said_of_);
}

void Conflicts::ListAll() {
  for (size_t i = 0; i < problem_.buffers.size(); ++i) count_ += Degree(static_cast<int32_t>(i));
  listed_ = count_ <= kListedMax;
  if (!listed_) return;
  starts_ = {0};
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    Find(static_cast<int32_t>(i), [&](const Conflict& conflict) { list_.push_back(conflict); });
    starts_.push_back(list_.size());
  }
}

size_t Conflicts::FirstFrom(int64_t tick) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), tick,
                       [](const Entry& entry, int64_t value) { return entry.lower < value; });
  return static_cast<size_t>(found - entries_.begin());
}

// Counts, for each range, the ranges that start before it ends. Leaves out those that end before it
// starts, and the range itself.
int64_t Conflicts::Degree(int32_t buffer) const {
  const auto at = static_cast<size_t>(buffer);
  size_t count = said_of_[at + 1] - said_of_[at];
  for (size_t i = entries_of_[at]; i < entries_of_[at + 1]; ++i) {
    const Entry& own = entries_[order_[i]];
    const auto before = std::upper_bound(uppers_.begin(), uppers_.end(), own.lower);
    count += FirstFrom(own.upper) - static_cast<size_t>(before - uppers_.begin()) - 1;
  }
  return static_cast<int64_t>(count);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory_plan.h"

namespace assay {

// A conflict that keeps a buffer at offset x apart from another one at offset y of the same pool.
// They share a byte unless x + below <= y or y + above <= x.
struct Conflict {
  int32_t buffer = 0;  // the other one
  int64_t below = 0;   // bytes; the buffer's size, but for windows
  int64_t above = 0;   // bytes; the other's size, but for windows
};

// The conflicts of a valid problem, which must outlive it. Conflicts of live ranges are found in an
// index that is linear in the number of ranges. If there are few conflicts, they are listed once.
class Conflicts {
 public:
  explicit Conflicts(const MemoryProblem& problem);

  // Calls f(const Conflict&) for each conflict of `buffer`. The same other buffer comes more than
  // once if the problem states the conflict more than once. The order has no meaning, but is always
  // the same.
  template <class Function>
  void ForEach(int32_t buffer, Function f) const {
    if (listed_) {
      for (const Conflict& conflict : ListOf(buffer)) f(conflict);
    } else {
      Find(buffer, f);
    }
  }

  // Returns how many conflicts ForEach() finds; O(log n) for each live range.
  int64_t Degree(int32_t buffer) const;
  // Returns the sum over all buffers, which is twice the number of pairs.
  int64_t count() const { return count_; }

  // Return true if the conflicts are listed, and the list of one buffer.
  bool listed() const { return listed_; }
  std::span<const Conflict> ListOf(int32_t buffer) const {
    const auto at = static_cast<size_t>(buffer);
    return std::span(list_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }

 private:
  // A live range of a buffer that has bytes. Entries are sorted by their lower ends.
  struct Entry {
    int64_t lower = 0, upper = 0;
    int64_t window_lower = 0, window_upper = 0;
    int32_t buffer = 0;
  };

  template <class Function>
  void Find(int32_t buffer, Function f) const {
    const auto at = static_cast<size_t>(buffer);
    for (size_t i = entries_of_[at]; i < entries_of_[at + 1]; ++i) {
      const Entry& own = entries_[order_[i]];
      ForEachOverlap(own, [&](const Entry& other) {
        if (other.buffer == buffer) return;
        const Conflict conflict{other.buffer, own.window_upper - other.window_lower,
                                other.window_upper - own.window_lower};
        f(conflict);
      });
    }
    for (size_t i = said_of_[at]; i < said_of_[at + 1]; ++i) {
      f(Conflict{said_[i], Size(buffer), Size(said_[i])});
    }
  }

  // Calls f for the entries that start before `own` ends, and end after it starts. It finds them in
  // the tree over the sorted entries, whose nodes know the largest upper end below them.
  template <class Function>
  void ForEachOverlap(const Entry& own, Function f) const {
    const size_t end = FirstFrom(own.upper);
    Descend(1, 0, leaves_, end, own.lower, f);
  }

  template <class Function>
  void Descend(size_t node, size_t first, size_t width, size_t end, int64_t lower,
               const Function& f) const {
    if (first >= end || largest_upper_[node] <= lower) return;
    if (width == 1) {
      f(entries_[first]);
      return;
    }
    Descend(2 * node, first, width / 2, end, lower, f);
    Descend(2 * node + 1, first + width / 2, width / 2, end, lower, f);
  }

  int64_t Size(int32_t buffer) const {
    return problem_.buffers[static_cast<size_t>(buffer)].size_bytes;
  }
  size_t FirstFrom(int64_t tick) const;
  void AddRanges();
  void AddSaid();
  void ListAll();

  const MemoryProblem& problem_;
  std::vector<Entry> entries_;
  std::vector<size_t> order_, entries_of_;  // the entries of each buffer
  size_t leaves_ = 1;
  std::vector<int64_t> largest_upper_;
  std::vector<int64_t> uppers_;  // sorted
  int64_t count_ = 0;
  std::vector<int32_t> said_;  // the problem's `conflicts`, from both sides
  std::vector<size_t> said_of_;
  bool listed_ = false;
  std::vector<Conflict> list_;
  std::vector<size_t> starts_;
};

}  // namespace assay

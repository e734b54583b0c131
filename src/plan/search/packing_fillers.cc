// SPDX-License-Identifier: Apache-2.0
#include "packing_fillers.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr size_t kBuffersMax = 4000;
constexpr size_t kOpenMax = 64;  // fillers in one section

struct Filler {
  int64_t size = 0;
  int32_t from = 0, to = 0;  // the first and the last section
};

// Returns the free units of each section, or an empty list if a section is too high.
std::vector<int64_t> FreeOf(const Packing& packing, int64_t height) {
  std::vector<int64_t> free;
  for (int32_t s = 0; s < packing.sections.size(); ++s) {
    int64_t room = height - packing.start;
    for (const int32_t i : packing.sections[s]) room -= packing.sizes[static_cast<size_t>(i)];
    if (room < 0) return {};
    free.push_back(room);
  }
  return free;
}

// Splits the free units of all sections into fillers.
class FillerFinder {
 public:
  explicit FillerFinder(const std::vector<int64_t>& free) : free_(free) {
    for (size_t s = 1; s < free.size(); ++s) {
      if (free[s] < free[s - 1]) last_decrease_[free[s - 1] - free[s]] = s;
    }
  }

  // Returns an empty list if a section would have more than kOpenMax fillers.
  std::vector<Filler> Find() {
    int64_t before = 0;
    for (size_t s = 0; s < free_.size(); ++s) {
      const int64_t more = free_[s] - before;
      if (more > 0) open_.push_back({more, static_cast<int32_t>(s), 0});
      if (more < 0) End(s, -more);
      before = free_[s];
      if (open_.size() > kOpenMax) return {};
    }
    for (const Filler& filler : open_) Close(filler, free_.size());
    return std::move(found_);
  }

 private:
  void Close(Filler filler, size_t end) {
    filler.to = static_cast<int32_t>(end) - 1;
    found_.push_back(filler);
  }

  void CloseOpen(size_t which, size_t end) {
    Close(open_[which], end);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  // Ends fillers of `size` units where section s begins: one filler, two, or the last ones that
  // began.
  void End(size_t s, int64_t size) {
    while (size > 0) {
      for (size_t i = open_.size(); i-- > 0;) {
        if (open_[i].size == size) return CloseOpen(i, s);
      }
      for (size_t i = open_.size(); i-- > 0;) {
        for (size_t j = i; j-- > 0;) {
          if (open_[i].size + open_[j].size != size) continue;
          CloseOpen(i, s);
          return CloseOpen(j, s);
        }
      }
      // A larger filler ends and a smaller one begins, if possible one that has a place to end.
      size_t best = 0;
      bool found = false;
      for (size_t i = 0; i < open_.size(); ++i) {
        if (open_[i].size < size) continue;
        const bool ends = EndsLater(s, open_[i].size - size);
        if (!found || (ends && !EndsLater(s, open_[best].size - size))) best = i;
        found = true;
      }
      if (found) {
        const int64_t rest = open_[best].size - size;
        CloseOpen(best, s);
        open_.push_back({rest, static_cast<int32_t>(s), 0});
        return;
      }
      size -= open_.back().size;
      CloseOpen(open_.size() - 1, s);
    }
  }

  // Returns true if a section after s leaves `size` units less than the section before it.
  bool EndsLater(size_t s, int64_t size) const {
    const auto last = last_decrease_.find(size);
    return last != last_decrease_.end() && last->second > s;
  }

  const std::vector<int64_t>& free_;
  std::unordered_map<int64_t, size_t> last_decrease_;  // by its size, the last section with one
  std::vector<Filler> open_, found_;
};

// Returns the packing with the fillers in its sections.
Packing Filled(const Packing& packing, const std::vector<Filler>& fillers) {
  Packing filled = packing;
  const auto count = static_cast<int32_t>(packing.sizes.size());
  const size_t all = packing.sizes.size() + fillers.size();
  std::vector<std::vector<int32_t>> sections(static_cast<size_t>(packing.sections.size()));
  for (int32_t s = 0; s < packing.sections.size(); ++s) {
    const auto members = packing.sections[s];
    sections[static_cast<size_t>(s)].assign(members.begin(), members.end());
  }
  for (size_t f = 0; f < fillers.size(); ++f) {
    std::vector<int32_t> own(static_cast<size_t>(fillers[f].to - fillers[f].from + 1));
    std::iota(own.begin(), own.end(), fillers[f].from);
    for (const int32_t s : own) {
      sections[static_cast<size_t>(s)].push_back(count + static_cast<int32_t>(f));
    }
    filled.buffers.push_back(-1);
    filled.sizes.push_back(fillers[f].size);
    filled.lifetimes.push_back(static_cast<int64_t>(own.size()));
    filled.sections_of.Add(own);
    filled.obstacles.Add({});
  }
  filled.alignments.assign(all, 1);
  filled.fixed.assign(all, -1);
  filled.sections = Lists();
  for (const auto& section : sections) filled.sections.Add(section);

  std::vector<std::vector<int32_t>> neighbours(all);
  for (int32_t i = 0; i < count; ++i) {
    const auto own = packing.neighbours[i];
    neighbours[static_cast<size_t>(i)].assign(own.begin(), own.end());
  }
  std::vector<int32_t> seen_by(all, -1);
  for (auto self = count; self < static_cast<int32_t>(all); ++self) {
    for (const int32_t s : filled.sections_of[self]) {
      for (const int32_t other : sections[static_cast<size_t>(s)]) {
        if (other == self || std::exchange(seen_by[static_cast<size_t>(other)], self) == self) {
          continue;
        }
        neighbours[static_cast<size_t>(self)].push_back(other);
        if (other < count) neighbours[static_cast<size_t>(other)].push_back(self);
      }
    }
    std::sort(neighbours[static_cast<size_t>(self)].begin(),
              neighbours[static_cast<size_t>(self)].end());
  }
  filled.neighbours = Lists();
  for (const auto& own : neighbours) filled.neighbours.Add(own);
  return filled;
}

}  // namespace

std::optional<Packing> WithFillers(const Packing& packing, int64_t height) {
  const auto& alignments = packing.alignments;
  if (packing.sizes.size() > kBuffersMax || !packing.by_time || packing.HasFixed() ||
      std::any_of(alignments.begin(), alignments.end(), [](int64_t i) { return i > 1; })) {
    return std::nullopt;
  }
  const std::vector<int64_t> free = FreeOf(packing, height);
  const std::vector<Filler> fillers = FillerFinder(free).Find();
  if (fillers.empty() || fillers.size() > packing.sizes.size()) return std::nullopt;
  return Filled(packing, fillers);
}

}  // namespace assay

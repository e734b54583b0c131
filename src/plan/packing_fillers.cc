#include "packing_fillers.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace assay {
namespace {

struct Filler {
  int64_t size = 0;
  int32_t from = 0, to = 0;  // sections
};

// What each section leaves free; empty if that says nothing or is less than nothing.
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

class FillerFinder {
 public:
  explicit FillerFinder(const std::vector<int64_t>& free) : free_(free) {}

  std::vector<Filler> Find() {
    int64_t before = 0;
    for (size_t s = 0; s < free_.size(); ++s) {
      const int64_t more = free_[s] - before;
      if (more > 0) open_.push_back({more, static_cast<int32_t>(s), 0});
      if (more < 0) End(s, -more);
      before = free_[s];
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

  // Fillers of `size` end where section s begins.
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
      // One ends where a smaller one begins, which ends some time itself.
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

  bool EndsLater(size_t s, int64_t size) const {
    for (size_t t = s + 1; t < free_.size(); ++t) {
      if (free_[t - 1] - free_[t] == size) return true;
    }
    return false;
  }

  const std::vector<int64_t>& free_;
  std::vector<Filler> open_, found_;
};

// The packing with the fillers in its sections.
Packing Filled(const Packing& packing, const std::vector<Filler>& fillers) {
  Packing filled;
  filled.unit_bytes = packing.unit_bytes;
  filled.start = packing.start;
  filled.by_time = true;
  filled.buffers = packing.buffers;
  filled.sizes = packing.sizes;
  filled.lifetimes = packing.lifetimes;
  const size_t count = packing.sizes.size();
  std::vector<std::vector<int32_t>> sections(static_cast<size_t>(packing.sections.size()));
  for (int32_t s = 0; s < packing.sections.size(); ++s) {
    const auto members = packing.sections[s];
    sections[static_cast<size_t>(s)].assign(members.begin(), members.end());
  }
  for (int32_t i = 0; i < packing.sections_of.size(); ++i)
    filled.sections_of.Add(packing.sections_of[i]);
  for (size_t f = 0; f < fillers.size(); ++f) {
    std::vector<int32_t> own(static_cast<size_t>(fillers[f].to - fillers[f].from + 1));
    std::iota(own.begin(), own.end(), fillers[f].from);
    for (const int32_t s : own)
      sections[static_cast<size_t>(s)].push_back(static_cast<int32_t>(count + f));
    filled.buffers.push_back(-1);
    filled.sizes.push_back(fillers[f].size);
    filled.lifetimes.push_back(static_cast<int64_t>(own.size()));
    filled.sections_of.Add(own);
  }
  for (const auto& section : sections) filled.sections.Add(section);
  filled.alignments.assign(filled.sizes.size(), 1);
  filled.fixed.assign(filled.sizes.size(), -1);
  std::vector<int32_t> neighbours;
  for (int32_t i = 0; i < filled.sections_of.size(); ++i) {
    neighbours.clear();
    for (const int32_t s : filled.sections_of[i]) {
      const auto& members = sections[static_cast<size_t>(s)];
      neighbours.insert(neighbours.end(), members.begin(), members.end());
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    std::erase(neighbours, i);
    filled.neighbours.Add(neighbours);
    filled.obstacles.Add({});
  }
  return filled;
}

}  // namespace

std::optional<Packing> WithFillers(const Packing& packing, int64_t height) {
  const auto& alignments = packing.alignments;
  if (!packing.by_time || packing.HasFixed() ||
      std::any_of(alignments.begin(), alignments.end(), [](int64_t i) { return i > 1; })) {
    return std::nullopt;
  }
  const std::vector<int64_t> free = FreeOf(packing, height);
  const std::vector<Filler> fillers = FillerFinder(free).Find();
  if (fillers.empty() || fillers.size() > packing.sizes.size()) return std::nullopt;
  return Filled(packing, fillers);
}

}  // namespace assay

#include "packing_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace assay {
namespace {

constexpr size_t kMembersMax = size_t{1} << 21;

}  // namespace

PackingSearch::PackingSearch(const Packing& packing, std::span<const int32_t> order, int64_t height,
                             bool hasty)
    : packing_(&packing), height_(height), hasty_(hasty) {
  Relabel(packing, order);
  steps_ = static_cast<int64_t>(sizes_.size()) + neighbours_.items();
  if (!Start()) state_ = State::kNone;
}

// Buffers are called by their rank, so that comparing them says which comes first.
void PackingSearch::Relabel(const Packing& packing, std::span<const int32_t> order) {
  order_.assign(order.begin(), order.end());
  std::vector<int32_t> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) rank[Index(order[i])] = static_cast<int32_t>(i);
  std::vector<int32_t> list;
  const auto relabelled = [&](std::span<const int32_t> from, bool only_free) {
    list.clear();
    for (const int32_t i : from) {
      if (!only_free || packing.fixed[Index(i)] < 0) list.push_back(rank[Index(i)]);
    }
    return std::span<const int32_t>(list);
  };
  for (const int32_t buffer : order_) {
    sizes_.push_back(packing.sizes[Index(buffer)]);
    alignments_.push_back(packing.alignments[Index(buffer)]);
    neighbours_.Add(relabelled(packing.neighbours[buffer], true));
    const auto own = packing.sections_of[buffer];
    sections_of_.Add(own);
    const bool bounded = packing.by_time && !own.empty();
    first_section_.push_back(bounded ? own.front() : 0);
    last_section_.push_back(bounded ? own.back() : packing.sections.size() - 1);
  }
  for (int32_t s = 0; s < packing.sections.size(); ++s) {
    sections_.Add(relabelled(packing.sections[s], false));
  }
}

// The first offset from `offset` on that is aligned and free of what has a fixed place.
int64_t PackingSearch::LowestFrom(int32_t buffer, int64_t offset) const {
  offset = AlignUp(offset, alignments_[Index(buffer)]);
  for (const int32_t obstacle : packing_->obstacles[order_[Index(buffer)]]) {
    const int64_t fixed = packing_->fixed[Index(obstacle)];
    const int64_t end = fixed + packing_->sizes[Index(obstacle)];
    if (offset < end && fixed < offset + sizes_[Index(buffer)]) {
      offset = AlignUp(end, alignments_[Index(buffer)]);
    }
  }
  return offset;
}

// False if a buffer or a section alone is too high, or a fixed offset wrong.
bool PackingSearch::Start() {
  const size_t count = sizes_.size();
  low_.resize(count);
  offset_.assign(count, -1);
  left_.assign(Index(sections_.size()), 0);
  witness_.assign(left_.size(), -1);
  std::vector<int32_t> free;
  for (size_t i = 0; i < count; ++i) {
    const auto self = static_cast<int32_t>(i);
    const int64_t fixed = packing_->fixed[Index(order_[i])];
    low_[i] = LowestFrom(self, std::max(fixed, packing_->start));
    if (low_[i] + sizes_[i] > height_ || (fixed >= 0 && low_[i] != fixed)) return false;
    if (fixed >= 0 || neighbours_[self].empty()) {
      offset_[i] = low_[i];
    } else {
      free.push_back(self);
    }
  }
  for (int32_t s = 0; s < sections_.size(); ++s) {
    for (const int32_t i : sections_[s]) {
      if (offset_[Index(i)] < 0) left_[Index(s)] += sizes_[Index(i)];
    }
    if (!FindWitness(s)) return false;
  }
  std::sort(free.begin(), free.end(), [&](int32_t a, int32_t b) {
    return std::pair(first_section_[Index(a)], a) < std::pair(first_section_[Index(b)], b);
  });
  members_ = free;
  trail_.clear();
  const int32_t first = Split(0, members_.size(), {0, 0, -1, packing_->start, -1, -1});
  if (first < 0) {
    state_ = State::kFound;
  } else {
    Open(first);
  }
  return true;
}

void PackingSearch::Set(int64_t& where, int64_t value) {
  trail_.push_back({&where, where});
  where = value;
}

PackingSearch::State PackingSearch::Run(int64_t steps) {
  const int64_t end = steps_ + steps;
  while (state_ == State::kRunning && steps_ < end) {
    Frame& frame = frames_.back();
    if (frame.placed >= 0) Undo(frame);
    if (frame.at == frame.end) {
      if (!Retreat()) state_ = State::kNone;
      continue;
    }
    const int32_t buffer = candidates_[frame.at++];
    if (!Place(frame, buffer)) continue;
    const auto self = static_cast<int32_t>(frames_.size()) - 1;
    const int32_t next = SplitRest(frame, self, buffer);
    if (members_.size() > kMembersMax) {
      state_ = State::kGaveUp;
    } else if (next < 0) {
      state_ = State::kFound;
    } else {
      Open(next);
    }
  }
  return state_;
}

void PackingSearch::Open(int32_t part) {
  Frame& frame = frames_.emplace_back();
  frame.part = parts_[Index(part)];
  frame.members_mark = members_.size();
  frame.parts_mark = parts_.size();
  frame.begin = candidates_.size();
  FindCandidates(frame);
  frame.at = frame.begin;
  frame.end = candidates_.size();
}

void PackingSearch::FindCandidates(Frame& frame) {
  const Part& part = frame.part;
  int64_t lowest_end = std::numeric_limits<int64_t>::max();
  int32_t first = std::numeric_limits<int32_t>::max(), last = -1;
  for (size_t i = part.begin; i < part.end; ++i) {
    const size_t member = Index(members_[i]);
    lowest_end = std::min(lowest_end, low_[member] + sizes_[member]);
    first = std::min(first, first_section_[member]);
    last = std::max(last, last_section_[member]);
  }
  // Everything that is left lies above the one that is placed next.
  int64_t most_left = 0;
  for (int32_t s = first; s <= last; ++s) most_left = std::max(most_left, left_[Index(s)]);
  const int64_t highest = std::min(lowest_end - 1, height_ - most_left);
  for (size_t i = part.begin; i < part.end; ++i) {
    const int32_t member = members_[i];
    if (low_[Index(member)] <= highest && IsNext(part, member)) candidates_.push_back(member);
  }
  std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(frame.begin), candidates_.end(),
            [&](int32_t a, int32_t b) {
              return std::pair(low_[Index(a)], a) < std::pair(low_[Index(b)], b);
            });
  steps_ += static_cast<int64_t>(part.end - part.begin) + 8;
  if (!RestIsRaised(part, highest)) candidates_.resize(frame.begin);
}

// Whether a buffer may still be the next to be placed in a part.
bool PackingSearch::IsNext(const Part& part, int32_t buffer) const {
  const int64_t low = low_[Index(buffer)];
  return low > part.offset || (low == part.offset && buffer > part.last);
}

// A buffer that was passed over has to be pushed up by another, which lies lower than its end.
bool PackingSearch::RestIsRaised(const Part& part, int64_t highest) const {
  for (size_t i = part.begin; i < part.end; ++i) {
    const int32_t member = members_[i];
    if (IsNext(part, member)) continue;
    const int64_t end = low_[Index(member)] + sizes_[Index(member)];
    const auto raises = [&](int32_t other) {
      const size_t at = Index(other);
      if (offset_[at] >= 0 || std::max(low_[at], part.offset) >= end) return false;
      return !hasty_ || (low_[at] <= highest && IsNext(part, other));
    };
    const auto neighbours = neighbours_[member];
    if (std::none_of(neighbours.begin(), neighbours.end(), raises)) return false;
  }
  return true;
}

bool PackingSearch::Place(Frame& frame, int32_t buffer) {
  frame.placed = buffer;
  frame.trail_mark = trail_.size();
  const size_t at = Index(buffer);
  const int64_t offset = low_[at];
  offset_[at] = offset;
  for (const int32_t section : sections_of_[buffer]) left_[Index(section)] -= sizes_[at];
  if (!RaiseNeighbours(buffer, offset + sizes_[at])) return false;
  for (const int32_t section : sections_of_[buffer]) {
    if (witness_[Index(section)] == buffer && !FindWitness(section)) return false;
  }
  return true;
}

bool PackingSearch::RaiseNeighbours(int32_t buffer, int64_t top) {
  const auto neighbours = neighbours_[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  for (const int32_t other : neighbours) {
    const size_t at = Index(other);
    if (offset_[at] >= 0 || low_[at] >= top) continue;
    const int64_t low = LowestFrom(other, top);
    if (low + sizes_[at] > height_) return false;
    Set(low_[at], low);
    for (const int32_t section : sections_of_[other]) {
      if (witness_[Index(section)] == other && low > height_ - left_[Index(section)] &&
          !FindWitness(section)) {
        return false;
      }
    }
  }
  return true;
}

// A buffer that is left in the section and so low that all of them have room above its offset.
bool PackingSearch::FindWitness(int32_t section) {
  const int64_t highest = height_ - left_[Index(section)];
  bool done = true;
  for (const int32_t i : sections_[section]) {
    if (offset_[Index(i)] >= 0) continue;
    if (low_[Index(i)] <= highest) {
      Set(witness_[Index(section)], i);
      return true;
    }
    done = false;
  }
  return done;
}

// The part to go on with after `buffer` was placed, or -1 if all is packed.
int32_t PackingSearch::SplitRest(const Frame& frame, int32_t self, int32_t buffer) {
  const Part& part = frame.part;
  const size_t begin = members_.size();
  for (size_t i = part.begin; i < part.end; ++i) {
    if (members_[i] != buffer) members_.push_back(members_[i]);
  }
  return Split(begin, members_.size(), {0, 0, self, offset_[Index(buffer)], buffer, part.next});
}

// Cuts members_[begin, end) where no section joins them; returns the first part, which leads to
// the others and then to `part.next`.
int32_t PackingSearch::Split(size_t begin, size_t end, Part part) {
  int32_t first = part.next;
  while (begin < end) {
    int32_t last = last_section_[Index(members_[begin])];
    size_t cut = begin + 1;
    for (; cut < end && first_section_[Index(members_[cut])] <= last; ++cut) {
      last = std::max(last, last_section_[Index(members_[cut])]);
    }
    part.begin = begin;
    part.end = cut;
    part.next = first;
    first = static_cast<int32_t>(parts_.size());
    parts_.push_back(part);
    begin = cut;
  }
  return first;
}

void PackingSearch::Undo(Frame& frame) {
  const size_t at = Index(frame.placed);
  while (trail_.size() > frame.trail_mark) {
    *trail_.back().where = trail_.back().before;
    trail_.pop_back();
  }
  for (const int32_t section : sections_of_[frame.placed]) left_[Index(section)] += sizes_[at];
  offset_[at] = -1;
  frame.placed = -1;
  members_.resize(frame.members_mark);
  parts_.resize(frame.parts_mark);
}

// Back to the frame that left the part which cannot be packed; false if there is none.
bool PackingSearch::Retreat() {
  const int32_t parent = frames_.back().part.parent;
  while (static_cast<int32_t>(frames_.size()) - 1 > parent) {
    Frame& frame = frames_.back();
    if (frame.placed >= 0) Undo(frame);
    candidates_.resize(frame.begin);
    frames_.pop_back();
  }
  return parent >= 0;
}

std::vector<int64_t> PackingSearch::Offsets() const {
  std::vector<int64_t> offsets(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) offsets[Index(order_[i])] = offset_[i];
  return offsets;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "packing_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace assay {

PackingSearch::PackingSearch(const Packing& packing, std::span<const int32_t> order, int64_t height,
                             bool hasty)
    : ranked_(packing, order), height_(height), hasty_(hasty) {
  steps_ = static_cast<int64_t>(order.size()) + ranked_.neighbours.items();
  if (!Start()) state_ = State::kNone;
}

// Computes the first offsets. Returns false if a buffer or a section alone is too high, or if a
// fixed offset is impossible.
bool PackingSearch::Start() {
  const size_t count = ranked_.sizes.size();
  low_.resize(count);
  offset_.assign(count, -1);
  left_.assign(Index(ranked_.sections.size()), 0);
  witness_.assign(left_.size(), -1);
  std::vector<int32_t> free;
  for (size_t i = 0; i < count; ++i) {
    const auto self = static_cast<int32_t>(i);
    const int64_t fixed = ranked_.FixedOffset(self);
    low_[i] = ranked_.LowestFrom(self, std::max(fixed, ranked_.start()));
    if (low_[i] + ranked_.sizes[i] > height_ || (fixed >= 0 && low_[i] != fixed)) return false;
    if (fixed >= 0 || ranked_.neighbours[self].empty()) {
      offset_[i] = low_[i];
    } else {
      free.push_back(self);
    }
  }
  for (int32_t s = 0; s < ranked_.sections.size(); ++s) {
    for (const int32_t i : ranked_.sections[s]) {
      if (offset_[Index(i)] < 0) left_[Index(s)] += ranked_.sizes[Index(i)];
    }
    if (!FindWitness(s)) return false;
  }
  std::sort(free.begin(), free.end(), [&](int32_t a, int32_t b) {
    return std::pair(ranked_.first_section[Index(a)], a) <
           std::pair(ranked_.first_section[Index(b)], b);
  });
  members_ = free;
  trail_.clear();
  const int32_t first = ranked_.Split(members_, 0, {0, 0, -1, ranked_.start(), -1, -1}, parts_);
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
    lowest_end = std::min(lowest_end, low_[member] + ranked_.sizes[member]);
    first = std::min(first, ranked_.first_section[member]);
    last = std::max(last, ranked_.last_section[member]);
  }
  // All other buffers that are left lie above the buffer that is placed next.
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

// Returns true if a buffer may still be the next to be placed in a part.
bool PackingSearch::IsNext(const Part& part, int32_t buffer) const {
  const int64_t low = low_[Index(buffer)];
  return low > part.offset || (low == part.offset && buffer > part.last);
}

// Returns true if each buffer that was passed over can still be pushed up, by another buffer that
// lies lower than its end.
bool PackingSearch::RestIsRaised(const Part& part, int64_t highest) const {
  for (size_t i = part.begin; i < part.end; ++i) {
    const int32_t member = members_[i];
    if (IsNext(part, member)) continue;
    const int64_t end = low_[Index(member)] + ranked_.sizes[Index(member)];
    const auto raises = [&](int32_t other) {
      const size_t at = Index(other);
      if (offset_[at] >= 0 || std::max(low_[at], part.offset) >= end) return false;
      return !hasty_ || (low_[at] <= highest && IsNext(part, other));
    };
    const auto neighbours = ranked_.neighbours[member];
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
  for (const int32_t section : ranked_.sections_of[buffer])
    left_[Index(section)] -= ranked_.sizes[at];
  if (!RaiseNeighbours(buffer, offset + ranked_.sizes[at])) return false;
  for (const int32_t section : ranked_.sections_of[buffer]) {
    if (witness_[Index(section)] == buffer && !FindWitness(section)) return false;
  }
  return true;
}

bool PackingSearch::RaiseNeighbours(int32_t buffer, int64_t top) {
  const auto neighbours = ranked_.neighbours[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  for (const int32_t other : neighbours) {
    const size_t at = Index(other);
    if (offset_[at] >= 0 || low_[at] >= top) continue;
    const int64_t low = ranked_.LowestFrom(other, top);
    if (low + ranked_.sizes[at] > height_) return false;
    Set(low_[at], low);
    for (const int32_t section : ranked_.sections_of[other]) {
      if (witness_[Index(section)] == other && low > height_ - left_[Index(section)] &&
          !FindWitness(section)) {
        return false;
      }
    }
  }
  return true;
}

// Finds a buffer that is left in the section, and so low that all buffers left have room above its
// offset.
bool PackingSearch::FindWitness(int32_t section) {
  const int64_t highest = height_ - left_[Index(section)];
  bool done = true;
  for (const int32_t i : ranked_.sections[section]) {
    if (offset_[Index(i)] >= 0) continue;
    if (low_[Index(i)] <= highest) {
      Set(witness_[Index(section)], i);
      return true;
    }
    done = false;
  }
  return done;
}

// Returns the part to go on with after `buffer` was placed, or -1 if everything is packed.
int32_t PackingSearch::SplitRest(const Frame& frame, int32_t self, int32_t buffer) {
  const Part& part = frame.part;
  const size_t begin = members_.size();
  for (size_t i = part.begin; i < part.end; ++i) {
    if (members_[i] != buffer) members_.push_back(members_[i]);
  }
  return ranked_.Split(members_, begin, {0, 0, self, offset_[Index(buffer)], buffer, part.next},
                       parts_);
}

void PackingSearch::Undo(Frame& frame) {
  const size_t at = Index(frame.placed);
  while (trail_.size() > frame.trail_mark) {
    *trail_.back().where = trail_.back().before;
    trail_.pop_back();
  }
  for (const int32_t section : ranked_.sections_of[frame.placed])
    left_[Index(section)] += ranked_.sizes[at];
  offset_[at] = -1;
  frame.placed = -1;
  members_.resize(frame.members_mark);
  parts_.resize(frame.parts_mark);
}

// Goes back to the frame that left the part which cannot be packed. Returns false if there is none.
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

}  // namespace assay

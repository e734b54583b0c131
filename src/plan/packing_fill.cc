#include "packing_fill.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace assay {
namespace {

constexpr size_t kMembersMax = size_t{1} << 21;
constexpr int64_t kFirstFailures = 100, kMoreFailures = 10;  // than the last time, a tenth
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

}  // namespace

PackingFill::PackingFill(const Packing& packing, std::span<const int32_t> order, int64_t height,
                         int64_t percent)
    : ranked_(packing, order), height_(height), percent_(percent), failures_max_(kFirstFailures) {
  steps_ = static_cast<int64_t>(order.size()) + ranked_.neighbours.items();
  if (!Start()) state_ = State::kNone;
}

// False if a buffer or a section alone is too high, or a fixed offset wrong.
bool PackingFill::Start() {
  const size_t count = ranked_.sizes.size(), sections = Index(ranked_.sections.size());
  low_.resize(count);
  offset_.assign(count, -1);
  turn_.resize(count);
  std::iota(turn_.begin(), turn_.end(), 0);
  left_.assign(sections, 0);
  lowest_.assign(sections, 0);
  floor_.assign(sections, 0);
  weight_.assign(sections, 1);
  is_touched_.assign(sections, false);
  for (size_t i = 0; i < count; ++i) {
    const auto self = static_cast<int32_t>(i);
    const int64_t fixed = ranked_.FixedOffset(self);
    low_[i] = ranked_.LowestFrom(self, std::max(fixed, ranked_.start()));
    if (LowestEnd(self) > height_ || (fixed >= 0 && low_[i] != fixed)) return false;
    if (fixed >= 0 || ranked_.neighbours[self].empty()) {
      offset_[i] = low_[i];
    } else {
      members_.push_back(self);
    }
  }
  std::sort(members_.begin(), members_.end(), [&](int32_t a, int32_t b) {
    return std::pair(ranked_.first_section[Index(a)], a) <
           std::pair(ranked_.first_section[Index(b)], b);
  });
  for (int32_t s = 0; s < ranked_.sections.size(); ++s) {
    for (const int32_t i : ranked_.sections[s]) {
      if (IsLeft(i)) left_[Index(s)] += ranked_.sizes[Index(i)];
    }
    Touch(s);
  }
  if (!CheckTouched()) return false;
  trail_.clear();
  Begin();
  return true;
}

void PackingFill::Begin() {
  const int32_t first = Split(0, {0, 0, -1, -1});
  if (first < 0) {
    state_ = State::kFound;
  } else {
    Open(first);
  }
}

PackingFill::State PackingFill::Run(int64_t steps) {
  const int64_t end = steps_ + steps;
  while (state_ == State::kRunning && steps_ < end) {
    if (failures_ > failures_max_) Restart();
    Frame& frame = frames_.back();
    if (const int32_t failed = frame.placed; failed >= 0) {
      TakeBack(frame);
      if (!PlaceHigher(failed)) {
        ++failures_;
        if (!Retreat(frame.part.parent)) state_ = State::kNone;
        continue;
      }
    }
    const int32_t buffer = Choose(frame);
    if (!Place(frame, buffer)) {
      ++failures_;
      continue;
    }
    const auto self = static_cast<int32_t>(frames_.size()) - 1;
    const int32_t next = SplitRest(frame.part, self, buffer);
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

// From the first frame on, with other turns.
void PackingFill::Restart() {
  Retreat(0);
  Frame& first = frames_.front();
  if (first.placed >= 0) TakeBack(first);
  UndoTo(first.trail_mark);
  failures_ = 0;
  failures_max_ += failures_max_ / kMoreFailures;
  const auto count = static_cast<int64_t>(turn_.size());
  for (int64_t i = 0; i < count; ++i) {
    turn_[static_cast<size_t>(i)] = i + random_.Between(0, count * percent_ / 100);
  }
}

void PackingFill::Open(int32_t part) {
  Frame& frame = frames_.emplace_back();
  frame.part = parts_[Index(part)];
  frame.members_mark = members_.size();
  frame.parts_mark = parts_.size();
  frame.trail_mark = trail_.size();
  frame.first = std::numeric_limits<int32_t>::max();
  for (size_t i = frame.part.begin; i < frame.part.end; ++i) {
    frame.first = std::min(frame.first, ranked_.first_section[Index(members_[i])]);
    frame.last = std::max(frame.last, ranked_.last_section[Index(members_[i])]);
  }
  steps_ += static_cast<int64_t>(frame.part.end - frame.part.begin);
}

bool PackingFill::IsBefore(int32_t a, int32_t b) const {
  return std::tuple(low_[Index(a)], turn_[Index(a)], a) <
         std::tuple(low_[Index(b)], turn_[Index(b)], b);
}

int32_t PackingFill::Lowest(std::span<const int32_t> buffers) const {
  int32_t lowest = -1;
  for (const int32_t i : buffers) {
    if (IsLeft(i) && (lowest < 0 || IsBefore(i, lowest))) lowest = i;
  }
  return lowest;
}

// The buffer to place next, with none that is left below it.
int32_t PackingFill::Choose(const Frame& frame) {
  int32_t chosen = -1;
  size_t best = 0;
  steps_ += frame.last - frame.first + 1;
  for (int32_t s = frame.first; s <= frame.last; ++s) {
    const size_t at = Index(s);
    if (lowest_[at] == 0) continue;
    if (chosen >= 0) {
      // Fewer for their weight, and then lower.
      const int64_t own = lowest_[at] * weight_[best], other = lowest_[best] * weight_[at];
      if (std::pair(own, floor_[at]) >= std::pair(other, floor_[best])) continue;
    }
    const int32_t buffer = Lowest(ranked_.sections[s]);
    if (!HasNoneBelow(buffer)) continue;
    best = at;
    chosen = buffer;
  }
  if (chosen >= 0) return chosen;
  // Below the lowest of all there is none.
  return Lowest(std::span(members_).subspan(frame.part.begin, frame.part.end - frame.part.begin));
}

// Whether all that is left and conflicts with a buffer has to lie above it, where that is now.
bool PackingFill::HasNoneBelow(int32_t buffer) {
  const auto neighbours = ranked_.neighbours[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  return std::none_of(neighbours.begin(), neighbours.end(), [&](int32_t other) {
    return IsLeft(other) && LowestEnd(other) <= low_[Index(buffer)];
  });
}

bool PackingFill::Place(Frame& frame, int32_t buffer) {
  frame.placed = buffer;
  frame.placed_mark = trail_.size();
  Set(offset_[Index(buffer)], low_[Index(buffer)]);
  for (const int32_t section : ranked_.sections_of[buffer]) {
    Set(left_[Index(section)], left_[Index(section)] - ranked_.sizes[Index(buffer)]);
    Touch(section);
  }
  const int64_t end = LowestEnd(buffer);
  const auto neighbours = ranked_.neighbours[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  for (const int32_t other : neighbours) {
    if (!IsLeft(other) || low_[Index(other)] >= end) continue;
    if (!Raise(other, end)) return Fail(SharedSection(buffer, other));
  }
  return CheckTouched();
}

// On one of those that are left, as it cannot lie where all that is placed allows.
bool PackingFill::PlaceHigher(int32_t buffer) {
  int64_t low = kMax;
  const auto neighbours = ranked_.neighbours[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  for (const int32_t other : neighbours) {
    if (IsLeft(other)) low = std::min(low, LowestEnd(other));
  }
  if (low == kMax || !Raise(buffer, low)) return Fail(-1);
  return CheckTouched();
}

bool PackingFill::Raise(int32_t buffer, int64_t low) {
  low = ranked_.LowestFrom(buffer, low);
  if (low <= low_[Index(buffer)]) return true;
  if (low + ranked_.sizes[Index(buffer)] > height_) return false;
  Set(low_[Index(buffer)], low);
  for (const int32_t own : ranked_.sections_of[buffer]) Touch(own);
  return true;
}

// The first that both are in, or -1.
int32_t PackingFill::SharedSection(int32_t a, int32_t b) const {
  const auto of_a = ranked_.sections_of[a], of_b = ranked_.sections_of[b];
  const auto shared = std::find_first_of(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
  return shared == of_a.end() ? -1 : *shared;
}

void PackingFill::Touch(int32_t section) {
  if (is_touched_[Index(section)]) return;
  is_touched_[Index(section)] = true;
  touched_.push_back(section);
}

bool PackingFill::CheckTouched() {
  while (!touched_.empty()) {
    const int32_t section = touched_.back();
    touched_.pop_back();
    is_touched_[Index(section)] = false;
    if (!CheckSection(section)) return false;
  }
  return true;
}

// Finds those that may be the lowest, so that there is room for all above their offset, and raises
// the others above the lowest end of these.
bool PackingFill::CheckSection(int32_t section) {
  const size_t at = Index(section);
  const int64_t highest = height_ - left_[at];
  int64_t lowest = 0, others = 0, floor = kMax, end = kMax;
  const auto members = ranked_.sections[section];
  steps_ += static_cast<int64_t>(members.size());
  for (const int32_t i : members) {
    if (!IsLeft(i)) continue;
    if (low_[Index(i)] > highest) {
      ++others;
      continue;
    }
    ++lowest;
    floor = std::min(floor, low_[Index(i)]);
    end = std::min(end, LowestEnd(i));
  }
  if (lowest == 0 && others > 0) return Fail(section);
  Set(lowest_[at], lowest);
  Set(floor_[at], floor);
  if (others == 0) return true;
  for (const int32_t i : members) {
    if (!IsLeft(i) || low_[Index(i)] <= highest) continue;
    if (!Raise(i, end)) return Fail(section);
  }
  return true;
}

// In a section, or in none (-1).
bool PackingFill::Fail(int32_t section) {
  if (section >= 0) ++weight_[Index(section)];
  for (const int32_t other : touched_) is_touched_[Index(other)] = false;
  touched_.clear();
  return false;
}

// The part to go on with after `buffer` was placed, or -1 if all is packed.
int32_t PackingFill::SplitRest(const Part& part, int32_t self, int32_t buffer) {
  const size_t begin = members_.size();
  for (size_t i = part.begin; i < part.end; ++i) {
    if (members_[i] != buffer) members_.push_back(members_[i]);
  }
  return Split(begin, {0, 0, self, part.next});
}

// Cuts the members from `begin` on into parts; returns the first, which leads to the others and
// then to `part.next`.
int32_t PackingFill::Split(size_t begin, Part part) {
  int32_t first = part.next;
  const auto add = [&](size_t from, size_t to) {
    part.begin = begin + from;
    part.end = begin + to;
    part.next = first;
    first = static_cast<int32_t>(parts_.size());
    parts_.push_back(part);
  };
  ranked_.ForEachPart(std::span(members_).subspan(begin), add);
  return first;
}

void PackingFill::Set(int64_t& where, int64_t value) {
  if (where == value) return;
  trail_.push_back({&where, where});
  where = value;
}

void PackingFill::UndoTo(size_t mark) {
  while (trail_.size() > mark) {
    *trail_.back().where = trail_.back().before;
    trail_.pop_back();
  }
}

void PackingFill::TakeBack(Frame& frame) {
  UndoTo(frame.placed_mark);
  frame.placed = -1;
  members_.resize(frame.members_mark);
  parts_.resize(frame.parts_mark);
}

// Back to a frame, which left the part that cannot be packed; false if there is none.
bool PackingFill::Retreat(int32_t frame) {
  while (static_cast<int32_t>(frames_.size()) - 1 > frame) {
    if (frames_.back().placed >= 0) TakeBack(frames_.back());
    UndoTo(frames_.back().trail_mark);
    frames_.pop_back();
  }
  return frame >= 0;
}

}  // namespace assay

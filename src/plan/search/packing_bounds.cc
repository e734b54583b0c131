// SPDX-License-Identifier: Apache-2.0
#include "packing_bounds.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace assay {
namespace {

constexpr int64_t kChecksPerSection = 16, kChecksMin = 256;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Returns the least end of the last of some buffers that lie one after the other. Each pair is a
// buffer's least distance and its size.
int64_t LeastEndOfAll(std::vector<std::pair<int64_t, int64_t>>& buffers) {
  std::sort(buffers.begin(), buffers.end());
  int64_t end = 0;
  for (const auto& [low, size] : buffers) end = std::max(end, low) + size;
  return end;
}

}  // namespace

PackingBounds::PackingBounds(const Packing& packing, std::span<const int32_t> order, int64_t height)
    : ranked_(packing, order), height_(height) {
  steps_ = static_cast<int64_t>(order.size()) + ranked_.neighbours.items();
  is_possible_ = Start();
  trail_.clear();
}

// Computes the first bounds. Returns false if a buffer or a section alone is too high, or if a
// fixed offset is impossible.
bool PackingBounds::Start() {
  const size_t count = ranked_.sizes.size(), sections = Index(ranked_.sections.size());
  offset_.assign(count, -1);
  left_.assign(sections, 0);
  waste_.assign(sections, height_ - ranked_.start());
  is_touched_.assign(sections, false);
  for (const int side : {0, 1}) {
    low_[side].assign(count, 0);
    firsts_[side].assign(sections, 0);
    floor_[side].assign(sections, 0);
  }
  for (size_t i = 0; i < count; ++i) {
    const auto self = static_cast<int32_t>(i);
    const int64_t fixed = ranked_.FixedOffset(self);
    low_[0][i] = Aligned(0, self, std::max(fixed, ranked_.start()));
    if (LeastEnd(0, self) > height_ || (fixed >= 0 && low_[0][i] != fixed)) return false;
    if (fixed >= 0 || ranked_.neighbours[self].empty()) {
      offset_[i] = low_[0][i];
    } else {
      low_[1][i] = Aligned(1, self, 0);
    }
  }
  for (int32_t s = 0; s < ranked_.sections.size(); ++s) {
    for (const int32_t i : ranked_.sections[s]) {
      waste_[Index(s)] -= ranked_.sizes[Index(i)];
      if (IsLeft(i)) left_[Index(s)] += ranked_.sizes[Index(i)];
    }
    Touch(s);
  }
  FindBorders();
  return CheckTouched();
}

void PackingBounds::FindBorders() {
  std::vector<int32_t> sorted[2], only;
  const auto sort = [&](int32_t section) {
    const auto members = ranked_.sections[section];
    sorted[0] = std::move(sorted[1]);
    sorted[1].assign(members.begin(), members.end());
    std::sort(sorted[1].begin(), sorted[1].end());
  };
  const auto difference = [&](const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
    only.clear();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    return std::span<const int32_t>(only);
  };
  for (int32_t s = 0; s < ranked_.sections.size(); ++s) {
    sort(s);
    if (s == 0) continue;
    ending_.Add(difference(sorted[0], sorted[1]));
    beginning_.Add(difference(sorted[1], sorted[0]));
  }
}

// Returns the first distance from `low` on at which a buffer is aligned and does not overlap a
// buffer of fixed offset.
int64_t PackingBounds::Aligned(int side, int32_t buffer, int64_t low) const {
  if (side == 0) return ranked_.LowestFrom(buffer, low);
  const int64_t room = height_ - ranked_.sizes[Index(buffer)];
  return room - ranked_.HighestUpTo(buffer, room - low);
}

bool PackingBounds::IsFirst(int side, int32_t buffer) {
  const auto neighbours = ranked_.neighbours[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  return std::none_of(neighbours.begin(), neighbours.end(), [&](int32_t other) {
    return IsLeft(other) && LeastEnd(side, other) <= low(side, buffer);
  });
}

bool PackingBounds::Place(int side, int32_t buffer) {
  const int64_t end = LeastEnd(side, buffer);
  Set(low_[1 - side][Index(buffer)], height_ - end);
  Set(offset_[Index(buffer)], low(0, buffer));
  for (const int32_t section : ranked_.sections_of[buffer]) {
    Set(left_[Index(section)], left_[Index(section)] - ranked_.sizes[Index(buffer)]);
    Touch(section);
  }
  const auto neighbours = ranked_.neighbours[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  for (const int32_t other : neighbours) {
    if (!IsLeft(other) || low(side, other) >= end) continue;
    if (!Raise(side, other, end)) return Fail(SharedSection(buffer, other));
  }
  return CheckTouched();
}

bool PackingBounds::PlaceAfter(int side, int32_t buffer) {
  int64_t end = kMax;
  const auto neighbours = ranked_.neighbours[buffer];
  steps_ += static_cast<int64_t>(neighbours.size());
  for (const int32_t other : neighbours) {
    if (IsLeft(other)) end = std::min(end, LeastEnd(side, other));
  }
  if (end == kMax || !Raise(side, buffer, end)) return Fail(-1);
  return CheckTouched();
}

bool PackingBounds::Raise(int side, int32_t buffer, int64_t low) {
  if (low <= low_[side][Index(buffer)]) return true;
  if (!IsLeft(buffer)) return false;
  low = Aligned(side, buffer, low);
  if (low + ranked_.sizes[Index(buffer)] + low_[1 - side][Index(buffer)] > height_) return false;
  Set(low_[side][Index(buffer)], low);
  if (settles_) return true;
  for (const int32_t own : ranked_.sections_of[buffer]) Touch(own);
  return true;
}

// Returns the first section that contains both buffers, or -1.
int32_t PackingBounds::SharedSection(int32_t a, int32_t b) const {
  const auto of_a = ranked_.sections_of[a], of_b = ranked_.sections_of[b];
  const auto shared = std::find_first_of(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
  return shared == of_a.end() ? -1 : *shared;
}

void PackingBounds::Touch(int32_t section) {
  if (is_touched_[Index(section)]) return;
  is_touched_[Index(section)] = true;
  touched_.push_back(section);
}

// Two sections may raise each other's buffers by a byte again and again. After many checks, a
// raised buffer therefore touches no section any more. The bounds remain correct, but are weaker.
bool PackingBounds::CheckTouched() {
  settles_ = false;
  for (int64_t checks = 0; !touched_.empty(); ++checks) {
    settles_ = checks >= kChecksPerSection * ranked_.sections.size() + kChecksMin;
    const int32_t section = touched_.back();
    touched_.pop_back();
    is_touched_[Index(section)] = false;
    if (!CheckSection(section)) return Fail(section);
    if (section > 0 && !CheckBorder(section - 1)) return Fail(section);
    if (section < ending_.size() && !CheckBorder(section)) return Fail(section);
  }
  settles_ = false;
  return true;
}

bool PackingBounds::CheckSection(int32_t section) {
  members_.clear();
  int64_t floor[2] = {kMax, kMax};
  for (const int32_t i : ranked_.sections[section]) {
    if (!IsLeft(i)) continue;
    members_.push_back({i, ranked_.sizes[Index(i)], {low(0, i), low(1, i)}});
    for (const int side : {0, 1}) floor[side] = std::min(floor[side], low(side, i));
  }
  steps_ += static_cast<int64_t>(ranked_.sections[section].size() + members_.size());
  for (const int side : {0, 1}) {
    Set(floor_[side][Index(section)], floor[side]);
    if (members_.empty()) {
      Set(firsts_[side][Index(section)], 0);
    } else if (!CheckSide(side, section, height_ - floor[1 - side])) {
      return false;
    }
  }
  return true;
}

// Checks one side of a section. `ceiling` is the largest end of the last buffer, as a distance from
// this side.
bool PackingBounds::CheckSide(int side, int32_t section, int64_t ceiling) {
  const int64_t highest = ceiling - left_[Index(section)];
  const auto latest_of = [&](const Member& member) {
    return height_ - member.low[1 - side] - member.size;
  };
  const auto end_of = [&](const Member& member) { return member.low[side] + member.size; };
  // The least distance at which one of the buffers has to begin, and the next such distance.
  int64_t latest = kMax, second = kMax;
  const Member* earliest = nullptr;
  for (const Member& member : members_) {
    second = std::min(second, std::max(latest, latest_of(member)));
    if (latest_of(member) >= latest) continue;
    latest = latest_of(member);
    earliest = &member;
  }
  const auto fits_before_each = [&](const Member& member) {
    return end_of(member) <= (&member == earliest ? second : latest);
  };
  int64_t firsts = 0, end = kMax;
  late_.clear();
  for (const Member& member : members_) {
    if (member.low[side] > highest) {
      late_.emplace_back(member.low[side], member.size);
    } else if (fits_before_each(member)) {
      ++firsts;
      end = std::min(end, end_of(member));
    }
  }
  if (firsts == 0) return false;
  Set(firsts_[side][Index(section)], firsts);
  if (LeastEndOfAll(late_) > ceiling) return false;
  for (const Member& member : members_) {
    int64_t low = member.low[side];
    if (!fits_before_each(member)) {
      low = std::max(low, end);
      steps_ += static_cast<int64_t>(members_.size());
      for (const Member& other : members_) {
        const bool before = end_of(member) <= latest_of(other) || &other == &member;
        if (!before) low = std::max(low, end_of(other));
      }
    } else if (low > highest) {
      low = std::max(low, end);
    }
    if (!Raise(side, member.buffer, low)) return false;
  }
  return true;
}

// Checks the border between a section and the next one. Buffers that are in both stay.
bool PackingBounds::CheckBorder(int32_t section) {
  const std::span<const int32_t> lists[] = {ending_[section], beginning_[section]};
  steps_ += static_cast<int64_t>(lists[0].size() + lists[1].size());
  for (const int from : {0, 1}) {
    // A buffer that is larger than the waste shares a gap with one of `from`.
    const int64_t waste = waste_[Index(section + from)];
    for (const int side : {0, 1}) {
      int64_t least = height_;
      for (const int32_t i : lists[from]) least = std::min(least, low(side, i));
      for (const int32_t i : lists[1 - from]) {
        if (ranked_.sizes[Index(i)] > waste && !Raise(side, i, least - waste)) return false;
      }
    }
  }
  return true;
}

// Notes that the bounds failed in a section, or in none (-1). Returns false.
bool PackingBounds::Fail(int32_t section) {
  settles_ = false;
  failed_ = section;
  for (const int32_t other : touched_) is_touched_[Index(other)] = false;
  touched_.clear();
  return false;
}

void PackingBounds::Set(int64_t& where, int64_t value) {
  if (where == value) return;
  trail_.push_back({&where, where});
  where = value;
}

void PackingBounds::UndoTo(size_t mark) {
  while (trail_.size() > mark) {
    *trail_.back().where = trail_.back().before;
    trail_.pop_back();
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "packing_fill.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace assay {
namespace {

constexpr int64_t kFirstFailures = 100;

}  // namespace

PackingFill::PackingFill(const Packing& packing, std::span<const int32_t> order, int64_t height,
                         int64_t percent)
    : bounds_(packing, order, height), percent_(percent), failures_max_(kFirstFailures) {
  if (!bounds_.is_possible()) {
    state_ = State::kNone;
    return;
  }
  const RankedPacking& ranked = bounds_.ranked();
  turn_.resize(order.size());
  std::iota(turn_.begin(), turn_.end(), 0);
  weight_.assign(Index(ranked.sections.size()), 1);
  for (size_t i = 0; i < order.size(); ++i) {
    if (bounds_.IsLeft(static_cast<int32_t>(i))) members_.push_back(static_cast<int32_t>(i));
  }
  std::sort(members_.begin(), members_.end(), [&](int32_t a, int32_t b) {
    return std::pair(ranked.first_section[Index(a)], a) <
           std::pair(ranked.first_section[Index(b)], b);
  });
  Begin();
}

void PackingFill::Begin() {
  const int32_t first = bounds_.ranked().Split(members_, 0, {0, 0, -1, -1}, parts_);
  if (first < 0) {
    state_ = State::kFound;
  } else {
    Open(first);
  }
}

PackingFill::State PackingFill::Run(int64_t steps) {
  const int64_t end = this->steps() + steps;
  while (state_ == State::kRunning && this->steps() < end) {
    if (failures_ > failures_max_) Restart();
    Frame& frame = frames_.back();
    if (const Turn failed = frame.placed; failed.buffer >= 0) {
      TakeBack(frame);
      if (!bounds_.PlaceAfter(failed.side, failed.buffer)) {
        Fail();
        if (!Retreat(frame.part.parent)) state_ = State::kNone;
        continue;
      }
    }
    frame.placed = Choose(frame);
    frame.placed_mark = bounds_.Mark();
    if (!bounds_.Place(frame.placed.side, frame.placed.buffer)) {
      Fail();
      continue;
    }
    const auto self = static_cast<int32_t>(frames_.size()) - 1;
    const int32_t next = SplitRest(frame.part, self, frame.placed.buffer);
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

// Begins again at the first frame, with other turns.
void PackingFill::Restart() {
  Retreat(0);
  Frame& first = frames_.front();
  if (first.placed.buffer >= 0) TakeBack(first);
  bounds_.UndoTo(first.bounds_mark);
  failures_ = 0;
  // Luby's sequence: 1, 1, 2, 1, 1, 2, 4, ...
  if ((starts_ & -starts_) == run_) {
    ++starts_;
    run_ = 1;
  } else {
    run_ *= 2;
  }
  failures_max_ = kFirstFailures * run_;
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
  frame.bounds_mark = bounds_.Mark();
  const RankedPacking& ranked = bounds_.ranked();
  frame.first = std::numeric_limits<int32_t>::max();
  for (size_t i = frame.part.begin; i < frame.part.end; ++i) {
    frame.first = std::min(frame.first, ranked.first_section[Index(members_[i])]);
    frame.last = std::max(frame.last, ranked.last_section[Index(members_[i])]);
  }
  steps_ += static_cast<int64_t>(frame.part.end - frame.part.begin);
}

int32_t PackingFill::Nearest(int side, std::span<const int32_t> buffers) const {
  int32_t nearest = -1;
  const auto rank = [&](int32_t i) { return std::tuple(bounds_.low(side, i), turn_[Index(i)], i); };
  for (const int32_t i : buffers) {
    if (bounds_.IsLeft(i) && (nearest < 0 || rank(i) < rank(nearest))) nearest = i;
  }
  return nearest;
}

// Returns the buffer to place next, and its side, from which no buffer that is left comes before
// it.
PackingFill::Turn PackingFill::Choose(const Frame& frame) {
  Turn chosen;
  int32_t best = -1;
  steps_ += frame.last - frame.first + 1;
  for (int32_t s = frame.first; s <= frame.last; ++s) {
    for (const int side : {0, 1}) {
      const int64_t firsts = bounds_.firsts(side, s);
      if (firsts == 0) continue;
      if (best >= 0) {
        // Prefers a section with fewer first buffers for its weight, then one with a nearer buffer.
        const int64_t own = firsts * weight_[Index(best)];
        const int64_t other = bounds_.firsts(chosen.side, best) * weight_[Index(s)];
        if (std::pair(own, bounds_.floor(side, s)) >=
            std::pair(other, bounds_.floor(chosen.side, best))) {
          continue;
        }
      }
      const int32_t buffer = Nearest(side, bounds_.ranked().sections[s]);
      if (!bounds_.IsFirst(side, buffer)) continue;
      best = s;
      chosen = {side, buffer};
    }
  }
  if (best >= 0) return chosen;
  // No buffer comes before the lowest of all.
  return {0, Nearest(0, std::span(members_).subspan(frame.part.begin,
                                                    frame.part.end - frame.part.begin))};
}

void PackingFill::Fail() {
  ++failures_;
  if (bounds_.failed() >= 0) ++weight_[Index(bounds_.failed())];
}

// Returns the part to go on with after `buffer` was placed, or -1 if everything is packed.
int32_t PackingFill::SplitRest(const Part& part, int32_t self, int32_t buffer) {
  const size_t begin = members_.size();
  for (size_t i = part.begin; i < part.end; ++i) {
    if (members_[i] != buffer) members_.push_back(members_[i]);
  }
  return bounds_.ranked().Split(members_, begin, {0, 0, self, part.next}, parts_);
}

void PackingFill::TakeBack(Frame& frame) {
  bounds_.UndoTo(frame.placed_mark);
  frame.placed = {};
  members_.resize(frame.members_mark);
  parts_.resize(frame.parts_mark);
}

// Goes back to a frame, which left the part that cannot be packed. Returns false if there is none.
bool PackingFill::Retreat(int32_t frame) {
  while (static_cast<int32_t>(frames_.size()) - 1 > frame) {
    if (frames_.back().placed.buffer >= 0) TakeBack(frames_.back());
    bounds_.UndoTo(frames_.back().bounds_mark);
    frames_.pop_back();
  }
  return frame >= 0;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "packing_climb.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace assay {
PackingClimb::PackingClimb(const Packing& packing, std::vector<int32_t> order)
    : packing_(&packing),
      order_(std::move(order)),
      rank_(order_.size(), -1),
      offsets_(packing.fixed),
      is_open_(order_.size(), false) {
  std::erase_if(order_, [this](int32_t buffer) { return IsFixed(buffer); });
  for (size_t i = 0; i < order_.size(); ++i) rank_[Index(order_[i])] = static_cast<int32_t>(i);
  for (const int32_t buffer : order_) offsets_[Index(buffer)] = LowestPlace(buffer);
  height_ = packing_->HeightOf(offsets_);
}

// Returns the lowest place of a buffer between the buffers that are fixed or come before it.
int64_t PackingClimb::LowestPlace(int32_t buffer) {
  taken_.clear();
  const auto neighbours = packing_->neighbours[buffer];
  for (const int32_t other : neighbours) {
    if (rank_[Index(other)] < rank_[Index(buffer)]) {
      taken_.push_back({offsets_[Index(other)], EndOf(other)});
    }
  }
  std::sort(taken_.begin(), taken_.end(),
            [](const Taken& a, const Taken& b) { return a.begin < b.begin; });
  steps_ += static_cast<int64_t>(neighbours.size() + taken_.size()) + 1;
  const int64_t size = packing_->sizes[Index(buffer)];
  const int64_t alignment = packing_->alignments[Index(buffer)];
  int64_t offset = AlignUp(packing_->start, alignment);
  for (const Taken& range : taken_) {
    if (offset + size <= range.begin) break;
    offset = std::max(offset, AlignUp(range.end, alignment));
  }
  return offset;
}

void PackingClimb::Run(int64_t steps, int64_t least) {
  const int64_t end = steps_ + steps;
  FindTurns();
  while (height_ > least && steps_ < end && turns_.size() > 1) {
    const std::span<const int32_t> all = turns_;
    const int32_t a = random_.Pick(random_.OneIn(2) ? all.first(near_) : all);
    const int32_t b = random_.Pick(all);
    ++steps_;
    if (a == b) continue;
    Swap(a, b);
    if (Repack(std::min(a, b), std::max(a, b))) {
      height_ = packing_->HeightOf(offsets_);
      FindTurns();
    } else {
      TakeBack();
      Swap(a, b);
    }
  }
}

// Finds the highest buffer, its neighbours, and the buffers that these rest on, directly or
// indirectly.
void PackingClimb::FindTurns() {
  turns_.clear();
  found_.assign(offsets_.size(), false);
  std::vector<int32_t> open;
  const auto find = [&](int32_t buffer) {
    if (found_[Index(buffer)] || IsFixed(buffer)) return;
    found_[Index(buffer)] = true;
    open.push_back(buffer);
    turns_.push_back(rank_[Index(buffer)]);
  };
  steps_ += static_cast<int64_t>(offsets_.size()) / 8;
  for (const int32_t buffer : order_) {
    if (EndOf(buffer) != height_) continue;
    find(buffer);
    for (const int32_t other : packing_->neighbours[buffer]) find(other);
    break;
  }
  near_ = turns_.size();
  while (!open.empty()) {
    const int32_t buffer = open.back();
    open.pop_back();
    const auto neighbours = packing_->neighbours[buffer];
    steps_ += static_cast<int64_t>(neighbours.size());
    for (const int32_t other : neighbours) {
      const int64_t gap = offsets_[Index(buffer)] - EndOf(other);
      if (0 <= gap && gap < packing_->alignments[Index(buffer)]) find(other);
    }
  }
}

void PackingClimb::Swap(int32_t a, int32_t b) {
  std::swap(order_[Index(a)], order_[Index(b)]);
  rank_[Index(order_[Index(a)])] = a;
  rank_[Index(order_[Index(b)])] = b;
}

// Packs the buffers that the swap of two ranks moves. Returns false if the packing becomes higher
// than before.
bool PackingClimb::Repack(int32_t from, int32_t to) {
  moves_.clear();
  for (const int32_t rank : {from, to}) {
    const int32_t buffer = order_[Index(rank)];
    Mark(buffer);
    for (const int32_t other : packing_->neighbours[buffer]) {
      const int32_t between = rank_[Index(other)];
      if (from < between && between < to) Mark(other);
    }
  }
  bool lower = true;
  while (!open_.empty()) {
    std::pop_heap(open_.begin(), open_.end(), std::greater<>());
    const int32_t buffer = order_[Index(open_.back())];
    is_open_[Index(open_.back())] = false;
    open_.pop_back();
    if (!lower) continue;  // empties the heap
    const int64_t before = offsets_[Index(buffer)], now = LowestPlace(buffer);
    if (now == before) continue;
    moves_.push_back({buffer, before});
    offsets_[Index(buffer)] = now;
    lower = EndOf(buffer) <= height_;
    for (const int32_t other : packing_->neighbours[buffer]) {
      if (rank_[Index(other)] > rank_[Index(buffer)]) Mark(other);
    }
  }
  return lower;
}

void PackingClimb::Mark(int32_t buffer) {
  const int32_t rank = rank_[Index(buffer)];
  if (rank < 0 || is_open_[Index(rank)]) return;
  is_open_[Index(rank)] = true;
  open_.push_back(rank);
  std::push_heap(open_.begin(), open_.end(), std::greater<>());
}

void PackingClimb::TakeBack() {
  for (const Move& move : moves_) offsets_[Index(move.buffer)] = move.before;
}

}  // namespace assay

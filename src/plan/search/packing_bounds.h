// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "packing_ranks.h"

namespace assay {

// The offsets that buffers may still have in a packing below a height, while buffers are placed one
// after the other. Memory is seen from both ends, its sides: 0 is the bottom and 1 the top, upside
// down. The distance of a buffer is its offset on side 0, and the space between its end and the
// height on side 1. Placing a buffer raises the least distances of others by these rules:
// - buffers that conflict do not overlap;
// - in a section, the buffers that are left fit between the lowest and the highest of their ends;
// - in a section, a buffer that cannot come before all others comes after at least one of them, and
//   a buffer that cannot come before a certain other one comes after that one;
// - from a section to the next, buffers that begin take the places of buffers that end. Between the
//   buffers that stay, a gap without any of these is too small for a buffer larger than all waste.
class PackingBounds {
 public:
  // `packing` must outlive it.
  PackingBounds(const Packing& packing, std::span<const int32_t> order, int64_t height);

  // Returns false if there is no packing below the height.
  bool is_possible() const { return is_possible_; }
  const RankedPacking& ranked() const { return ranked_; }
  bool IsLeft(int32_t buffer) const { return offset_[Index(buffer)] < 0; }
  std::span<const int64_t> offsets() const { return offset_; }
  int64_t low(int side, int32_t buffer) const { return low_[side][Index(buffer)]; }
  int64_t LeastEnd(int side, int32_t buffer) const {
    return low_[side][Index(buffer)] + ranked_.sizes[Index(buffer)];
  }

  // Returns how many buffers of a section may come first, seen from a side; 0 if none is left.
  int64_t firsts(int side, int32_t section) const { return firsts_[side][Index(section)]; }
  // Returns the least distance of a buffer that is left in a section.
  int64_t floor(int side, int32_t section) const { return floor_[side][Index(section)]; }

  // Returns true if a buffer, at its least distance, comes before all other buffers that are left
  // and conflict with it.
  bool IsFirst(int side, int32_t buffer);

  // Places a buffer at its least distance. Returns false if the other buffers then have no room. In
  // this case, undo the bounds; failed() is the section where that was found, or -1.
  bool Place(int side, int32_t buffer);
  // Puts a buffer after at least one of the buffers that are left.
  bool PlaceAfter(int side, int32_t buffer);
  int32_t failed() const { return failed_; }

  size_t Mark() const { return trail_.size(); }
  void UndoTo(size_t mark);
  int64_t steps() const { return steps_; }

 private:
  struct Change {
    int64_t* where = nullptr;
    int64_t before = 0;
  };
  struct Member {
    int32_t buffer = 0;
    int64_t size = 0;
    int64_t low[2] = {0, 0};
  };

  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  bool Start();
  void FindBorders();
  int64_t Aligned(int side, int32_t buffer, int64_t low) const;
  bool Raise(int side, int32_t buffer, int64_t low);
  int32_t SharedSection(int32_t a, int32_t b) const;
  void Touch(int32_t section);
  bool CheckTouched();
  bool CheckSection(int32_t section);
  bool CheckSide(int side, int32_t section, int64_t ceiling);
  bool CheckBorder(int32_t section);
  bool Fail(int32_t section);
  void Set(int64_t& where, int64_t value);

  RankedPacking ranked_;
  int64_t height_;
  bool is_possible_ = false;
  int64_t steps_ = 0;
  int32_t failed_ = -1;

  std::vector<int64_t> low_[2];  // of each buffer, the least distance from each side
  std::vector<int64_t> offset_;  // the offset of each buffer; -1: not placed yet

  // For each section: the sizes of the buffers that are left, and the space that all of its buffers
  // leave free.
  std::vector<int64_t> left_, waste_, firsts_[2], floor_[2];
  Lists ending_, beginning_;  // of each section and the next, the buffers in only one of them

  std::vector<int32_t> touched_;
  std::vector<bool> is_touched_;
  bool settles_ = false;         // if true, raised buffers touch no section any more
  std::vector<Member> members_;  // of the section that is checked
  std::vector<std::pair<int64_t, int64_t>> late_;
  std::vector<Change> trail_;
};

}  // namespace assay

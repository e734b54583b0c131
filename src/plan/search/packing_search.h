// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packing_ranks.h"

namespace assay {

// The members of all parts of a search together. Beyond them, it takes too much memory.
inline constexpr size_t kMembersMax = size_t{1} << 21;

// Looks for offsets that pack all buffers below a height. The search is depth first, in the order
// of the offsets, and places each buffer as low as the buffers below it allow. Any packing can be
// pushed down to one of this kind. Therefore, if the search finds no packing, there is none. These
// rules cut the search short:
// - a clique of buffers that are left lies above the lowest of their offsets, so that this offset
//   plus their sizes must stay below the height;
// - the next buffer begins below the lowest possible end of each buffer that is left;
// - buffers that are left and no longer touch each other are packed apart: if one part fails, it is
//   not tried again with other packings of the other parts;
// - a buffer that was passed over needs another one that can still push it up.
class PackingSearch {
 public:
  // kGaveUp: the search would take too much memory.
  enum class State { kRunning, kFound, kNone, kGaveUp };

  // `order` decides between buffers of equal offset: the first comes first. `packing` must outlive
  // the search. A hasty search cuts more, and finds more packings; but if it finds none, that
  // proves nothing.
  PackingSearch(const Packing& packing, std::span<const int32_t> order, int64_t height, bool hasty);

  // Goes on for about `steps` steps.
  State Run(int64_t steps);
  State state() const { return state_; }
  bool hasty() const { return hasty_; }
  int64_t steps() const { return steps_; }

  // Returns the offset of each buffer of the packing, after it was found.
  std::vector<int64_t> Offsets() const { return ranked_.Unranked(offset_); }

 private:
  // A set of buffers that are left and belong together, and the position that they have to lie
  // above.
  struct Part {
    size_t begin = 0, end = 0;  // in members_, in the order of their first sections
    int32_t parent = -1;        // the frame that left them
    int64_t offset = 0;         // of the buffer placed last,
    int32_t last = -1;          // and its number
    int32_t next = -1;          // another part, to be packed later
  };

  struct Frame {
    Part part;
    size_t begin = 0, end = 0;  // its candidates, in candidates_
    size_t at = 0;              // the next of them
    int32_t placed = -1;
    size_t members_mark = 0, parts_mark = 0, trail_mark = 0;
  };

  struct Change {
    int64_t* where = nullptr;
    int64_t before = 0;
  };

  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  void Set(int64_t& where, int64_t value);
  bool Start();
  void Open(int32_t part);
  void FindCandidates(Frame& frame);
  bool IsNext(const Part& part, int32_t buffer) const;
  bool RestIsRaised(const Part& part, int64_t highest) const;
  bool Place(Frame& frame, int32_t buffer);
  bool RaiseNeighbours(int32_t buffer, int64_t top);
  bool FindWitness(int32_t section);
  int32_t SplitRest(const Frame& frame, int32_t self, int32_t buffer);
  void Undo(Frame& frame);
  bool Retreat();

  RankedPacking ranked_;
  int64_t height_;
  bool hasty_;
  State state_ = State::kRunning;
  int64_t steps_ = 0;

  std::vector<int64_t> low_;      // the lowest possible offset of each buffer
  std::vector<int64_t> offset_;   // the offset of each buffer; -1: not placed yet
  std::vector<int64_t> left_;     // of each section, the sizes of buffers that are not placed
  std::vector<int64_t> witness_;  // of each section, a buffer that keeps it below the height

  std::vector<int32_t> members_, candidates_;
  std::vector<Part> parts_;
  std::vector<Frame> frames_;
  std::vector<Change> trail_;
};

}  // namespace assay

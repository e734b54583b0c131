#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packing_ranks.h"
#include "packing_search.h"
#include "random.h"

namespace assay {

// Looks for offsets that pack all buffers below a height, where it is hardest first. In each
// section, the buffers that are left lie one above the other: those that may be the lowest of them
// are few where there is little room to waste, and all others must lie above one of those. The
// search takes the section with the fewest, for what its failures weigh, and places one of its
// buffers as low as it can be, or else higher: what nothing supports there lies on another.
// After some failures it begins anew, with the weights that it has learnt and the buffers in an
// order that is changed a little. It allows more failures each time, so that it comes to an end:
// any packing can be pushed down to one that it looks at, and what is not found is not there.
class PackingFill {
 public:
  using State = PackingSearch::State;

  // `order` decides between buffers of one offset; each start moves them in it by up to `percent`
  // of their number. `packing` must outlive it.
  PackingFill(const Packing& packing, std::span<const int32_t> order, int64_t height,
              int64_t percent);

  // Goes on for about `steps`.
  State Run(int64_t steps);
  int64_t steps() const { return steps_; }

  // The offset of each buffer of the packing, once found.
  std::vector<int64_t> Offsets() const { return ranked_.Unranked(offset_); }

 private:
  // Buffers that are left and belong together.
  struct Part {
    size_t begin = 0, end = 0;  // in members_, in the order of their first sections
    int32_t parent = -1;        // the frame that left them
    int32_t next = -1;          // another part, to be packed later
  };

  struct Frame {
    Part part;
    int32_t first = 0, last = -1;  // sections
    int32_t placed = -1;
    size_t members_mark = 0, parts_mark = 0;
    size_t trail_mark = 0, placed_mark = 0;  // before it, before what it has placed
  };

  struct Change {
    int64_t* where = nullptr;
    int64_t before = 0;
  };

  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  bool IsLeft(int32_t buffer) const { return offset_[Index(buffer)] < 0; }
  int64_t LowestEnd(int32_t buffer) const {
    return low_[Index(buffer)] + ranked_.sizes[Index(buffer)];
  }
  bool IsBefore(int32_t a, int32_t b) const;

  bool Start();
  void Begin();
  void Restart();
  void Open(int32_t part);
  int32_t Choose(const Frame& frame);
  int32_t Lowest(std::span<const int32_t> buffers) const;
  bool HasNoneBelow(int32_t buffer);
  bool Place(Frame& frame, int32_t buffer);
  bool PlaceHigher(int32_t buffer);
  bool Raise(int32_t buffer, int64_t low);
  int32_t SharedSection(int32_t a, int32_t b) const;
  void Touch(int32_t section);
  bool CheckTouched();
  bool CheckSection(int32_t section);
  bool Fail(int32_t section);
  int32_t SplitRest(const Part& part, int32_t self, int32_t buffer);
  int32_t Split(size_t begin, Part part);
  void Set(int64_t& where, int64_t value);
  void UndoTo(size_t mark);
  void TakeBack(Frame& frame);
  bool Retreat(int32_t frame);

  RankedPacking ranked_;
  int64_t height_;
  State state_ = State::kRunning;
  int64_t steps_ = 0;
  int64_t percent_;
  int64_t failures_ = 0, failures_max_;  // since the last start
  Random random_{1};

  std::vector<int64_t> low_;     // of each buffer, where it could be placed now
  std::vector<int64_t> offset_;  // where it is; -1: nowhere yet
  std::vector<int64_t> turn_;    // which comes first of those that could lie at one offset

  // Of each section: the sizes of what is left, how many of these may be the lowest, the least
  // offset of one, and the failures found there.
  std::vector<int64_t> left_, lowest_, floor_, weight_;
  std::vector<int32_t> touched_;
  std::vector<bool> is_touched_;

  std::vector<int32_t> members_;
  std::vector<Part> parts_;
  std::vector<Frame> frames_;
  std::vector<Change> trail_;
};

}  // namespace assay

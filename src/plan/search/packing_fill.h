// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packing_bounds.h"
#include "packing_search.h"
#include "random.h"

namespace assay {

// Looks for offsets that pack all buffers below a height, and begins where that is hardest. In each
// section, the buffers that are left lie one above the other. If there is little room to waste, few
// of them can be the lowest or the highest.
//
// The search takes the section and the side with the fewest such buffers, relative to the weight of
// the section's failures. It places one of these buffers as near to that side as possible, or else
// after at least one other buffer that is left.
//
// After some failures, the search begins again. It keeps the weights that it has learnt, and
// changes the order of the buffers a little. It allows more failures every now and then, so that it
// comes to an end. Any packing can be pushed to one that the search looks at. Therefore, if the
// search finds no packing, there is none.
class PackingFill {
 public:
  using State = PackingSearch::State;

  // `order` decides between buffers of equal distance. Each start moves the buffers in this order
  // by up to `percent` of their number. `packing` must outlive the search.
  PackingFill(const Packing& packing, std::span<const int32_t> order, int64_t height,
              int64_t percent);

  // Goes on for about `steps` steps.
  State Run(int64_t steps);
  int64_t steps() const { return steps_ + bounds_.steps(); }

  // Returns the offset of each buffer of the packing, after it was found.
  std::vector<int64_t> Offsets() const { return bounds_.ranked().Unranked(bounds_.offsets()); }

 private:
  // A set of buffers that are left and belong together.
  struct Part {
    size_t begin = 0, end = 0;  // in members_, in the order of their first sections
    int32_t parent = -1;        // the frame that left them
    int32_t next = -1;          // another part, to be packed later
  };

  struct Turn {
    int side = 0;
    int32_t buffer = -1;
  };

  struct Frame {
    Part part;
    int32_t first = 0, last = -1;  // sections
    Turn placed;
    size_t members_mark = 0, parts_mark = 0;
    size_t bounds_mark = 0, placed_mark = 0;  // before the frame; before its placed buffer
  };

  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  void Begin();
  void Restart();
  void Open(int32_t part);
  Turn Choose(const Frame& frame);
  int32_t Nearest(int side, std::span<const int32_t> buffers) const;
  void Fail();
  int32_t SplitRest(const Part& part, int32_t self, int32_t buffer);
  void TakeBack(Frame& frame);
  bool Retreat(int32_t frame);

  PackingBounds bounds_;
  State state_ = State::kRunning;
  int64_t steps_ = 0;
  int64_t percent_;
  int64_t failures_ = 0, failures_max_;  // since the last start
  int64_t starts_ = 1, run_ = 1;
  Random random_{1};

  std::vector<int64_t> turn_;    // decides between buffers that could lie at one distance
  std::vector<int64_t> weight_;  // of each section, the failures found there
  std::vector<int32_t> members_;
  std::vector<Part> parts_;
  std::vector<Frame> frames_;
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "pool_packing.h"
#include "random.h"

namespace assay {

// Packs buffers one after the other, each at its lowest free place. Then it swaps buffers in that
// order, among those that the highest buffer rests on. A swap stays if the packing becomes no
// higher. Only buffers that a swap moves are packed again.
class PackingClimb {
 public:
  // `packing` must outlive it.
  PackingClimb(const Packing& packing, std::vector<int32_t> order);

  // Swaps for about `steps` steps, or until the height is `least`.
  void Run(int64_t steps, int64_t least);

  // The present packing. It is the lowest so far, because a swap stays only if the packing becomes
  // no higher.
  int64_t height() const { return height_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }
  int64_t steps() const { return steps_; }

 private:
  struct Move {
    int32_t buffer = 0;
    int64_t before = 0;
  };
  struct Taken {
    int64_t begin = 0, end = 0;
  };

  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  bool IsFixed(int32_t buffer) const { return packing_->fixed[Index(buffer)] >= 0; }
  int64_t EndOf(int32_t buffer) const {
    return offsets_[Index(buffer)] + packing_->sizes[Index(buffer)];
  }
  int64_t LowestPlace(int32_t buffer);
  void FindTurns();
  void Swap(int32_t a, int32_t b);
  bool Repack(int32_t from, int32_t to);
  void Mark(int32_t buffer);
  void TakeBack();

  const Packing* packing_;
  std::vector<int32_t> order_, rank_;  // rank_: of each buffer in the order; -1: it is fixed
  std::vector<int64_t> offsets_;
  int64_t height_ = 0;
  int64_t steps_ = 0;
  std::vector<int32_t> turns_;  // the ranks of the buffers that the highest one rests on
  size_t near_ = 0;             // this many of them are the highest buffer and its neighbours
  std::vector<Move> moves_;     // of the swap that is tried
  std::vector<int32_t> open_;   // ranks to pack anew, a heap with the first on top
  std::vector<bool> is_open_;   // of each rank
  std::vector<bool> found_;
  std::vector<Taken> taken_;
  Random random_{1};
};

}  // namespace assay

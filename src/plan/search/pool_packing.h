// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "planning_task.h"

namespace assay {

// Lists of indices, stored one after the other.
class Lists {
 public:
  void Add(std::span<const int32_t> list) {
    items_.insert(items_.end(), list.begin(), list.end());
    starts_.push_back(items_.size());
  }
  std::span<const int32_t> operator[](int32_t i) const {
    const auto at = static_cast<size_t>(i);
    return std::span(items_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }
  int32_t size() const { return static_cast<int32_t>(starts_.size()) - 1; }
  int64_t items() const { return static_cast<int64_t>(items_.size()); }

 private:
  std::vector<int32_t> items_;
  std::vector<size_t> starts_ = {0};
};

// Buffers that are packed into one pool. Sizes and offsets are in units. A unit is the largest
// number of bytes that divides all of them.
struct Packing {
  int64_t unit_bytes = 1;
  int64_t start = 0;             // the lowest offset
  std::vector<int32_t> buffers;  // of the problem
  std::vector<int64_t> sizes, alignments;
  Lists neighbours;            // of each buffer, those that it conflicts with
  Lists obstacles;             // of each buffer, those of fixed offset among its neighbours
  std::vector<int64_t> fixed;  // the offset of each buffer, or -1
  // Cliques; each is a list of buffers, none of them of fixed offset. The sections of a buffer that
  // come from live ranges are in the order of time. So the sections between the first and the last
  // belong together.
  Lists sections;
  Lists sections_of;
  std::vector<int64_t> lifetimes;                // of each buffer, in ticks
  std::vector<std::span<const LiveRange>> live;  // of each buffer, those of the problem
  bool by_time = false;                          // conflicts come from live ranges only
  bool complete = false;  // has all of the problem: if it cannot be packed, there is no plan

  bool HasFixed() const {
    return std::any_of(fixed.begin(), fixed.end(), [](int64_t offset) { return offset >= 0; });
  }

  // Returns the end of the highest buffer at these offsets.
  int64_t HeightOf(std::span<const int64_t> offsets) const;
};

// Returns the least height that sections and fixed offsets allow.
int64_t LeastHeight(const Packing& packing);

// Returns the packing of the buffers `which` of a task into `pool`. The conflicts must be listed.
Packing PackingOf(const PlanningTask& task, const std::vector<int32_t>& which, int32_t pool);

}  // namespace assay

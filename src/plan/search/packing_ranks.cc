// SPDX-License-Identifier: Apache-2.0
#include "packing_ranks.h"

namespace assay {
RankedPacking::RankedPacking(const Packing& packing, std::span<const int32_t> in_order)
    : order(in_order.begin(), in_order.end()), packing_(&packing) {
  std::vector<int32_t> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) rank[Index(order[i])] = static_cast<int32_t>(i);
  std::vector<int32_t> list;
  const auto ranked = [&](std::span<const int32_t> from) {
    list.clear();
    for (const int32_t i : from) {
      if (packing.fixed[Index(i)] < 0) list.push_back(rank[Index(i)]);
    }
    return std::span<const int32_t>(list);
  };
  for (const int32_t buffer : order) {
    sizes.push_back(packing.sizes[Index(buffer)]);
    alignments.push_back(packing.alignments[Index(buffer)]);
    neighbours.Add(ranked(packing.neighbours[buffer]));
    const auto own = packing.sections_of[buffer];
    sections_of.Add(own);
    const bool bounded = packing.by_time && !own.empty();
    first_section.push_back(bounded ? own.front() : 0);
    last_section.push_back(bounded ? own.back() : packing.sections.size() - 1);
  }
  for (int32_t s = 0; s < packing.sections.size(); ++s) sections.Add(ranked(packing.sections[s]));
}

int64_t RankedPacking::LowestFrom(int32_t buffer, int64_t offset) const {
  offset = AlignUp(offset, alignments[Index(buffer)]);
  for (const int32_t obstacle : packing_->obstacles[order[Index(buffer)]]) {
    const int64_t fixed = packing_->fixed[Index(obstacle)];
    const int64_t end = fixed + packing_->sizes[Index(obstacle)];
    if (offset < end && fixed < offset + sizes[Index(buffer)]) {
      offset = AlignUp(end, alignments[Index(buffer)]);
    }
  }
  return offset;
}

int64_t RankedPacking::HighestUpTo(int32_t buffer, int64_t offset) const {
  const int64_t size = sizes[Index(buffer)], alignment = alignments[Index(buffer)];
  // A remainder of a negative offset would round it up.
  if (offset < 0) return offset;
  offset -= offset % alignment;
  const auto obstacles = packing_->obstacles[order[Index(buffer)]];
  for (auto obstacle = obstacles.rbegin(); obstacle != obstacles.rend(); ++obstacle) {
    const int64_t fixed = packing_->fixed[Index(*obstacle)];
    if (offset < fixed + packing_->sizes[Index(*obstacle)] && fixed < offset + size) {
      offset = fixed - size;
      if (offset < 0) return offset;
      offset -= offset % alignment;
    }
  }
  return offset;
}

std::vector<int64_t> RankedPacking::Unranked(std::span<const int64_t> offsets) const {
  std::vector<int64_t> unranked(order.size());
  for (size_t i = 0; i < order.size(); ++i) unranked[Index(order[i])] = offsets[i];
  return unranked;
}

}  // namespace assay
